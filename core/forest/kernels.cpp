// core/forest/kernels.cpp: the standard semirings, bound to inside() and outside().
#include "forest/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/expectation.hpp"
#include "forest/inside.hpp"
#include "forest/log_weights.hpp"
#include "forest/scaled_passes.hpp"
#include "semiring/expectation.hpp"
#include "semiring/scaled.hpp"
#include "semiring/standard.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Logarithms of scaled values; a value that no double can hold is an error, not infinity.
void write_logs(std::span<const Scaled> value, std::span<double> out, const char* what) {
  for (std::size_t v = 0; v < value.size(); ++v) {
    out[v] = log_magnitude(value[v]);
    if (std::isnan(out[v]) || out[v] == infinity)
      fail<ForestError>({"forest.overflow", v}, what, " of node ", v,
                        ": its logarithm does not fit a double");
  }
}

void check_finite(std::span<const double> value, const char* what) {
  for (std::size_t i = 0; i < value.size(); ++i)
    if (!std::isfinite(value[i]))
      fail<ForestError>({"forest.overflow", i}, what, i, " is ", value[i],
                        "; the log semiring has a wider range");
}

Scaled read_signed(const double* pair, std::size_t item) {
  const double sign = pair[0];
  const double log = pair[1];
  if (sign == 0.0 || (log == -infinity && std::abs(sign) == 1.0)) return ScaledReal::zero();
  if (std::abs(sign) != 1.0 || std::isnan(log) || log == infinity)
    fail<ForestError>({"forest.weight", item}, "signed log weight of edge ", item,
                      ": expected a sign of -1, 0 or 1 and a log magnitude below infinity");
  Scaled value = scaled_exp(log);
  value.mantissa *= sign;
  return value;
}

void write_signed(Scaled value, double* pair, std::size_t item) {
  pair[0] = value.mantissa > 0.0 ? 1.0 : (value.mantissa < 0.0 ? -1.0 : 0.0);
  pair[1] = log_magnitude(value);
  if (std::isnan(pair[1]) || pair[1] == infinity)
    fail<ForestError>({"forest.overflow", item}, "value of node ", item,
                      ": its logarithm does not fit a double");
}

/// A semiring value as an array of its numbers: V is one Scaled, or a struct of nothing else.
template <class K>
void run_signed(const ForestView& f, std::span<const double> weight, std::span<double> in,
                std::span<double> out) {
  using V = typename K::Value;
  constexpr std::size_t numbers = sizeof(V) / sizeof(Scaled);
  const auto nodes = static_cast<std::size_t>(f.num_nodes());
  const auto weight_of = [&](std::int64_t e) {
    Scaled number[numbers];
    for (std::size_t i = 0; i < numbers; ++i)
      number[i] = read_signed(&weight[(static_cast<std::size_t>(e) * numbers + i) * 2],
                              static_cast<std::size_t>(e));
    if constexpr (numbers == 1)
      return number[0];
    else if constexpr (numbers == 2)
      return V{number[0], number[1]};
    else
      return V{number[0], number[1], number[2], number[3]};
  };
  const auto write = [&](std::span<const V> value, std::span<double> target) {
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto put = [&](std::size_t i, Scaled x) {
        write_signed(x, &target[(v * numbers + i) * 2], v);
      };
      if constexpr (numbers == 1) {
        put(0, value[v]);
      } else {
        put(0, value[v].p);
        put(1, value[v].r);
        if constexpr (numbers == 4) {
          put(2, value[v].s);
          put(3, value[v].t);
        }
      }
    }
  };
  std::vector<V> value(nodes);
  inside<K>(f, weight_of, std::span<V>(value));
  write(value, in);
  std::vector<V> above(nodes);
  outside<K>(f, weight_of, std::span<const V>(value), std::span<V>(above));
  write(above, out);
}

}  // namespace

void check_log_weights(std::span<const double> weight) {
  bool good = true;
  for (const double w : weight) good &= (w < infinity);  // false for NaN too
  if (good) return;
  for (std::size_t e = 0; e < weight.size(); ++e)
    if (!(weight[e] < infinity))
      fail<ForestError>({"forest.weight", e}, "log weight of edge ", e, " is ", weight[e],
                        ": it must be finite or -inf");
}

void load_log_weights(std::span<const double> log_weight, std::int64_t first, std::int64_t count,
                      double* mantissa, double* exponent) {
  const auto part =
      log_weight.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  if (scaled_exp_block(part, mantissa, exponent)) return;
  check_log_weights(log_weight);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Scaled value = scaled_exp(part[i]);
    mantissa[i] = value.mantissa;
    exponent[i] = value.exponent;
  }
}

void inside_log(const ForestView& f, std::span<const double> weight, std::span<double> value) {
  std::vector<Scaled> scaled(value.size());
  scaled_inside(f, weight, scaled);
  write_logs(scaled, value, "inside");
}

