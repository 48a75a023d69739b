// bind/forest.cpp: views, validation, inside and outside, expectations, feature products.
#include "bind.hpp"
#include "forest/expectation.hpp"
#include "forest/kernels.hpp"
#include "forest/occurrence.hpp"
#include "forest/validate.hpp"

namespace rosewood::bind {

namespace {

ForestHandle make_forest(In<Offset> edge_start, In<NodeId> head, In<Offset> tail_start,
                         In<NodeId> tail) {
  const ForestView view{span_of(edge_start), span_of(head), span_of(tail_start), span_of(tail)};
  check_structure(view);
  return {edge_start, head, tail_start, tail, view};
}

FeatureHandle make_features(In2<double> dense, In<Offset> start, In<FeatureId> id, In<double> value,
                            std::int64_t sparse_features) {
  check_size("feat_value", value.size(), id.size());
  if (sparse_features < 0)
    fail<ForestError>({"argument.range", "sparse_features"},
                      "the number of sparse features is negative");
  check_offsets("feat_start", span_of(start), static_cast<std::int64_t>(dense.shape(0)),
                static_cast<std::int64_t>(id.size()));
  const FeatureView view{span_of(dense), static_cast<std::int64_t>(dense.shape(1)),
                         SparseView{span_of(start), span_of(id), span_of(value)}};
  check_features(view, sparse_features);
  return {dense, start, id, value, sparse_features, view};
}

std::size_t theta_size(const FeatureHandle& h) {
  return static_cast<std::size_t>(h.view.width + h.sparse_features);
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<ForestHandle>(m, "ForestView", "A validated forest, as kernels see it.");
  nb::class_<FeatureHandle>(m, "FeatureView", "Validated features of the edges of a forest.");
  m.def("make_forest", &make_forest, "edge_start"_a.noconvert(), "head"_a.noconvert(),
        "tail_start"_a.noconvert(), "tail"_a.noconvert(),
        "Check bounds, grouping and bottom-up order; the view keeps the arrays alive.");
  m.def("make_features", &make_features, "dense"_a.noconvert(), "start"_a.noconvert(),
        "id"_a.noconvert(), "value"_a.noconvert(), "sparse_features"_a,
        "Check offsets, ids and values; the view keeps the arrays alive.");
  m.def(
      "check_reachable", [](const ForestHandle& f) { check_reachable(f.view); }, "forest"_a,
      Release(), "Refuse nodes that stand in no derivation of the root.");
  m.def(
      "check_yield",
      [](const ForestHandle& f, In<Offset> start, In<SymbolId> symbol, std::int64_t words) {
        check_yield(f.view, YieldView{span_of(start), span_of(symbol)}, words);
      },
      "forest"_a, "start"_a.noconvert(), "symbol"_a.noconvert(), "words"_a, Release(),
      "Refuse yields that name no word or no tail, or not every tail once.");
  m.def(
      "inside_log",
      [](const ForestHandle& f, In<double> weight, Out<double> value) {
        check_size("weight", weight.size(), f.edges());
        check_size("value", value.size(), f.nodes());
        inside_log(f.view, span_of(weight), span_of(value));
      },
      "forest"_a, "weight"_a.noconvert(), "value"_a.noconvert(), Release());
  // Kernels of one shape: weights of edges in, inside and outside values of nodes out.
  const auto bind_both = [&m](const char* name, auto kernel) {
    m.def(
        name,
        [kernel](const ForestHandle& f, In<double> weight, Out<double> inside,
                 Out<double> outside) {
          check_size("weight", weight.size(), f.edges());
          check_size("inside", inside.size(), f.nodes());
          check_size("outside", outside.size(), f.nodes());
          kernel(f.view, span_of(weight), span_of(inside), span_of(outside));
        },
        "forest"_a, "weight"_a.noconvert(), "inside"_a.noconvert(), "outside"_a.noconvert(),
        Release());
  };
  bind_both("inside_outside_log", &inside_outside_log);
  bind_both("inside_outside_real", &inside_outside_real);
  bind_both("inside_outside_tropical", &inside_outside_tropical);
  m.def(
      "viterbi",
      [](const ForestHandle& f, In<double> weight, Out<double> best, Out<std::int64_t> edge) {
        check_size("weight", weight.size(), f.edges());
        check_size("best", best.size(), f.nodes());
        check_size("edge", edge.size(), f.nodes());
        viterbi(f.view, span_of(weight), span_of(best), span_of(edge));
      },
      "forest"_a, "weight"_a.noconvert(), "best"_a.noconvert(), "edge"_a.noconvert(), Release());
  m.def(
      "max_marginals",
      [](const ForestHandle& f, In<double> weight, Out<double> marginal) {
        check_size("weight", weight.size(), f.edges());
        check_size("marginal", marginal.size(), f.edges());
        max_marginals(f.view, span_of(weight), span_of(marginal));
      },
      "forest"_a, "weight"_a.noconvert(), "marginal"_a.noconvert(), Release());
  m.def(
      "keep_best",
      [](const ForestHandle& f, In<double> weight, In<std::int64_t> best, double least,
         std::int64_t most, Out<std::uint8_t> keep) {
        check_size("weight", weight.size(), f.edges());
        check_size("keep", keep.size(), f.edges());
        for (const std::int64_t e : span_of(best))
          if (e < 0 || e >= f.view.num_edges())
            fail<ForestError>({"argument.range", "best", e}, "edge ", e, " is out of range");
        if (most < 1) fail<ForestError>({"argument.range", "most", most}, "most is ", most);
        keep_best(f.view, span_of(weight), span_of(best), least, most, span_of(keep));
      },
      "forest"_a, "weight"_a.noconvert(), "best"_a.noconvert(), "least"_a, "most"_a,
      "keep"_a.noconvert(), Release(),
      "1 for the edges of good derivations, by max marginals, and for those of the best one.");
  m.def(
      "inside_outside_signed",
      [](const ForestHandle& f, int numbers, In<double> weight, Out<double> inside,
         Out<double> outside) {
        const auto item = static_cast<std::size_t>(numbers) * 2;
        check_size("weight", weight.size(), f.edges() * item);
        check_size("inside", inside.size(), f.nodes() * item);
        check_size("outside", outside.size(), f.nodes() * item);
        inside_outside_signed(f.view, numbers, span_of(weight), span_of(inside), span_of(outside));
      },
      "forest"_a, "numbers"_a, "weight"_a.noconvert(), "inside"_a.noconvert(),
      "outside"_a.noconvert(), Release());
  m.def(
      "count_derivations",
      [](const ForestHandle& f, In<std::uint8_t> keep, Out<std::uint64_t> count) {
        check_size("keep", keep.size(), f.edges());
        check_size("count", count.size(), f.nodes());
        count_derivations(f.view, span_of(keep), span_of(count));
      },
      "forest"_a, "keep"_a.noconvert(), "count"_a.noconvert(), Release(),
      "Derivations of each node; 2^64-1 means at least that many.");
  m.def(
      "edge_conditionals",
      [](const ForestHandle& f, In<double> weight, Out<double> q) {
        check_size("weight", weight.size(), f.edges());
        check_size("q", q.size(), f.edges());
        return edge_conditionals(f.view, span_of(weight), span_of(q));
      },
      "forest"_a, "weight"_a.noconvert(), "q"_a.noconvert(), Release(), "Returns log Z.");
  m.def(
      "edge_counts",
      [](const ForestHandle& f, In<double> q, Out<double> count) {
        check_size("q", q.size(), f.edges());
        check_size("count", count.size(), f.edges());
        edge_counts(f.view, span_of(q), span_of(count));
      },
      "forest"_a, "q"_a.noconvert(), "count"_a.noconvert(), Release());
  const auto bind_local = [&m](const char* name, auto kernel) {
    m.def(
        name,
        [kernel](const ForestHandle& f, In<double> q, In<double> r, Out<double> out) {
          check_size("q", q.size(), f.edges());
          check_size("r", r.size(), f.edges());
          check_size("out", out.size(), f.edges());
          return kernel(f.view, span_of(q), span_of(r), span_of(out));
        },
        "forest"_a, "q"_a.noconvert(), "r"_a.noconvert(), "out"_a.noconvert(), Release(),
        "Returns the expected sum of r.");
  };
  bind_local("centre_local", &centre_local);
  bind_local("edge_covariances", &edge_covariances);
  m.def(
      "occurrence_probabilities",
      [](const ForestHandle& f, In<double> q, In<Offset> mark_start, In<std::int64_t> mark,
         Out<double> probability, std::optional<In2<std::int32_t>> span) {
        check_size("q", q.size(), f.edges());
        check_offsets("mark_start", span_of(mark_start), f.view.num_edges(),
                      static_cast<std::int64_t>(mark.size()));
        std::span<const std::int32_t> spans;
        if (span) {
          check_size("span", span->size(), 2 * static_cast<std::size_t>(f.view.num_nodes()));
          spans = span_of(*span);
        }
        occurrence_probabilities(f.view, span_of(q), {span_of(mark_start), span_of(mark)}, spans,
                                 span_of(probability));
      },
      "forest"_a, "q"_a.noconvert(), "mark_start"_a.noconvert(), "mark"_a.noconvert(),
      "probability"_a.noconvert(), "span"_a.noconvert().none() = nb::none(), Release());
  m.def(
      "edge_scores",
      [](const FeatureHandle& h, In<double> theta, Out<double> score, int threads) {
        check_size("theta", theta.size(), theta_size(h));
        check_size("score", score.size(), h.start.size() - 1);
        edge_scores(h.view, span_of(theta), span_of(score), threads);
      },
      "features"_a, "theta"_a.noconvert(), "score"_a.noconvert(), "threads"_a = 1, Release());
  m.def(
      "add_features",
      [](const FeatureHandle& h, In<double> coefficient, Out<double> total, int threads) {
        check_size("coefficient", coefficient.size(), h.start.size() - 1);
        check_size("total", total.size(), theta_size(h));
        add_features(h.view, span_of(coefficient), span_of(total), threads);
      },
      "features"_a, "coefficient"_a.noconvert(), "total"_a.noconvert(), "threads"_a = 1, Release());
  m.def(
      "dot",
      [](In<double> a, In<double> b) {
        check_size("b", b.size(), a.size());
        return dot(span_of(a), span_of(b));
      },
      "a"_a.noconvert(), "b"_a.noconvert(), Release(),
      "The sum of a[i] b[i] over the i where a[i] is not zero, always in the same order.");
}

}  // namespace rosewood::bind
