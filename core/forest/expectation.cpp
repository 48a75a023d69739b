// core/forest/expectation.cpp
#include "forest/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "forest/log_weights.hpp"
#include "semiring/scaled.hpp"
#include "util/error.hpp"

namespace rosewood {

double edge_conditionals(const ForestView& f, std::span<const double> weight, std::span<double> q) {
  using K = ScaledReal;
  check_log_weights(weight);
  std::int64_t widest = 0;
  for (std::int64_t v = 0; v < f.num_nodes(); ++v)
    widest = std::max(widest, f.edge_start[v + 1] - f.edge_start[v]);
  std::vector<Scaled> value(static_cast<std::size_t>(f.num_nodes()));
  std::vector<Scaled> product(static_cast<std::size_t>(widest));
  LogWeights weight_of(weight);
  constexpr std::size_t between = 64;
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    const Offset first = f.edge_start[v];
    const auto edges = static_cast<std::size_t>(f.edge_start[v + 1] - first);
    Scaled sum = K::zero();
    for (std::size_t i = 0; i < edges; ++i) {
      Scaled x = weight_of(first + static_cast<Offset>(i));
      const auto tails = f.tails(first + static_cast<Offset>(i));
      for (std::size_t slot = 0; slot < tails.size(); ++slot) {
        x = K::times(x, value[tails[slot]]);
        if (slot % between == between - 1) x = normalised(x);
      }
      product[i] = x;
      sum = K::plus(sum, x);
    }
    value[v] = normalised(sum);
    const double scale = value[v].mantissa == 0.0 ? 0.0 : 1.0 / value[v].mantissa;
    for (std::size_t i = 0; i < edges; ++i) {
      // An edge's share is at most 1. The exponents may stand in the other order where mantissas
      // differ, by 64 or so.
      const double apart = std::min(product[i].exponent - value[v].exponent, 1000.0);
      const double ratio = product[i].mantissa * scale;
      const double share =
          apart > 0.0 ? std::ldexp(ratio, static_cast<int>(apart)) : ratio * power_of_two(apart);
      q[first + static_cast<Offset>(i)] = std::min(share, 1.0);
    }
  }
  const double log_z = log_magnitude(value[f.root()]);
  if (log_z == -std::numeric_limits<double>::infinity())
    throw EmptyForestError("no derivation of the forest has a weight above zero");
  if (!std::isfinite(log_z)) throw ForestError("log Z does not fit a double");
  return log_z;
}

void node_means(const ForestView& f, std::span<const double> q, std::span<const double> r,
                std::span<double> mean) {
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    double sum = 0.0;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (q[e] == 0.0) continue;
      double x = r[e];
      if (!std::isfinite(x))
        fail<ForestError>("the local value of edge ", e, " is ", x, ", and the edge is used");
      for (const NodeId t : f.tails(e)) x += mean[t];
      sum += q[e] * x;
    }
    mean[v] = sum;
  }
}

void edge_counts(const ForestView& f, std::span<const double> q, std::span<double> count) {
  std::vector<double> uses(static_cast<std::size_t>(f.num_nodes()), 0.0);
  uses.back() = 1.0;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    const double above = uses[v];
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      const double share = above * q[e];
      count[e] = share;
      for (const NodeId t : f.tails(e)) uses[t] += share;
    }
  }
  for (const double u : uses)
    if (!std::isfinite(u)) throw ForestError("an expected count does not fit a double");
}

double edge_covariances(const ForestView& f, std::span<const double> q, std::span<const double> r,
                        std::span<double> covariance) {
  struct Above {
    double uses;    // E[times the node is used]
    double excess;  // E[over those uses: r outside of the use, less E[r]]
  };
  const auto nodes = static_cast<std::size_t>(f.num_nodes());
  std::vector<double> mean(nodes);
  node_means(f, q, r, mean);
  std::vector<Above> above(nodes, Above{0.0, 0.0});
  above.back() = {1.0, -mean.back()};
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    const Above a = above[v];
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (q[e] == 0.0) {
        covariance[e] = 0.0;
        continue;
      }
      const auto tails = f.tails(e);
      double x = r[e];
      for (const NodeId t : tails) x += mean[t];
      const double uses = q[e] * a.uses;
      const double excess = q[e] * (a.excess + a.uses * x);
      covariance[e] = excess;
      for (const NodeId t : tails) {
        above[t].uses += uses;
        above[t].excess += excess - uses * mean[t];
      }
    }
  }
  for (const Above& a : above)
    if (!std::isfinite(a.uses) || !std::isfinite(a.excess))
      throw ForestError("a covariance does not fit a double");
  return mean.back();
}

}  // namespace rosewood
