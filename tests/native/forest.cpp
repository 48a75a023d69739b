// tests/native/forest.cpp: inside and outside values in several semirings, compared with lists of
// all derivations; expectation semirings; log weights and the fast passes over them.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "forest/inside.hpp"
#include "forest/log_weights.hpp"
#include "forest/occurrence_spans.hpp"
#include "forest/scaled_passes.hpp"
#include "forest/view.hpp"
#include "semiring/expectation.hpp"
#include "semiring/standard.hpp"
#include "util/error.hpp"

namespace forest_tests {

using namespace rosewood;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A forest that owns its arrays, built node by node, bottom-up.
struct Forest {
  std::vector<Offset> edge_start{0}, tail_start{0};
  std::vector<NodeId> head, tail;

  void add_edge(const std::vector<NodeId>& tails) {
    head.push_back(static_cast<NodeId>(edge_start.size()) - 1);
    tail.insert(tail.end(), tails.begin(), tails.end());
    tail_start.push_back(static_cast<Offset>(tail.size()));
  }
  void end_node() { edge_start.push_back(static_cast<Offset>(head.size())); }
  ForestView view() const { return {edge_start, head, tail_start, tail}; }
  std::size_t nodes() const { return edge_start.size() - 1; }
};

/// Nodes without edges, edges without tails, and nodes that fill several slots of an edge occur.
Forest random_forest(check::Chance& chance) {
  Forest forest;
  const auto nodes = static_cast<NodeId>(1 + chance.below(6));
  for (NodeId v = 0; v < nodes; ++v) {
    for (std::uint64_t edges = chance.below(4); edges > 0; --edges) {
      std::vector<NodeId> tails(v ? chance.below(4) : 0);
      for (NodeId& tail : tails)
        tail = static_cast<NodeId>(chance.below(static_cast<std::uint64_t>(v)));
      forest.add_edge(tails);
    }
    forest.end_node();
  }
  return forest;
}

/// Each derivation of each node as the number of times that it uses each edge; empty if there are
/// too many.
using Uses = std::vector<int>;
std::vector<std::vector<Uses>> derivations(const ForestView& f) {
  std::vector<std::vector<Uses>> found(static_cast<std::size_t>(f.num_nodes()));
  for (std::size_t v = 0; v < found.size(); ++v)
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      Uses one(static_cast<std::size_t>(f.num_edges()));
      one[static_cast<std::size_t>(e)] = 1;
      std::vector<Uses> made{one};
      for (const NodeId tail : f.tails(e)) {
        std::vector<Uses> longer;
        for (const Uses& begun : made)
          for (const Uses& more : found[static_cast<std::size_t>(tail)]) {
            longer.push_back(begun);
            for (std::size_t n = 0; n < more.size(); ++n) longer.back()[n] += more[n];
          }
        made = longer;
      }
      found[v].insert(found[v].end(), made.begin(), made.end());
      if (found[v].size() > 500) return {};
    }
  return found;
}

double product(const Uses& uses, const std::vector<double>& weight) {
  double p = 1;
  for (std::size_t e = 0; e < uses.size(); ++e) p *= std::pow(weight[e], uses[e]);
  return p;
}

double value_of(const Scaled& a) { return a.mantissa * std::pow(2.0, a.exponent); }

}  // namespace

TEST(inside_values_are_sums_over_derivations) {
  check::Chance chance(1);
  for (int round = 0; round < 300; ++round) {
    const Forest forest = random_forest(chance);
    const ForestView f = forest.view();
    const auto all = derivations(f);
    if (all.empty()) continue;
    std::vector<double> weight(forest.head.size()), logs;
    for (double& w : weight) w = chance.below(8) ? 0.1 + chance.unit() : 0.0;
    for (const double w : weight) logs.push_back(std::log(w));
    std::vector<double> sums(forest.nodes()), best(forest.nodes());
    std::vector<std::uint64_t> counts(forest.nodes());
    inside<Real>(f, [&](Offset e) { return weight[static_cast<std::size_t>(e)]; }, sums);
    inside<Tropical>(f, [&](Offset e) { return logs[static_cast<std::size_t>(e)]; }, best);
    inside<SaturatingCount>(f, [](Offset) { return std::uint64_t{1}; }, counts);
    for (std::size_t v = 0; v < forest.nodes(); ++v) {
      double sum = 0, most = -infinity;
      for (const Uses& uses : all[v]) {
        sum += product(uses, weight);
        most = std::max(most, std::log(product(uses, weight)));
      }
      CHECK_NEAR(sums[v], sum, 1e-12);
      CHECK_NEAR(best[v], most, 1e-12);
      CHECK_EQUAL(counts[v], all[v].size());
    }
  }
}

