// core/learn/oscar_prox.cpp
#include "learn/oscar_prox.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "util/radix_sort.hpp"

namespace rosewood {

namespace {

struct Size {
  double x;  // -|a|: the largest size first
  std::int64_t place;
};

struct Block {
  double value;
  double count;
};

}  // namespace

void oscar_prox(std::span<const double> a, double step, const OscarPenalty& penalty,
                std::span<double> weight) {
  std::vector<Size> sizes, spare;
  sizes.reserve(a.size());
  for (std::int64_t i = 0; i < std::ssize(a); ++i) {
    weight[i] = 0.0;
    if (a[i] != 0.0) sizes.push_back({-std::abs(a[i]), i});
  }
  radix_sort(sizes, spare);
  std::vector<Block> blocks;
  const auto count = std::ssize(sizes);
  for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && sizes[end].x == sizes[begin].x) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    Block block{-0.5 * sizes[begin].x - penalty.rate(rank) / step,
                static_cast<double>(end - begin)};
    while (!blocks.empty() && block.value >= blocks.back().value) {
      const Block& top = blocks.back();
      const double both = block.count + top.count;
      // A mean of two numbers lies between them: rounding never breaks the order.
      block.value = std::clamp(top.value + (block.value - top.value) * (block.count / both),
                               top.value, block.value);
      block.count = both;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::int64_t i = 0;
  for (const Block& block : blocks) {
    if (block.value <= 0.0) break;
    const auto end = i + static_cast<std::int64_t>(block.count);
    for (; i < end; ++i) weight[sizes[i].place] = std::copysign(block.value, a[sizes[i].place]);
  }
}

}  // namespace rosewood
