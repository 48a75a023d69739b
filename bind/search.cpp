// bind/search.cpp: single derivations.
#include "forest/search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <mutex>
#include <optional>

#include "bind.hpp"
#include "forest/features.hpp"
#include "forest/kbest.hpp"
#include "forest/validate.hpp"

namespace rosewood::bind {

namespace {

using Rows3 = std::tuple<Array<Offset>, Array<std::int64_t>, Array<double>>;

Rows3 give(Derivations&& d) {
  return {to_numpy(std::move(d.start)), to_numpy(std::move(d.edge)), to_numpy(std::move(d.score))};
}

/// A search that goes on, and the arrays it looks at.
struct KBestHandle {
  nb::object forest;  // holds the structure
  In<double> weight;
  std::optional<std::pair<In<Offset>, In<SymbolId>>> distinct;
  std::optional<YieldView> yield;
  std::optional<KBest> search;
  std::mutex mutex;

  std::optional<std::pair<Array<std::int64_t>, double>> next() {
    std::vector<std::int64_t> edges;
    double score = 0.0;
    bool more = false;
    {
      nb::gil_scoped_release release;
      const std::lock_guard<std::mutex> one_at_a_time(mutex);
      more = search->next(edges, score);
    }
    if (!more) return std::nullopt;
    return std::pair{to_numpy(std::move(edges)), score};
  }
};

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<KBestHandle>(m, "KBest", "Derivations best first, one at a time.")
      .def("next", &KBestHandle::next, "Edges in pre-order and log score; None at the end.");
  m.def(
      "start_k_best",
      [](nb::object forest, In<double> weight,
         std::optional<std::pair<In<Offset>, In<SymbolId>>> distinct) {
        const auto& f = nb::cast<const ForestHandle&>(forest);
        check_size("weight", weight.size(), f.edges());
        auto handle = std::make_unique<KBestHandle>();
        handle->forest = forest;
        handle->weight = weight;
        handle->distinct = distinct;
        if (distinct)
          handle->yield = YieldView{span_of(distinct->first), span_of(distinct->second)};
        handle->search.emplace(f.view, span_of(handle->weight),
                               handle->yield ? &*handle->yield : nullptr);
        return handle;
      },
      "forest"_a, "weight"_a.noconvert(), "distinct"_a = nb::none(),
      "With a validated yield, of distinct strings. The weights must not change meanwhile.");
  m.def(
      "follow",
      [](const ForestHandle& f, In<std::int64_t> back) {
        check_size("back", back.size(), f.nodes());
        return to_numpy(follow(f.view, span_of(back)));
      },
      "forest"_a, "back"_a.noconvert(), "Edges of the derivation that back-pointers describe.");
  m.def(
      "k_best",
      [](const ForestHandle& f, In<double> weight, std::int64_t k,
         std::optional<std::pair<In<Offset>, In<SymbolId>>> distinct) {
        check_size("weight", weight.size(), f.edges());
        Derivations found;
        {
          nb::gil_scoped_release release;
          if (distinct) {
            const YieldView yield{span_of(distinct->first), span_of(distinct->second)};
            found = k_best(f.view, span_of(weight), k, &yield);
          } else {
            found = k_best(f.view, span_of(weight), k, nullptr);
          }
        }
        return give(std::move(found));
      },
      "forest"_a, "weight"_a.noconvert(), "k"_a, "distinct"_a = nb::none(),
      "Rows of edges and their scores; with a validated yield, of distinct strings.");
  m.def(
      "sample",
      [](const ForestHandle& f, In<double> weight, In<double> q, std::int64_t draws,
         std::uint64_t seed, int threads) {
        check_size("weight", weight.size(), f.edges());
        check_size("q", q.size(), f.edges());
        Derivations drawn;
        {
          nb::gil_scoped_release release;
          drawn = sample(f.view, span_of(weight), span_of(q), draws, seed, threads);
        }
        return give(std::move(drawn));
      },
      "forest"_a, "weight"_a.noconvert(), "q"_a.noconvert(), "draws"_a, "seed"_a, "threads"_a = 1);
  m.def(
      "derivation_yields",
      [](const ForestHandle& f, In<Offset> yield_start, In<SymbolId> yield_symbol, In<Offset> start,
         In<std::int64_t> edge) {
        check_offsets("start", span_of(start), static_cast<std::int64_t>(start.size()) - 1,
                      static_cast<std::int64_t>(edge.size()));
        std::vector<Offset> word_start;
        std::vector<SymbolId> word;
        {
          nb::gil_scoped_release release;
          derivation_yields(f.view, YieldView{span_of(yield_start), span_of(yield_symbol)},
                            Rows<std::int64_t>{span_of(start), span_of(edge)}, word_start, word);
        }
        return std::pair{to_numpy(std::move(word_start)), to_numpy(std::move(word))};
      },
      "forest"_a, "yield_start"_a.noconvert(), "yield_symbol"_a.noconvert(), "start"_a.noconvert(),
      "edge"_a.noconvert(), "Rows of words, one a row of edges.");
  m.def(
      "feature_sums",
      [](const FeatureHandle& features, In<Offset> start, In<std::int64_t> edge) {
        check_offsets("start", span_of(start), static_cast<std::int64_t>(start.size()) - 1,
                      static_cast<std::int64_t>(edge.size()));
        const auto rows = static_cast<std::int64_t>(features.start.size()) - 1;
        for (const auto e : span_of(edge))
          if (e < 0 || e >= rows)
            fail<ForestError>({"argument.range", "edge", e}, "edge ", e,
                              " is out of range: there are ", rows);
        FeatureSums found;
        {
          nb::gil_scoped_release release;
          found = feature_sums(features.view, {span_of(start), span_of(edge)});
        }
        return std::tuple{to_numpy(std::move(found.dense)), to_numpy(std::move(found.start)),
                          to_numpy(std::move(found.id)), to_numpy(std::move(found.value))};
      },
      "features"_a, "start"_a.noconvert(), "edge"_a.noconvert(),
      "The features of rows of edges, each a sum: dense ones, and rows of sparse ones.");
}

}  // namespace rosewood::bind
