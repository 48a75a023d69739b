// bind/hiero.cpp: the hierarchical decoder: rules of sentences, and searches.
#include <functional>
#include <memory>
#include <optional>

#include "decode.hpp"
#include "decode/batch_runner.hpp"
#include "decode/chart_options.hpp"
#include "decode/chart_search.hpp"
#include "decode/hiero_model.hpp"
#include "decode/search_report.hpp"
#include "lm.hpp"
#include "rule_table.hpp"

namespace rosewood::bind {

namespace {

/// A model, and what it reads from.
struct HieroModelHandle {
  std::vector<nb::object> kept;
  HieroModel model;
};

struct HieroDecoderHandle {
  nb::object kept;
  WeightedHieroModel model;
};

struct ChartResult {
  SearchReport report;
  ChartForest forest;
};

using OptionsPointer = std::shared_ptr<ChartOptions>;

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
  nb::class_<ChartResult>(m, "ChartResult", "What a hierarchical search has found.")
      .def_prop_ro("report",
                   [](const ChartResult& self) {
                     return std::tuple(self.report.pops, self.report.is_narrowed,
                                       self.report.is_timed_out, self.report.is_reachable);
                   })
      .def_prop_ro("score", [](const ChartResult& self) { return self.forest.score; })
      .def_prop_ro(
          "nodes",
          [](const ChartResult& self) {
            return std::tuple(copied(self.forest.begin), copied(self.forest.end),
                              copied(self.forest.label));
          },
          nb::rv_policy::automatic, "Begin, end and label of each node of the forest.")
      .def(
          "take_forest", [](ChartResult& self) { return taken(self.forest.arrays); },
          "edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, "
          "best_edges; once.");
}

}  // namespace

void bind_hiero(nb::module_& m) {
  bind_results(m);
  nb::class_<HieroModelHandle>(m, "HieroModel", "Models of a hierarchical decoder.")
      .def(
          "__init__",
          [](HieroModelHandle* self, const FeatureLayout& layout, nb::object table,
             std::vector<nb::object> language_models, std::int32_t glue_label) {
            std::vector<nb::object> kept{table};
            std::vector<const LanguageModel*> lms;
            for (nb::object& each : language_models) {
              lms.push_back(&nb::cast<const LanguageModelHandle&>(each).model);
              kept.push_back(each);
            }
            new (self) HieroModelHandle{
                std::move(kept),
                HieroModel(layout, nb::cast<const RuleTableHandle&>(table).table, lms, glue_label)};
          },
          "layout"_a, "table"_a, "language_models"_a, "glue_label"_a)
      .def(
          "words_without_option",
          [](const HieroModelHandle& self, const Words& words) {
            return words_without_option(self.model.table(), words);
          },
          "words"_a, "Places of the words that no rule translates by themselves.");
  nb::class_<HieroDecoderHandle>(m, "HieroDecoder", "A hierarchical decoder: models and weights.")
      .def(
          "__init__",
          [](HieroDecoderHandle* self, nb::object model, In<double> weights, std::uint64_t limit) {
            new (self) HieroDecoderHandle{
                model,
                WeightedHieroModel(
                    nb::cast<const HieroModelHandle&>(model).model,
                    std::vector<double>(weights.data(), weights.data() + weights.size()), limit)};
          },
          "model"_a, "weights"_a.noconvert(), "limit"_a)
      .def(
          "options",
          [](const HieroDecoderHandle& self, const std::vector<Words>& sentences,
             const std::vector<std::vector<Given>>& given, std::size_t max_span, bool drops_unknown,
             std::uint64_t first_number, int threads) {
            std::vector<OptionsPointer> found(sentences.size());
            nb::gil_scoped_release release;
            run_batch(sentences.size(), first_number, threads, check_signals,
                      [&](std::size_t n, Interruption&) {
                        found[n] = std::make_shared<ChartOptions>(find_chart_options(
                            self.model, sentences[n], max_span, given_of(given[n]),
                            drops_unknown ? UnknownWords::drop : UnknownWords::copy));
                      });
            return found;
          },
          "sentences"_a, "given"_a, "max_span"_a, "drops_unknown"_a, "first_number"_a, "threads"_a,
          "The rules of sentences of words; given ones are (begin, end, kind, target words).")
      .def(
          "search",
          [](const HieroDecoderHandle& self, const std::vector<OptionsPointer>& options,
             const std::vector<std::optional<Words>>& references, bool is_full,
             std::uint64_t pop_limit, std::uint64_t cell_size, double beam, std::uint64_t max_pops,
             double seconds, bool with_forest, std::uint64_t first_number, int threads) {
            std::vector<std::shared_ptr<ChartResult>> found(options.size());
            nb::gil_scoped_release release;
            const ChartLimits limits{is_full, pop_limit, cell_size, beam, max_pops, seconds};
            run_batch(options.size(), first_number, threads, check_signals,
                      [&](std::size_t n, Interruption& interruption) {
                        std::vector<std::int32_t> reference;
                        std::optional<std::span<const std::int32_t>> wanted;
                        if (references[n]) {
                          reference = number_target(self.model.model().table(), *options[n],
                                                    *references[n]);
                          wanted = reference;
                        }
                        ChartSearch search(self.model, *options[n], limits, std::ref(interruption),
                                           wanted);
                        search.run();
                        auto result = std::make_shared<ChartResult>();
                        result->report = search.report();
                        result->forest = search.forest(!with_forest);
                        found[n] = std::move(result);
                      });
            return found;
          },
          "options"_a, "references"_a, "is_full"_a, "pop_limit"_a, "cell_size"_a, "beam"_a,
          "max_pops"_a, "seconds"_a, "with_forest"_a, "first_number"_a, "threads"_a,
          "Searches for the best translations of many sentences; without a forest, that of the "
          "best one alone is made.");
}

}  // namespace rosewood::bind
