// core/util/radix_sort.hpp: stable sorting by doubles, digit by digit: no comparisons to guess
// wrong.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rosewood {

/// A number that is ordered as x is; the same for 0 and -0. x is not NaN.
inline std::uint64_t ordered_bits(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

/// Sorts items by item.x, a double; equal ones stay in their order. `spare` is room to work in.
template <class Item>
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare) {
  constexpr int bits = 11, digits = 6;
  constexpr std::size_t buckets = std::size_t{1} << bits, few = 256;
  if (items.size() < few) {
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.x < b.x; });
    return;
  }
  std::array<std::array<std::size_t, buckets>, digits> count{};
  for (const Item& item : items) {
    const auto key = ordered_bits(item.x);
    for (std::size_t d = 0; d < digits; ++d) ++count[d][(key >> (d * bits)) % buckets];
  }
  spare.resize(items.size());
  for (std::size_t d = 0; d < digits; ++d) {
    const auto digit = [d](const Item& item) {
      return (ordered_bits(item.x) >> (d * bits)) % buckets;
    };
    if (count[d][digit(items[0])] == items.size()) continue;
    std::size_t place = 0;
    for (auto& each : count[d]) place += std::exchange(each, place);
    for (const Item& item : items) spare[count[d][digit(item)]++] = item;
    items.swap(spare);
  }
}

}  // namespace rosewood
