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
    fail<EmptyForestError>("forest.empty", "no derivation of the forest has a weight above zero");
  if (!std::isfinite(log_z)) fail<ForestError>("forest.overflow", "log Z does not fit a double");
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
    if (!std::isfinite(u))
      fail<ForestError>("forest.overflow", "an expected count does not fit a double");
}

namespace {

/// Whether no edge of the node has a tail, as in every list of candidates.
bool is_leaf(const ForestView& f, std::int64_t v) {
  return f.tail_start[f.edge_start[v]] == f.tail_start[f.edge_start[v + 1]];
}

bool all_finite(const ForestView& f, std::int64_t v, std::span<const double> r) {
  bool finite = true;
  for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e)
    finite &= std::abs(r[e]) <= std::numeric_limits<double>::max();
  return finite;
}

}  // namespace

double centre_local(const ForestView& f, std::span<const double> q, std::span<const double> r,
                    std::span<double> centred) {
  std::vector<double> mean(static_cast<std::size_t>(f.num_nodes()));
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    double sum = 0.0;
    if (is_leaf(f, v) && all_finite(f, v, r)) {  // as below, in loops without branches
      for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) sum += q[e] * r[e];
      for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e)
        centred[e] = q[e] == 0.0 ? 0.0 : r[e] - sum;
      mean[v] = sum;
      continue;
    }
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (q[e] == 0.0) {
        centred[e] = 0.0;
        continue;
      }
      double x = r[e];
      if (!std::isfinite(x))
        fail<ForestError>({"forest.weight", "local", e}, "the local value of edge ", e, " is ", x,
                          ", and the edge is used");
      for (const NodeId t : f.tails(e)) x += mean[t];
      centred[e] = x;
      sum += q[e] * x;
    }
    mean[v] = sum;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e)
      if (q[e] != 0.0) centred[e] -= sum;
  }
  if (!std::isfinite(mean.back()))
    fail<ForestError>("forest.overflow", "an expectation does not fit a double");
  return mean.back();
}

double edge_covariances(const ForestView& f, std::span<const double> q, std::span<const double> r,
                        std::span<double> covariance) {
  struct Above {
    double uses;    // E[times the node is used]
    double excess;  // E[over those uses: r of the derivation, less E[r]]
  };
  // Centred values have mean zero under every node, so that what is around a use of a node is what
  // the edges that use it hand down. The centred values stand where the results go.
  const double mean = centre_local(f, q, r, covariance);
  std::vector<Above> above(static_cast<std::size_t>(f.num_nodes()), Above{0.0, 0.0});
  above.back().uses = 1.0;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    const Above a = above[v];
    if (!std::isfinite(a.uses) || !std::isfinite(a.excess))
      fail<ForestError>("forest.overflow", "a covariance does not fit a double");
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      const double uses = q[e] * a.uses;
      const double excess = q[e] * (a.excess + a.uses * covariance[e]);
      covariance[e] = excess;
      for (const NodeId t : f.tails(e)) {
        above[t].uses += uses;
        above[t].excess += excess;
      }
    }
  }
  return mean;
}

}  // namespace rosewood
