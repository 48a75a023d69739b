// core/metrics/ngrams.hpp: the n-grams of a few short strings, as a tree. No Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/view.hpp"
#include "util/error.hpp"

namespace rosewood {

/// Node 0 is the empty n-gram; a child is its parent with one more symbol at the end. If an n-gram
/// is not in the tree, longer ones that begin with it need not be looked up.
class NgramTree {
 public:
  static constexpr std::int32_t none = -1;

  /// Empties the tree and makes room for the n-grams of `symbols` symbols.
  void clear(std::int64_t symbols, int orders) {
    if (symbols > (std::int64_t{1} << 29) / std::max(orders, 1))
      fail<MetricError>("metric.too-long", "a sentence whose references have ", symbols,
                        " symbols is too long");
    const auto most = static_cast<std::uint64_t>(symbols) * static_cast<std::uint64_t>(orders);
    const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(16, 2 * most));
    slot_.assign(slots, Slot{});
    shift_ = 64 - std::countr_zero(slots);
    nodes_ = 1;
  }

  std::int32_t size() const { return nodes_; }

  /// The child of a node, or none.
  std::int32_t child(std::int32_t node, SymbolId symbol) const {
    const Slot& slot = slot_[place(key_of(node, symbol))];
    return slot.node;
  }

  /// The child of a node, made where there is none.
  std::int32_t add(std::int32_t node, SymbolId symbol) {
    const std::uint64_t key = key_of(node, symbol);
    Slot& slot = slot_[place(key)];
    if (slot.node == none) slot = {key, nodes_++};
    return slot.node;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::int32_t node = none;
  };

  static std::uint64_t key_of(std::int32_t node, SymbolId symbol) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node)) << 32) |
           static_cast<std::uint32_t>(symbol);
  }

  /// Where a key is, or the free slot where it would be. The table is at most half full.
  std::size_t place(std::uint64_t key) const {
    std::size_t i = (key * 0x9e3779b97f4a7c15ULL) >> shift_;
    while (slot_[i].node != none && slot_[i].key != key) i = (i + 1) & (slot_.size() - 1);
    return i;
  }

  std::vector<Slot> slot_;
  int shift_ = 0;
  std::int32_t nodes_ = 1;
};

/// How often each n-gram may match: at most as often as in the reference that has it most often.
class NgramLimits {
 public:
  /// Starts anew; references of `symbols` symbols in total will follow.
  void clear(std::int64_t symbols, int orders) {
    orders_ = orders;
    tree_.clear(symbols, orders);
    limit_.assign(1, 0);
    used_.assign(1, 0);
  }

  void add_reference(std::span<const SymbolId> reference) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      std::int32_t node = 0;
      const std::size_t end = std::min(reference.size(), i + static_cast<std::size_t>(orders_));
      for (std::size_t j = i; j < end; ++j) {
        node = tree_.add(node, reference[j]);
        if (static_cast<std::size_t>(node) == limit_.size()) {
          limit_.push_back(0);
          used_.push_back(0);
        }
        if (used_[node]++ == 0) touched_.push_back(node);
        limit_[node] = std::max(limit_[node], used_[node]);
      }
    }
    release();
  }

  /// Adds to match[n-1], with a stride, the n-grams of `text` that the references have: each as
  /// often as its limit allows, or, without `clip`, as often as it occurs.
  void count(std::span<const SymbolId> text, bool clip, double* match, std::size_t stride = 1) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::int32_t node = 0;
      const std::size_t end = std::min(text.size(), i + static_cast<std::size_t>(orders_));
      double* here = match;
      for (std::size_t j = i; j < end; ++j, here += stride) {
        node = tree_.child(node, text[j]);
        if (node == NgramTree::none) break;
        if (clip) {
          if (used_[node]++ == 0) touched_.push_back(node);
          if (used_[node] > limit_[node]) continue;
        }
        *here += 1.0;
      }
    }
    release();
  }

  /// Whether the references have all of `text` as one n-gram.
  bool contains(std::span<const SymbolId> text) const {
    std::int32_t node = 0;
    for (const SymbolId symbol : text) {
      node = tree_.child(node, symbol);
      if (node == NgramTree::none) return false;
    }
    return true;
  }

 private:
  void release() {
    for (const std::int32_t node : touched_) used_[node] = 0;
    touched_.clear();
  }

  int orders_ = 0;
  NgramTree tree_;
  std::vector<std::int32_t> limit_, used_, touched_;
};

/// The number of n-grams of order n in a text.
inline double ngrams_of(std::size_t length, int n) {
  const auto order = static_cast<std::size_t>(n);
  return length < order ? 0.0 : static_cast<double>(length - order + 1);
}

}  // namespace rosewood
