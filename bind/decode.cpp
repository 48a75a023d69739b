// bind/decode.cpp: the phrase-based decoder: options of sentences, and searches.
#include "decode.hpp"

#include "decode/phrase_search.hpp"
#include "event_features.hpp"

namespace rosewood::bind {

namespace {

/// A column of options, as an array of its own.
template <class T>
auto column(std::vector<T> SentenceOptions::* member) {
  return [member](const SentenceOptions& self) { return copied(self.*member); };
}

struct SearchResult {
  SearchReport report;
  BestPath best;
  ForestArrays forest;
};

void bind_layout(nb::module_& m) {
  using Rows = std::vector<std::tuple<std::string, std::string, std::int64_t>>;
  nb::class_<FeatureLayout>(m, "FeatureLayout", "The dense features of a decoder, in their order.")
      .def(
          "__init__",
          [](FeatureLayout* self, const Rows& rows) {
            std::vector<FeatureLayout::Row> made;
            for (const auto& [name, kind, index] : rows) made.push_back({name, kind, index});
            new (self) FeatureLayout(std::move(made));
          },
          "rows"_a, "Rows are (name, kind, index).")
      .def("__len__", &FeatureLayout::size)
      .def_prop_ro("names",
                   [](const FeatureLayout& self) {
                     std::vector<std::string> names;
                     for (const auto& row : self.rows()) names.push_back(row.name);
                     return names;
                   })
      .def_prop_ro("rows",
                   [](const FeatureLayout& self) {
                     Rows rows;
                     for (const auto& [name, kind, index] : self.rows())
                       rows.emplace_back(name, kind, index);
                     return rows;
                   })
      .def_prop_ro("stateless", &FeatureLayout::stateless,
                   "Number of features that depend on an option alone; they come first.")
      .def(
          "block",
          [](const FeatureLayout& self, const std::string& kind) {
            const FeatureBlock block = self.block(kind);
            return std::pair(block.first, block.size);
          },
          "kind"_a, "Position of the first feature of a kind, and how many there are.");
}

void bind_options(nb::module_& m) {
  nb::class_<SentenceOptions>(m, "SentenceOptions", "What may stand for the spans of a sentence.")
      .def("__len__", &SentenceOptions::size)
      .def_prop_ro("begin", column(&SentenceOptions::begin), nb::rv_policy::automatic)
      .def_prop_ro("end", column(&SentenceOptions::end), nb::rv_policy::automatic)
      .def_prop_ro("rule", column(&SentenceOptions::rule), nb::rv_policy::automatic)
      .def_prop_ro(
          "origin",
          [](const SentenceOptions& self) {
            std::vector<std::uint8_t> numbers;
            for (const OptionOrigin each : self.origin)
              numbers.push_back(static_cast<std::uint8_t>(each));
            return to_numpy(std::move(numbers));
          },
          nb::rv_policy::automatic)
      .def_prop_ro("target_start", column(&SentenceOptions::target_start), nb::rv_policy::automatic)
      .def_prop_ro("target", column(&SentenceOptions::target), nb::rv_policy::automatic)
      .def_prop_ro("extra_words",
                   [](const SentenceOptions& self) {
                     std::vector<nb::bytes> words;
                     for (const std::string& word : self.extra_words)
                       words.emplace_back(word.data(), word.size());
                     return words;
                   })
      .def_prop_ro("features", column(&SentenceOptions::features), nb::rv_policy::automatic)
      .def_prop_ro("orientations", column(&SentenceOptions::orientations), nb::rv_policy::automatic)
      .def(
          "set_features",
          [](SentenceOptions& self, std::size_t first, In2<double> columns) {
            self.set_columns(self.features, first, span_of(columns), columns.shape(1));
          },
          "first"_a, "columns"_a.noconvert(), "Values of features, from column `first` on.")
      .def(
          "set_orientations",
          [](SentenceOptions& self, std::size_t first, In2<double> columns) {
            self.set_columns(self.orientations, first, span_of(columns), columns.shape(1));
          },
          "first"_a, "columns"_a.noconvert(), "Log probabilities, from column `first` on.")
      .def(
          "set_added_score",
          [](SentenceOptions& self, In<double> scores) {
            if (scores.size() != self.size())
              fail<DecodingError>({"argument.shape", "scores"}, "there are ", scores.size(),
                                  " scores for ", self.size(), " options");
            self.added_score.assign(scores.data(), scores.data() + scores.size());
          },
          "scores"_a.noconvert(), "What features that are not columns are worth.");
}

void bind_result(nb::module_& m) {
  nb::class_<SearchResult> result(m, "SearchResult", "What a search has found.");
  def_result(result, [](SearchResult& self) -> ForestArrays& { return self.forest; });
  result
      .def_prop_ro(
          "best",
          [](const SearchResult& self) {
            return std::tuple(copied(self.best.options), copied(self.best.features),
                              self.best.score);
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "phrases",
          [](const SearchResult& self) {
            const BestPath& best = self.best;
            return std::tuple(best.begin, best.end, best.rule,
                              std::vector<int>(best.origin.begin(), best.origin.end()),
                              best.target_start, best.target);
          },
          "Begin, end, rule id, origin, target_start and target words of the best translation.");
}

}  // namespace

void bind_decode(nb::module_& m) {
  using Slots = std::vector<std::tuple<int, int, int, std::size_t>>;
  using Model = ModelHandle<PhraseModel>;
  using Decoder = DecoderHandle<WeightedPhraseModel>;
  bind_options(m);
  bind_result(m);
  bind_layout(m);
  nb::class_<Model> model(m, "PhraseModel", "Models of a phrase-based decoder.");
  model.def(
      "__init__",
      [](Model* self, const FeatureLayout& layout, nb::object table,
         const std::vector<nb::object>& language_models, const Slots& slots,
         std::vector<std::int64_t> orientation_columns,
         const std::vector<std::pair<nb::object, std::size_t>>& reordering, const TreeParts& trees,
         const nb::object& large) {
        ModelParts parts(table, language_models);
        const LargeFeatures* columns = large_of(large, parts);
        std::vector<NativeReordering> native;
        for (const auto& [model, first] : reordering) {
          native.push_back({*nb::cast<const LinearHandle&>(model).model, first});
          parts.kept.push_back(model);
        }
        std::vector<OrientationSlot> made;
        for (const auto& [kind, direction, scheme, first] : slots)
          made.push_back({static_cast<OrientationKind>(kind), static_cast<Direction>(direction),
                          static_cast<ClassScheme>(scheme), first});
        new (self)
            Model{std::move(parts.kept),
                  PhraseModel(layout, parts.table, parts.language_models, std::move(made),
                              std::move(orientation_columns), native, trees_of(trees), columns)};
      },
      "layout"_a, "table"_a, "language_models"_a, "slots"_a, "orientation_columns"_a,
      "reordering"_a = std::vector<std::pair<nb::object, std::size_t>>{}, "trees"_a = TreeParts{},
      "large"_a = nb::none());
  def_model(model);
  nb::class_<Decoder> decoder(m, "PhraseDecoder", "A phrase-based decoder: models and weights.");
  def_decoder<PhraseModel, SentenceOptions>(
      decoder, [](const WeightedPhraseModel& weighted, TextWords words, std::size_t max_span,
                  std::span<const GivenOption> given, UnknownWords unknown, auto,
                  const RuleChanges& changes) {
        return find_sentence_options(weighted, words, max_span, given, unknown, changes);
      });
  decoder.def(
      "search",
      [](const Decoder& self, const Shared<SentenceOptions>& options,
         const std::vector<std::optional<Words>>& references, bool is_full, std::uint64_t pop_limit,
         double beam, std::uint64_t max_pops, double seconds, std::uint64_t boundary_words,
         std::uint64_t stack_size, std::int32_t distortion_limit, bool with_forest,
         std::uint64_t first_number, int threads) {
        const SearchLimits limits{{is_full, pop_limit, beam, max_pops, seconds, boundary_words},
                                  stack_size,
                                  distortion_limit};
        return search_all<PhraseSearch, SearchResult>(
            self.model, options, references, limits, first_number, threads,
            [&](PhraseSearch& search, SearchResult& result) {
              result.best = search.best();
              if (with_forest) result.forest = search.forest();
            });
      },
      "options"_a, "references"_a, "is_full"_a, "pop_limit"_a, "beam"_a, "max_pops"_a, "seconds"_a,
      "boundary_words"_a, "stack_size"_a, "distortion_limit"_a, "with_forest"_a, "first_number"_a,
      "threads"_a, "Searches for the best translations of many sentences.");
  bind_hiero(m);
}

}  // namespace rosewood::bind
