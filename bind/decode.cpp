// bind/decode.cpp: the phrase-based decoder: options of sentences, and searches.
#include "decode.hpp"

#include <functional>
#include <memory>

#include "bind.hpp"
#include "decode/batch_runner.hpp"
#include "decode/phrase_search.hpp"
#include "lm.hpp"
#include "rule_table.hpp"

namespace rosewood::bind {

namespace {

/// A column of options, as an array of its own.
template <class T>
auto column(std::vector<T> SentenceOptions::* member) {
  return [member](const SentenceOptions& self) { return copied(self.*member); };
}

/// A model, and what it reads from.
struct PhraseModelHandle {
  std::vector<nb::object> kept;
  PhraseModel model;
};

struct DecoderHandle {
  nb::object kept;
  WeightedPhraseModel model;
};

struct SearchResult {
  SearchReport report;
  BestPath best;
  ForestArrays forest;
};

using OptionsPointer = std::shared_ptr<SentenceOptions>;

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
  nb::class_<SearchResult>(m, "SearchResult", "What a search has found.")
      .def_prop_ro("report",
                   [](const SearchResult& self) {
                     return std::tuple(self.report.pops, self.report.is_narrowed,
                                       self.report.is_timed_out, self.report.is_reachable);
                   })
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
          "Begin, end, rule id, origin, target_start and target words of the best translation.")
      .def(
          "take_forest", [](SearchResult& self) { return taken(self.forest); },
          "edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, "
          "best_edges; once.");
}

}  // namespace

void bind_decode(nb::module_& m) {
  using Slots = std::vector<std::tuple<int, int, bool, std::size_t>>;
  bind_options(m);
  bind_result(m);
  bind_layout(m);
  nb::class_<PhraseModelHandle>(m, "PhraseModel", "Models of a phrase-based decoder.")
      .def(
          "__init__",
          [](PhraseModelHandle* self, const FeatureLayout& layout, nb::object table,
             std::vector<nb::object> language_models, const Slots& slots,
             std::vector<std::int64_t> orientation_columns) {
            std::vector<nb::object> kept{table};
            std::vector<const LanguageModel*> lms;
            for (nb::object& each : language_models) {
              lms.push_back(&nb::cast<const LanguageModelHandle&>(each).model);
              kept.push_back(each);
            }
            std::vector<OrientationSlot> made;
            for (const auto& [kind, direction, is_three, first] : slots)
              made.push_back({static_cast<OrientationKind>(kind), static_cast<Direction>(direction),
                              is_three, first});
            new (self) PhraseModelHandle{
                std::move(kept), PhraseModel(layout, nb::cast<const RuleTableHandle&>(table).table,
                                             lms, std::move(made), std::move(orientation_columns))};
          },
          "layout"_a, "table"_a, "language_models"_a, "slots"_a, "orientation_columns"_a)
      .def(
          "words_without_option",
          [](const PhraseModelHandle& self, const Words& words) {
            return words_without_option(self.model.table(), words);
          },
          "words"_a, "Places of the words that no rule translates by themselves.");
  nb::class_<DecoderHandle>(m, "PhraseDecoder", "A phrase-based decoder: models and weights.")
      .def(
          "__init__",
          [](DecoderHandle* self, nb::object model, In<double> weights, std::uint64_t limit) {
            new (self) DecoderHandle{
                model,
                WeightedPhraseModel(
                    nb::cast<const PhraseModelHandle&>(model).model,
                    std::vector<double>(weights.data(), weights.data() + weights.size()), limit)};
          },
          "model"_a, "weights"_a.noconvert(), "limit"_a)
      .def(
          "options",
          [](const DecoderHandle& self, const std::vector<Words>& sentences,
             const std::vector<std::vector<Given>>& given, std::size_t max_span, bool drops_unknown,
             std::uint64_t first_number, int threads) {
            std::vector<OptionsPointer> found(sentences.size());
            nb::gil_scoped_release release;
            run_batch(sentences.size(), first_number, threads, check_signals,
                      [&](std::size_t n, Interruption&) {
                        found[n] = std::make_shared<SentenceOptions>(find_sentence_options(
                            self.model, sentences[n], max_span, given_of(given[n]),
                            drops_unknown ? UnknownWords::drop : UnknownWords::copy));
                      });
            return found;
          },
          "sentences"_a, "given"_a, "max_span"_a, "drops_unknown"_a, "first_number"_a, "threads"_a,
          "The options of sentences of words; given ones are (begin, end, kind, target words).")
      .def(
          "search",
          [](const DecoderHandle& self, const std::vector<OptionsPointer>& options,
             const std::vector<std::optional<Words>>& references, bool is_full,
             std::uint64_t pop_limit, std::uint64_t stack_size, double beam,
             std::int32_t distortion_limit, std::uint64_t max_pops, double seconds,
             bool with_forest, std::uint64_t first_number, int threads) {
            std::vector<std::shared_ptr<SearchResult>> found(options.size());
            nb::gil_scoped_release release;
            const SearchLimits limits{is_full,          pop_limit, stack_size, beam,
                                      distortion_limit, max_pops,  seconds};
            run_batch(options.size(), first_number, threads, check_signals,
                      [&](std::size_t n, Interruption& interruption) {
                        std::vector<std::int32_t> reference;
                        std::optional<std::span<const std::int32_t>> wanted;
                        if (references[n]) {
                          reference = number_target(self.model.model().table(), *options[n],
                                                    *references[n]);
                          wanted = reference;
                        }
                        PhraseSearch search(self.model, *options[n], limits, std::ref(interruption),
                                            wanted);
                        search.run();
                        auto result = std::make_shared<SearchResult>();
                        result->report = search.report();
                        result->best = search.best();
                        if (with_forest) result->forest = search.forest();
                        found[n] = std::move(result);
                      });
            return found;
          },
          "options"_a, "references"_a, "is_full"_a, "pop_limit"_a, "stack_size"_a, "beam"_a,
          "distortion_limit"_a, "max_pops"_a, "seconds"_a, "with_forest"_a, "first_number"_a,
          "threads"_a, "Searches for the best translations of many sentences.");
  bind_hiero(m);
}

}  // namespace rosewood::bind
