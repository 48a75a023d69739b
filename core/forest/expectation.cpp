// core/forest/expectation.cpp
#include "forest/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "forest/scaled_passes.hpp"
#include "semiring/scaled.hpp"
#include "util/error.hpp"

namespace rosewood {

double edge_conditionals(const ForestView& f, std::span<const double> weight, std::span<double> q) {
  std::vector<Scaled> value(static_cast<std::size_t>(f.num_nodes()));
  scaled_inside(f, weight, value, q);
  const double log_z = log_magnitude(value[f.root()]);
  if (log_z == -std::numeric_limits<double>::infinity())
    throw EmptyForestError("no derivation of the forest has a weight above zero");
  if (!std::isfinite(log_z)) throw ForestError("log Z does not fit a double");
  return log_z;
}

namespace {

/// Hands the expected uses of nodes down; each(e, uses of e) is told of every edge.
template <class Each>
void hand_down(const ForestView& f, std::span<const double> q, std::span<double> uses,
               Each&& each) {
  std::fill(uses.begin(), uses.end(), 0.0);
  uses.back() = 1.0;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    const double above = uses[v];
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      const double share = above * q[e];
      each(e, share);
      for (const NodeId t : f.tails(e)) uses[t] += share;
    }
  }
}

}  // namespace

void node_uses(const ForestView& f, std::span<const double> q, std::span<double> uses) {
  hand_down(f, q, uses, [](Offset, double) {});
}

void edge_counts(const ForestView& f, std::span<const double> q, std::span<double> count) {
  std::vector<double> uses(static_cast<std::size_t>(f.num_nodes()));
  hand_down(f, q, uses, [&](Offset e, double share) { count[e] = share; });
  for (const double u : uses)
    if (!std::isfinite(u)) throw ForestError("an expected count does not fit a double");
}

double edge_covariances(const ForestView& f, std::span<const double> q, std::span<const double> r,
                        std::span<double> covariance) {
  struct Above {
    double uses;    // E[times the node is used]
    double excess;  // E[over those uses: r of all of the derivation, less E[r]]
  };
  const auto nodes = static_cast<std::size_t>(f.num_nodes());
  // Bottom-up: E[r | node], and for each edge E[r | edge] below its head, kept where the result
  // goes.
  std::vector<double> mean(nodes);
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    double sum = 0.0;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (q[e] == 0.0) continue;
      double x = r[e];
      if (!std::isfinite(x))
        fail<ForestError>("the local value of edge ", e, " is ", x, ", and the edge is used");
      for (const NodeId t : f.tails(e)) x += mean[t];
      covariance[e] = x;
      sum += q[e] * x;
    }
    mean[v] = sum;
  }
  // Top-down: uses and excess of the edges that use a node, less what the node itself is expected
  // to have, are what is around it; so for the root, -E[r].
  std::vector<Above> above(nodes, Above{0.0, 0.0});
  above.back().uses = 1.0;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    const double around = above[v].excess - above[v].uses * mean[v];
    const double used = above[v].uses;
    if (!std::isfinite(around)) throw ForestError("a covariance does not fit a double");
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (q[e] == 0.0) {
        covariance[e] = 0.0;
        continue;
      }
      const double uses = q[e] * used;
      const double excess = q[e] * (around + used * covariance[e]);
      covariance[e] = excess;
      for (const NodeId t : f.tails(e)) {
        above[t].uses += uses;
        above[t].excess += excess;
      }
    }
  }
  return mean.back();
}

}  // namespace rosewood
