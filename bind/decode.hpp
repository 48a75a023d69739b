// bind/decode.hpp: what decoders take from Python, and give back.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "decode/batch_runner.hpp"
#include "decode/forest_writer.hpp"
#include "decode/options.hpp"
#include "decode/search_control.hpp"
#include "large_features.hpp"
#include "lm.hpp"
#include "rule_table.hpp"

namespace rosewood::bind {

using Words = std::vector<std::string_view>;  // in strings of Python, which outlive the call
using Given = std::tuple<std::int32_t, std::int32_t, int, Words>;  // begin, end, kind, target

inline std::vector<GivenOption> given_of(const std::vector<Given>& all) {
  std::vector<GivenOption> made;
  for (const auto& [begin, end, kind, target] : all)
    made.push_back({begin, end, static_cast<GivenKind>(kind), target});
  return made;
}

/// Of each tree: splits (leaf, column, threshold), values of leaves, and factors.
using TreeParts =
    std::vector<std::tuple<std::vector<std::tuple<std::int32_t, std::int32_t, double>>,
                           std::vector<double>, std::vector<std::int32_t>>>;

inline std::vector<EdgeTree> trees_of(const TreeParts& all) {
  std::vector<EdgeTree> made;
  for (const auto& [splits, values, factors] : all) {
    made.push_back({{}, values, factors});
    for (const auto& [leaf, column, threshold] : splits)
      made.back().splits.push_back({leaf, column, threshold});
  }
  return made;
}

/// Runs the handlers of pending signals: an exception from one of them ends the batch.
inline void check_signals() {
  nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <class T>
Array<T> copied(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

/// edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, best_edges.
inline auto taken(ForestArrays& forest) {
  return std::tuple(to_numpy(std::move(forest.edge_start)), to_numpy(std::move(forest.tail_start)),
                    to_numpy(std::move(forest.tail)), to_numpy(std::move(forest.dense)),
                    to_numpy(std::move(forest.yield_start)),
                    to_numpy(std::move(forest.yield_symbol)),
                    to_numpy(std::move(forest.edge_label)), to_numpy(std::move(forest.best_edges)));
}

/// A model, and what it reads from.
template <class M>
struct ModelHandle {
  std::vector<nb::object> kept;
  M model;
};

/// A table and language models of Python, and the objects that own them.
struct ModelParts {
  std::vector<nb::object> kept;
  const RuleTable& table;
  std::vector<const LanguageModel*> language_models;

  ModelParts(const nb::object& rules, const std::vector<nb::object>& models)
      : kept{rules}, table(nb::cast<const RuleTableHandle&>(rules).table) {
    for (const nb::object& each : models) {
      language_models.push_back(&nb::cast<const LanguageModelHandle&>(each).model);
      kept.push_back(each);
    }
  }
};

/// The large feature set, which is kept with the parts; null: none.
inline const LargeFeatures* large_of(const nb::object& large, ModelParts& parts) {
  if (large.is_none()) return nullptr;
  parts.kept.push_back(large);
  return &nb::cast<const LargeFeaturesHandle&>(large).features;
}

/// What the models of all decoders have besides a constructor.
template <class M>
void def_model(nb::class_<ModelHandle<M>>& bound) {
  bound.def(
      "words_without_option",
      [](const ModelHandle<M>& self, const Words& words) {
        return words_without_option(self.model.table(), words);
      },
      "words"_a, "Places of the words that no rule translates by themselves.");
}

/// A decoder: a model with weights, and what it reads from.
template <class Weighted>
struct DecoderHandle {
  nb::object kept;
  std::optional<In<double>> rule_weights;
  Weighted model;
};

/// Rules that differ in a sentence: their numbers, and a row of additions for each.
using Changed = std::tuple<In<std::int64_t>, In2<double>>;

/// Refuses numbers that do not ascend or that no rule has, and additions of another shape.
inline RuleChanges changes_of(const std::optional<Changed>& changed,
                              std::span<const std::size_t> columns, const RuleTable& table) {
  if (!changed) return {};
  const auto& [rules, added] = *changed;
  const auto numbers = span_of(rules);
  if (added.shape(0) != numbers.size() || added.shape(1) != columns.size())
    fail<DecodingError>({"argument.shape", "added"}, "additions are [", added.shape(0), ", ",
                        added.shape(1), "], expected [", numbers.size(), ", ", columns.size(), "]");
  for (std::size_t n = 0; n < numbers.size(); ++n)
    if (numbers[n] < 0 || static_cast<std::uint64_t>(numbers[n]) >= table.size() ||
        (n && numbers[n] <= numbers[n - 1]))
      fail<DecodingError>({"argument.range", "rules"}, "rule ", numbers[n],
                          " is not in the table, or does not ascend");
  for (const double each : span_of(added))
    if (!(each < std::numeric_limits<double>::infinity()))
      fail<DecodingError>({"argument.value", "added"}, "an addition is NaN or infinity");
  return {numbers, columns, span_of(added)};
}

template <class Options>
using Shared = std::vector<std::shared_ptr<Options>>;

/// The constructor of a decoder from model M and weights, and its options, which
/// find(model, words, max_span, given, unknown, beat, changes) finds.
template <class M, class Options, class Weighted, class Find>
void def_decoder(nb::class_<DecoderHandle<Weighted>>& bound, Find find) {
  using Handle = DecoderHandle<Weighted>;
  bound.def(
      "__init__",
      [](Handle* self, nb::object model, In<double> weights, std::uint64_t limit,
         std::optional<In<double>> rule_weights) {
        new (self) Handle{
            model, rule_weights,
            Weighted(nb::cast<const ModelHandle<M>&>(model).model,
                     std::vector<double>(weights.data(), weights.data() + weights.size()), limit,
                     rule_weights ? span_of(*rule_weights) : std::span<const double>())};
      },
      "model"_a, "weights"_a.noconvert(), "limit"_a, "rule_weights"_a.noconvert() = nb::none(),
      "`rule_weights` are those of rules by their numbers in the table, each finite.");
  bound.def(
      "options",
      [find](const Handle& self, const std::vector<Words>& sentences,
             const std::vector<std::vector<Given>>& given, std::size_t max_span, bool drops_unknown,
             std::uint64_t first_number, int threads,
             const std::vector<std::optional<Changed>>& changed,
             const std::vector<std::size_t>& columns) {
        Shared<Options> found(sentences.size());
        std::vector<RuleChanges> changes(sentences.size());
        for (const std::size_t column : columns)
          if (column >= self.model.rules().stateless())
            fail<DecodingError>({"argument.range", "columns"}, "no rule has a feature ", column);
        for (std::size_t n = 0; n < std::min(changed.size(), changes.size()); ++n)
          changes[n] = changes_of(changed[n], columns, self.model.rules().table());
        nb::gil_scoped_release release;
        run_batch(sentences.size(), first_number, threads, check_signals,
                  [&](std::size_t n, Interruption& interruption) {
                    found[n] = std::make_shared<Options>(
                        find(self.model, sentences[n], max_span, given_of(given[n]),
                             drops_unknown ? UnknownWords::drop : UnknownWords::copy,
                             std::ref(interruption), changes[n]));
                  });
        return found;
      },
      "sentences"_a, "given"_a, "max_span"_a, "drops_unknown"_a, "first_number"_a, "threads"_a,
      "changed"_a = std::vector<std::optional<Changed>>(), "columns"_a = std::vector<std::size_t>(),
      "The options of sentences of words; given ones are (begin, end, kind, target words). "
      "`changed` are rules of each sentence, and what is added to their features at `columns`; "
      "-infinity leaves a rule out.");
}

/// Searches many sentences; finish(search, result) takes what was found.
template <class Search, class Result, class Weighted, class Options, class Limits, class Finish>
Shared<Result> search_all(const Weighted& model, const Shared<Options>& options,
                          const std::vector<std::optional<Words>>& references, const Limits& limits,
                          std::uint64_t first_number, int threads, Finish&& finish) {
  Shared<Result> found(options.size());
  nb::gil_scoped_release release;
  run_batch(options.size(), first_number, threads, check_signals,
            [&](std::size_t n, Interruption& interruption) {
              std::vector<std::int32_t> numbers;
              Reference reference;
              if (references[n]) {
                numbers = number_target(model.model().table(), *options[n], *references[n]);
                reference = numbers;
              }
              Search search(model, *options[n], limits, std::ref(interruption), reference);
              search.run();
              auto result = std::make_shared<Result>();
              result->report = search.report();
              finish(search, *result);
              found[n] = std::move(result);
            });
  return found;
}

/// What the results of all searches have: `report`, and `take_forest`, of the arrays at `forest`.
template <class Result, class Forest>
void def_result(nb::class_<Result>& bound, Forest forest) {
  bound.def_prop_ro("report", [](const Result& self) {
    return std::tuple(self.report.pops, self.report.is_narrowed, self.report.is_timed_out,
                      self.report.is_reachable);
  });
  bound.def(
      "take_forest", [forest](Result& self) { return taken(forest(self)); },
      "edge_start, tail_start, tail, dense, yield_start, yield_symbol, edge_label, "
      "best_edges; once.");
}

void bind_hiero(nb::module_& m);

}  // namespace rosewood::bind