TEST(outside_values_are_derivatives) {
  // The derivative of the root with respect to v: v has the value (p, 1), edges (weight, 0).
  using K = Expectation<Real>;
  check::Chance chance(2);
  for (int round = 0; round < 200; ++round) {
    const Forest forest = random_forest(chance);
    const ForestView f = forest.view();
    std::vector<double> weight(forest.head.size());
    for (double& w : weight) w = chance.below(8) ? 2 * chance.unit() - 1 : 0.0;  // signs, too
    const auto weight_of = [&](Offset e) { return weight[static_cast<std::size_t>(e)]; };
    std::vector<double> value(forest.nodes()), out(forest.nodes());
    inside<Real>(f, weight_of, value);
    outside<Real>(f, weight_of, value, out);
    for (std::size_t v = 0; v < forest.nodes(); ++v) {
      std::vector<K::Value> dual(forest.nodes());
      for (std::size_t u = 0; u < forest.nodes(); ++u) {
        K::Value sum = K::zero();
        for (Offset e = f.edge_start[u]; e < f.edge_start[u + 1]; ++e) {
          K::Value term{weight_of(e), 0};
          for (const NodeId t : f.tails(e))
            term = K::times(term, dual[static_cast<std::size_t>(t)]);
          sum = K::plus(sum, term);
        }
        dual[u] = u == v ? K::Value{sum.p, 1} : sum;
      }
      CHECK_NEAR(out[v], dual.back().r, 1e-12);
    }
  }
}

TEST(a_node_that_fills_both_slots_counts_twice) {
  Forest forest;  // r <- a a, with a = 2 and weight 3: 12 in a² has the derivative 12
  forest.add_edge({});
  forest.end_node();
  forest.add_edge({0, 0});
  forest.end_node();
  const double weight[] = {2, 3};
  double value[2], out[2];
  const auto weight_of = [&](Offset e) { return weight[e]; };
  inside<Real>(forest.view(), weight_of, value);
  outside<Real>(forest.view(), weight_of, value, out);
  CHECK_EQUAL(value[1], 12.0);
  CHECK_EQUAL(out[0], 12.0);
  CHECK_EQUAL(out[1], 1.0);
}

TEST(expectations_obey_the_laws_of_semirings) {
  check::Chance chance(3);
  const auto laws = [&]<class K>(K, auto any, auto same) {
    for (int round = 0; round < 300; ++round) {
      const auto a = any(), b = any(), c = any();
      CHECK(same(K::plus(a, b), K::plus(b, a)));
      CHECK(same(K::times(a, b), K::times(b, a)));
      CHECK(same(K::plus(K::plus(a, b), c), K::plus(a, K::plus(b, c))));
      CHECK(same(K::times(K::times(a, b), c), K::times(a, K::times(b, c))));
      CHECK(same(K::times(a, K::plus(b, c)), K::plus(K::times(a, b), K::times(a, c))));
      CHECK(same(K::plus(a, K::zero()), a));
      CHECK(same(K::times(a, K::one()), a));
      CHECK(K::is_zero(K::times(a, K::zero())) && K::is_zero(K::zero()));
      CHECK(!K::is_zero(K::one()) && same(K::normalise(a), a));
    }
  };
  const auto whole = [&] { return static_cast<double>(chance.below(9)) - 4; };  // sums are exact
  using First = Expectation<Real>;
  laws(
      First(), [&] { return First::Value{whole(), whole()}; },
      [](const auto& x, const auto& y) { return x.p == y.p && x.r == y.r; });
  using Second = SecondOrder<Real>;
  laws(
      Second(), [&] { return Second::Value{whole(), whole(), whole(), whole()}; },
      [](const auto& x, const auto& y) {
        return x.p == y.p && x.r == y.r && x.s == y.s && x.t == y.t;
      });
  CHECK(!First::is_zero({0, 1}) && !Second::is_zero({0, 0, 0, 1}));
}