void inside_outside_log(const ForestView& f, std::span<const double> weight, std::span<double> in,
                        std::span<double> out) {
  std::vector<Scaled> value(in.size());
  std::vector<double> q(weight.size());
  scaled_inside(f, weight, value, q);
  write_logs(value, in, "inside");
  // outside = uses * Z / inside, while expected uses stay well inside the range of a double; a node
  // that is hardly or never used, or has no derivation, needs the long way.
  constexpr double least = 1e-200, most = 1e200;
  node_uses(f, q, out);
  const bool ordinary =
      std::ranges::all_of(out, [](double uses) { return uses > least && uses < most; });
  if (ordinary && std::isfinite(in.back())) {
    const Scaled z = value.back();
    for (std::size_t v = 0; v < out.size(); ++v)
      out[v] = log_magnitude(
          {out[v] * (z.mantissa / value[v].mantissa), z.exponent - value[v].exponent});
    return;
  }
  std::vector<Scaled> above(out.size());
  scaled_outside(f, weight, value, above);
  write_logs(above, out, "outside");
}

void viterbi(const ForestView& f, std::span<const double> weight, std::span<double> best,
             std::span<std::int64_t> edge) {
  check_log_weights(weight);
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    double top = -infinity;  // a local variable: a register, where best[v] would be memory
    std::int64_t from = -1;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      double score = weight[e];
      for (const NodeId t : f.tails(e)) score += best[t];
      if (score > top) {
        top = score;
        from = e;
      }
    }
    best[v] = top;
    edge[v] = from;
    if (top == infinity)
      fail<ForestError>({"forest.overflow", v}, "the best score of node ", v,
                        " overflows a double");
  }
}

void max_marginals(const ForestView& f, std::span<const double> weight,
                   std::span<double> marginal) {
  const auto nodes = static_cast<std::size_t>(f.num_nodes());
  std::vector<double> in(nodes), out(nodes);
  inside_outside_tropical(f, weight, in, out);
  for (std::int64_t e = 0; e < f.num_edges(); ++e) {
    double score = out[f.head[e]] + weight[e];
    for (const NodeId t : f.tails(e)) score += in[t];
    marginal[e] = score;
  }
}

void keep_best(const ForestView& f, std::span<const double> weight,
               std::span<const std::int64_t> best, double least, std::int64_t most,
               std::span<std::uint8_t> keep) {
  std::vector<double> marginal(keep.size());
  max_marginals(f, weight, marginal);
  for (const std::int64_t e : best) marginal[e] = infinity;
  double last = -infinity;  // the least that may stay
  auto ties = static_cast<std::int64_t>(keep.size());
  if (most < ties) {
    std::vector<double> order(marginal);
    const auto end = order.begin() + (most - 1);
    std::nth_element(order.begin(), end, order.end(), std::greater<>());
    last = *end;
    ties = std::count(order.begin(), end + 1, last);
  }
  for (std::size_t e = 0; e < keep.size(); ++e) {
    const double value = marginal[e];
    keep[e] = value > -infinity && value >= least && (value > last || (value == last && ties > 0));
    if (value == last) --ties;
  }
  for (const std::int64_t e : best) keep[e] = 1;  // there may be more than `most`
}

void inside_outside_real(const ForestView& f, std::span<const double> weight, std::span<double> in,
                         std::span<double> out) {
  check_finite(weight, "the weight of edge ");
  const auto weight_of = [&](std::int64_t e) { return weight[e]; };
  inside<Real>(f, weight_of, in);
  check_finite(in, "the inside value of node ");
  outside<Real>(f, weight_of, in, out);
  check_finite(out, "the outside value of node ");
}

void inside_outside_tropical(const ForestView& f, std::span<const double> weight,
                             std::span<double> in, std::span<double> out) {
  check_log_weights(weight);
  const auto weight_of = [&](std::int64_t e) { return weight[e]; };
  inside<Tropical>(f, weight_of, in);
  outside<Tropical>(f, weight_of, in, out);
  for (std::size_t v = 0; v < in.size(); ++v)
    if (!(in[v] < infinity) || !(out[v] < infinity))
      fail<ForestError>({"forest.overflow", v}, "the best score of node ", v,
                        " overflows a double");
}

void count_derivations(const ForestView& f, std::span<const std::uint8_t> keep,
                       std::span<std::uint64_t> count) {
  inside<SaturatingCount>(f, [&](std::int64_t e) { return std::uint64_t{keep[e] != 0}; }, count);
}

void inside_outside_signed(const ForestView& f, int numbers, std::span<const double> weight,
                           std::span<double> in, std::span<double> out) {
  switch (numbers) {
    case 1:
      return run_signed<ScaledReal>(f, weight, in, out);
    case 2:
      return run_signed<Expectation<ScaledReal>>(f, weight, in, out);
    case 4:
      return run_signed<SecondOrder<ScaledReal>>(f, weight, in, out);
    default:
      fail<ForestError>({"argument.shape", numbers},
                        "signed log values have 1, 2 or 4 numbers, not ", numbers);
  }
}

}  // namespace rosewood
