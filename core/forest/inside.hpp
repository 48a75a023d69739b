// core/forest/inside.hpp: inside and outside values in any commutative semiring. No Python here.
// Specification: tests/reference/forest.py.
#pragma once

#include <span>
#include <vector>

#include "forest/view.hpp"

namespace rosewood {

/// value[v] = sum over edges e into v of weight(e) times value[tails of e], in slot order.
/// Requires a validated view; weight(e) is called once for each edge, in order.
template <class K, class Weight>
void inside(const ForestView& f, Weight&& weight, std::span<typename K::Value> value) {
  constexpr std::size_t between =
      64;  // factors between two normalisations: mantissas stay in range
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    auto sum = K::zero();
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      auto product = weight(e);
      const auto tails = f.tails(e);
      for (std::size_t slot = 0; slot < tails.size(); ++slot) {
        product = K::times(product, value[tails[slot]]);
        if (slot % between == between - 1) product = K::normalise(product);
      }
      sum = K::plus(sum, product);
    }
    value[v] = K::normalise(sum);
  }
}

/// outside[v] = the derivative of value[root] with respect to value[v]: each *slot* that v fills
/// contributes, so that a node used twice by an edge is counted twice. `value` is what inside()
/// gave.
template <class K, class Weight>
void outside(const ForestView& f, Weight&& weight, std::span<const typename K::Value> value,
             std::span<typename K::Value> out) {
  using V = typename K::Value;
  for (auto& o : out) o = K::zero();
  out[f.root()] = K::one();
  std::vector<V> suffix;
  for (std::int64_t v = f.num_nodes() - 1; v >= 0; --v) {
    out[v] = K::normalise(out[v]);
    if (K::is_zero(out[v])) continue;
    for (Offset e = f.edge_start[v + 1] - 1; e >= f.edge_start[v]; --e) {
      const auto tails = f.tails(e);
      if (tails.empty()) continue;
      const V above = K::times(out[v], weight(e));
      const auto give = [&](std::size_t slot, const V& share) {
        out[tails[slot]] = K::plus(out[tails[slot]], share);
      };
      if (tails.size() == 1) {
        give(0, above);
      } else if (tails.size() == 2) {
        const V first = K::times(above, value[tails[1]]);
        const V second = K::times(above, value[tails[0]]);
        give(0, first);
        give(1, second);
      } else {  // products of all slots but one, from both ends, without division
        suffix.resize(tails.size());
        V after = K::one();
        for (std::size_t slot = tails.size(); slot-- > 0;) {
          suffix[slot] = after;
          after = K::normalise(K::times(after, value[tails[slot]]));
        }
        V before = above;
        for (std::size_t slot = 0; slot < tails.size(); ++slot) {
          give(slot, K::normalise(K::times(before, suffix[slot])));
          before = K::normalise(K::times(before, value[tails[slot]]));
        }
      }
    }
  }
}

}  // namespace rosewood