TEST(expectations_over_derivations) {
  using K = SecondOrder<Real>;
  check::Chance chance(4);
  for (int round = 0; round < 100; ++round) {
    const Forest forest = random_forest(chance);
    const auto all = derivations(forest.view());
    if (all.empty()) continue;
    std::vector<double> weight(forest.head.size()), one(weight.size()), other(weight.size());
    for (auto* numbers : {&weight, &one, &other})
      for (double& each : *numbers) each = 0.1 + chance.unit();
    std::vector<K::Value> value(forest.nodes());
    inside<K>(
        forest.view(),
        [&](Offset at) {
          const auto e = static_cast<std::size_t>(at);
          const double p = weight[e];
          return K::Value{p, p * one[e], p * other[e], p * one[e] * other[e]};
        },
        value);
    double p = 0, r = 0, s = 0, t = 0;
    for (const Uses& uses : all.back()) {
      double first = 0, second = 0;
      for (std::size_t e = 0; e < uses.size(); ++e) {
        first += uses[e] * one[e];
        second += uses[e] * other[e];
      }
      const double each = product(uses, weight);
      p += each, r += each * first, s += each * second, t += each * first * second;
    }
    CHECK_NEAR(value.back().p, p, 1e-12);
    CHECK_NEAR(value.back().r, r, 1e-12);
    CHECK_NEAR(value.back().s, s, 1e-12);
    CHECK_NEAR(value.back().t, t, 1e-12);
  }
}

TEST(log_weights_in_either_direction) {
  check::Chance chance(5);
  for (const std::size_t size : {1, 255, 256, 257, 1000}) {
    std::vector<double> logs(size);
    for (double& log : logs) log = chance.below(20) ? 100 * chance.unit() - 50 : -infinity;
    LogWeights weight(logs);
    const auto check = [&](std::size_t e) {
      CHECK_NEAR(value_of(weight(static_cast<std::int64_t>(e))), std::exp(logs[e]), 1e-14);
    };
    for (std::size_t e = 0; e < size; ++e) check(e);
    for (std::size_t e = size; e-- > 0;) check(e);
    for (int round = 0; round < 20; ++round) check(chance.below(size));
  }
  check_log_weights({});
  check_log_weights(std::vector{0.0, -infinity, 1e308, -1e308});
  for (const double bad : {infinity, std::nan("")}) {
    const std::vector<double> logs{0.0, bad};
    CHECK_REFUSED(ForestError, "forest.weight", check_log_weights(logs));
    CHECK_REFUSED(ForestError, "forest.weight", LogWeights(logs)(0));
  }
}

TEST(fast_passes_give_what_plain_ones_do) {
  using K = ScaledReal;
  check::Chance chance(6);
  const double spreads[] = {1, 100, 2000, 1e5, 1e15};
  for (int round = 0; round < 500; ++round) {
    const Forest forest = random_forest(chance);
    const ForestView f = forest.view();
    std::vector<double> logs(forest.head.size()), share(logs.size());
    for (double& log : logs)
      log = chance.below(6) ? (chance.unit() - 0.5) * spreads[chance.below(5)] : -infinity;
    std::vector<Scaled> value(forest.nodes()), again(value), plain(value), out(value), above(value);
    scaled_inside(f, logs, value);
    scaled_inside(f, logs, again, share);
    scaled_outside(f, logs, value, out);
    const auto weight_of = [&](Offset e) { return scaled_exp(logs[static_cast<std::size_t>(e)]); };
    inside<K>(f, weight_of, plain);
    outside<K>(f, weight_of, plain, above);
    for (std::size_t v = 0; v < forest.nodes(); ++v) {
      CHECK_NEAR(log_magnitude(value[v]), log_magnitude(plain[v]), 1e-12);
      CHECK_NEAR(log_magnitude(out[v]), log_magnitude(above[v]), 1e-12);
      CHECK(value[v].mantissa == again[v].mantissa && value[v].exponent == again[v].exponent);
      CHECK(K::is_zero(value[v]) || (value[v].mantissa >= 0.5 && value[v].mantissa < 1));
      double sum = 0;
      for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
        const double part = share[static_cast<std::size_t>(e)];
        CHECK(part >= 0 && part <= 1);
        sum += part;
      }
      CHECK_NEAR(sum, K::is_zero(value[v]) ? 0.0 : 1.0, 1e-12);
    }
  }
}

