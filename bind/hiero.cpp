// bind/hiero.cpp: the hierarchical decoder: rules of sentences, and searches.
#include "decode.hpp"
#include "decode/chart_options.hpp"
#include "decode/chart_search.hpp"
#include "decode/hiero_model.hpp"

namespace rosewood::bind {

namespace {

struct ChartResult {
  SearchReport report;
  ChartForest forest;
};

void bind_results(nb::module_& m) {
  nb::class_<ChartOptions, SentenceOptions>(m, "ChartOptions", "Rules for the spans of a sentence.")
      .def_prop_ro(
          "left", [](const ChartOptions& self) { return copied(self.left); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "matches",
          [](const ChartOptions& self) {
            using Gap = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
            std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                                   std::vector<Gap>>>
                found;
            for (const ChartMatch& match : self.matches) {
              std::vector<Gap> gaps;
              for (std::int32_t i = match.gap; i < match.gap + match.gaps; ++i) {
                const ChartGap& gap = self.gaps[static_cast<std::size_t>(i)];
                gaps.emplace_back(gap.begin, gap.end, gap.label);
              }
              found.emplace_back(match.begin, match.end, match.first, match.last, std::move(gaps));
            }
            return found;
          },
          "Begin, end, first option, last option, gaps (begin, end, label).");
  nb::class_<ChartResult> result(m, "ChartResult", "What a hierarchical search has found.");
  def_result(result, [](ChartResult& self) -> ForestArrays& { return self.forest.arrays; });
  result.def_prop_ro("score", [](const ChartResult& self) { return self.forest.score; })
      .def_prop_ro(
          "nodes",
          [](const ChartResult& self) {
            return std::tuple(copied(self.forest.begin), copied(self.forest.end),
                              copied(self.forest.label));
          },
          nb::rv_policy::automatic, "Begin, end and label of each node of the forest.");
}

}  // namespace

void bind_hiero(nb::module_& m) {
  using Model = ModelHandle<HieroModel>;
  using Decoder = DecoderHandle<WeightedHieroModel>;
  bind_results(m);
  nb::class_<Model> model(m, "HieroModel", "Models of a hierarchical decoder.");
  model.def(
      "__init__",
      [](Model* self, const FeatureLayout& layout, nb::object table,
         const std::vector<nb::object>& language_models, std::int32_t glue_label,
         const TreeParts& trees, const nb::object& large) {
        ModelParts parts(table, language_models);
        const LargeFeatures* columns = large_of(large, parts);
        new (self)
            Model{std::move(parts.kept), HieroModel(layout, parts.table, parts.language_models,
                                                    glue_label, trees_of(trees), columns)};
      },
      "layout"_a, "table"_a, "language_models"_a, "glue_label"_a, "trees"_a = TreeParts{},
      "large"_a = nb::none());
  def_model(model);
  nb::class_<Decoder> decoder(m, "HieroDecoder", "A hierarchical decoder: models and weights.");
  def_decoder<HieroModel, ChartOptions>(decoder, find_chart_options);
  decoder.def(
      "search",
      [](const Decoder& self, const Shared<ChartOptions>& options,
         const std::vector<std::optional<Words>>& references, bool is_full, std::uint64_t pop_limit,
         double beam, std::uint64_t max_pops, double seconds, std::uint64_t boundary_words,
         std::uint64_t cell_size, bool with_forest, std::uint64_t first_number, int threads) {
        const ChartLimits limits{{is_full, pop_limit, beam, max_pops, seconds, boundary_words},
                                 cell_size};
        return search_all<ChartSearch, ChartResult>(self.model, options, references, limits,
                                                    first_number, threads,
                                                    [&](ChartSearch& search, ChartResult& result) {
                                                      result.forest = search.forest(!with_forest);
                                                    });
      },
      "options"_a, "references"_a, "is_full"_a, "pop_limit"_a, "beam"_a, "max_pops"_a, "seconds"_a,
      "boundary_words"_a, "cell_size"_a, "with_forest"_a, "first_number"_a, "threads"_a,
      "Searches for the best translations of many sentences; without a forest, that of the "
      "best one alone is made.");
}

}  // namespace rosewood::bind
