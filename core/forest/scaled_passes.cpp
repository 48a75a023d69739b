// core/forest/scaled_passes.cpp
#include "forest/scaled_passes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "forest/log_weights.hpp"
#include "util/clones.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

/// 2^x for whole x <= 0 without a branch; 0 below -1022 and for NaN (the difference of two zeros'
/// exponents).
inline double power_of_two_or_zero(double x) {
  // Adding 2^52 puts the whole number into the low bits; shifted, it is a double's exponent.
  const double biased = std::max(-1023.0, x) + (1023.0 + 0x1p52);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(biased) << 52);
}

/// 2^x for whole x from -1000 to 1000; anything at all elsewhere.
inline double power_of_two_near(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x + (1023.0 + 0x1p52)) << 52);
}

/// product times the values of these tails, however many.
inline Scaled times_all(Scaled product, const Scaled* values, const NodeId* begin,
                        const NodeId* end) {
  constexpr std::ptrdiff_t between = 64;  // factors between normalisations: mantissas stay in range
  for (const NodeId* t = begin; t != end; ++t) {
    product = ScaledReal::times(product, values[*t]);
    if ((t - begin) % between == between - 1) product = normalised(product);
  }
  return product;
}

/// Inlined into both versions of each caller, for machines with wide vectors and for all others.
template <bool Shares>
ROSEWOOD_INLINE void inside_pass(const ForestView& f, std::span<const double> log_weight,
                                 std::span<Scaled> value, std::span<double> share) {
  constexpr Offset block = 512;  // edges worth one call of the exponential
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const std::int64_t nodes = f.num_nodes();
  const Offset* edge_start = f.edge_start.data();
  const Offset* tail_start = f.tail_start.data();
  const NodeId* tail = f.tail.data();
  Scaled* values = value.data();
  std::vector<double> mantissas, exponents;
  for (std::int64_t begin = 0; begin < nodes;) {
    // A run of whole nodes with at most a block of edges, or one node that has more.
    const Offset base = edge_start[begin];
    std::int64_t end = begin + 1;
    while (end < nodes && edge_start[end + 1] - base <= block) ++end;
    const auto edges = static_cast<std::size_t>(edge_start[end] - base);
    if (mantissas.size() < edges) {
      mantissas.resize(edges);
      exponents.resize(edges);
    }
    load_log_weights(log_weight, base, static_cast<Offset>(edges), mantissas.data(),
                     exponents.data());
    for (; begin < end; ++begin) {
      const Offset first = edge_start[begin];
      const Offset count = edge_start[begin + 1] - first;
      double* m = mantissas.data() + (first - base);
      double* k = exponents.data() + (first - base);
      Offset at = tail_start[first];
      double sum = 0.0;
      double top = nothing;
      bool near = true;  // all exponents close to the first one: the usual case, one loop
      for (Offset i = 0; i < count; ++i) {
        const Offset stop = tail_start[first + i + 1];
        Scaled product{m[i], k[i]};
        if (stop - at == 2) {
          const Scaled left = values[tail[at]], right = values[tail[at + 1]];
          product.mantissa *= left.mantissa * right.mantissa;
          product.exponent += left.exponent + right.exponent;
        } else {
          product = times_all(product, values, tail + at, tail + stop);
        }
        at = stop;
        if (i == 0) top = product.exponent;
        const double apart = product.exponent - top;
        near &= std::abs(apart) < 500.0;
        const double term = product.mantissa * power_of_two_near(apart);
        sum += term;
        m[i] = product.mantissa;
        k[i] = product.exponent;
        if constexpr (Shares) share[first + i] = term;
      }
      if (!near) {
        top = *std::max_element(k, k + count);
        if (!std::isfinite(top)) {  // no derivation, or a weight past all bounds: the caller tells
          values[begin] = top == nothing ? ScaledReal::zero() : Scaled{1.0, top};
          if constexpr (Shares) std::fill_n(share.begin() + first, count, 0.0);
          continue;
        }
        sum = 0.0;
        for (Offset i = 0; i < count; ++i) {
          const double term = m[i] * power_of_two_or_zero(k[i] - top);
          sum += term;
          if constexpr (Shares) share[first + i] = term;
        }
      }
      values[begin] = normalised({sum, top});
      if constexpr (Shares) {
        if (count == 0) continue;
        for (Offset i = 0; i < count; ++i) share[first + i] = std::min(share[first + i] / sum, 1.0);
      }
    }
  }
}

/// sum += x, without a branch: which of the two is larger cannot be predicted.
inline void accumulate(Scaled& sum, Scaled x) {
  const double top = std::max(sum.exponent, x.exponent);
  sum.mantissa = sum.mantissa * power_of_two_or_zero(sum.exponent - top) +
                 x.mantissa * power_of_two_or_zero(x.exponent - top);
  sum.exponent = top;
}

}  // namespace

ROSEWOOD_CLONES
void scaled_inside(const ForestView& f, std::span<const double> log_weight,
                   std::span<Scaled> value) {
  inside_pass<false>(f, log_weight, value, {});
}

ROSEWOOD_CLONES
void scaled_inside(const ForestView& f, std::span<const double> log_weight, std::span<Scaled> value,
                   std::span<double> share) {
  inside_pass<true>(f, log_weight, value, share);
}

void scaled_outside(const ForestView& f, std::span<const double> log_weight,
                    std::span<const Scaled> value, std::span<Scaled> out) {
  using K = ScaledReal;
  std::fill(out.begin(), out.end(), K::zero());
  out[f.root()] = K::one();
  LogWeights weight(log_weight);
  std::vector<Scaled> suffix;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    if (out[v].exponent == std::numeric_limits<double>::infinity())
      fail<ForestError>({"forest.overflow", v}, "outside of node ", v,
                        ": its logarithm does not fit a double");
    const Scaled above = out[v] = normalised(out[v]);
    if (K::is_zero(above)) continue;
    for (Offset e = f.edge_start[v + 1] - 1; e >= f.edge_start[v]; --e) {
      const auto tails = f.tails(e);
      if (tails.size() == 2) {
        const Scaled share = K::times(above, weight(e));
        const Scaled first = K::times(share, value[tails[1]]);
        const Scaled second = K::times(share, value[tails[0]]);
        accumulate(out[tails[0]], first);
        accumulate(out[tails[1]], second);
      } else if (tails.size() == 1) {
        accumulate(out[tails[0]], K::times(above, weight(e)));
      } else if (!tails.empty()) {  // products of all slots but one, from both ends
        suffix.resize(tails.size());
        Scaled after = K::one();
        for (std::size_t slot = tails.size(); slot-- > 0;) {
          suffix[slot] = after;
          after = normalised(K::times(after, value[tails[slot]]));
        }
        Scaled before = K::times(above, weight(e));
        for (std::size_t slot = 0; slot < tails.size(); ++slot) {
          accumulate(out[tails[slot]], normalised(K::times(before, suffix[slot])));
          before = normalised(K::times(before, value[tails[slot]]));
        }
      }
    }
  }
}

}  // namespace rosewood