TEST(fast_passes_over_many_edges_and_many_tails) {
  Forest forest;  // 2000 edges into the first node; then 300 slots of it; then nothing at all
  for (int e = 0; e < 2000; ++e) forest.add_edge({});
  forest.end_node();
  forest.add_edge(std::vector<NodeId>(300, 0));
  forest.end_node();
  const std::vector<double> logs(2001, 1.0);
  std::vector<Scaled> value(2), out(2);
  scaled_inside(forest.view(), logs, value);
  scaled_outside(forest.view(), logs, value, out);
  const double node = std::log(2000.0) + 1;
  CHECK_NEAR(log_magnitude(value[0]), node, 1e-13);
  CHECK_NEAR(log_magnitude(value[1]), 300 * node + 1, 1e-13);
  CHECK_NEAR(log_magnitude(out[0]), std::log(300.0) + 299 * node + 1, 1e-13);
  auto bad = logs;
  bad[1999] = std::nan("");
  CHECK_REFUSED(ForestError, "forest.weight", scaled_inside(forest.view(), bad, value));
  Forest empty;
  empty.end_node();
  std::vector<Scaled> one(1), top(1);
  scaled_inside(empty.view(), {}, one);
  scaled_outside(empty.view(), {}, one, top);
  CHECK(ScaledReal::is_zero(one[0]) && value_of(top[0]) == 1.0);
}

TEST(occurrence_within_spans) {
  // Two words: the first in two ways (edges 0 and 1), the second in one, both joined, the root.
  Forest forest;
  forest.edge_start = {0, 2, 3, 4, 5};
  forest.head = {0, 0, 1, 2, 3};
  forest.tail_start = {0, 0, 0, 0, 2, 3};
  forest.tail = {0, 1, 2};
  const ForestView f = forest.view();
  const std::vector<std::int32_t> span = {0, 1, 1, 2, 0, 2, 0, 2};
  const std::vector<double> q = {0.25, 0.75, 1.0, 1.0, 1.0};
  CHECK(SpanSweep::is_nested(f, span));
  CHECK(!SpanSweep::is_nested(f, std::vector<std::int32_t>{0, 2, 1, 2, 0, 2, 0, 2}));
  SpanSweep sweep(f, q, q, span);
  const std::vector<std::int64_t> first = {0}, both = {0, 2}, root = {4};
  const auto hull = sweep.hull(both);
  CHECK(hull && hull->begin == 0 && hull->end == 2);
  CHECK(!sweep.hull(root));
  const std::vector<Marked> marked = {{0, 0}, {1, 1}, {0, 2}, {1, 2}};
  const auto found = sweep.run(marked, *sweep.hull(first));
  if (found) {  // otherwise all of the forest is looked at
    CHECK_EQUAL((*found)[0], 0.25);
    CHECK_EQUAL((*found)[1], 0.75);
    CHECK_EQUAL((*found)[2], 1.0);
    CHECK_EQUAL((*found)[3], 0.0);
  }
}

TEST(values_past_all_bounds) {
  Forest forest;  // squares of squares: the exponent leaves the range of a double
  forest.add_edge({});
  forest.end_node();
  for (NodeId v = 0; v < 3; ++v) {
    forest.add_edge({v, v});
    forest.end_node();
  }
  std::vector<Scaled> value(4), out(4);
  for (const double sign : {1.0, -1.0}) {
    const std::vector<double> logs{sign * 1e308, 0.0, 0.0, 0.0};
    scaled_inside(forest.view(), logs, value);
    CHECK_EQUAL(log_magnitude(value[3]), sign * infinity);
    if (sign > 0)
      CHECK_REFUSED(ForestError, "forest.overflow",
                    scaled_outside(forest.view(), logs, value, out));
  }
}

}  // namespace forest_tests
