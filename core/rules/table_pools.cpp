// core/rules/table_pools.cpp: ranges of columns, and codes of tuples.
#include "rules/table_pools.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rosewood {

namespace {

constexpr double most_whole = 9007199254740992.0;  // 2^53: doubles up to here are exact

}  // namespace

bool ColumnRange::is_whole(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  return value >= 0 && value <= most_whole && std::floor(value) == value && bits >> 63 == 0;
}

std::uint64_t ColumnRange::whole_of(std::uint64_t bits) {
  return static_cast<std::uint64_t>(std::bit_cast<double>(bits));
}

void ColumnRange::see(std::uint64_t bits) {
  bits_.see(bits);
  is_whole_ = is_whole_ && is_count_ && is_whole(bits);
  if (is_whole_) whole_.see(whole_of(bits));
}

ColumnCode ColumnRange::code() const {
  const bool is_whole = is_count_ && is_whole_;
  ColumnCode found = is_whole ? whole_.code() : bits_.code();
  found.is_whole = is_whole ? 1 : 0;
  return found;
}

void ColumnRange::Range::see(std::uint64_t value) {
  if (value == 0) {
    has_zero = true;
    return;
  }
  if (first == 0) first = value;
  least = std::min(least, value);
  most = std::max(most, value);
  differing |= value ^ first;
}

ColumnCode ColumnRange::Range::code() const {
  ColumnCode code;
  if (first == 0) return code;  // nothing, or zeros: has_zero is not needed for those
  code.has_zero = has_zero ? 1 : 0;
  code.least = least;
  code.shift = differing ? static_cast<std::uint64_t>(std::countr_zero(differing)) : 0;
  code.width = width_of(code.encoded(most));
  return code;
}

std::size_t TupleCodes::place_of(std::span<const std::uint64_t> tuple) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t value : tuple) {
    hash = (hash ^ value) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 32;
  }
  std::size_t place = (hash * 0x9e3779b97f4a7c15ULL >> 32) & (slots_.size() - 1);
  while (slots_[place] != free_slot && !std::ranges::equal(this->tuple(slots_[place]), tuple))
    place = (place + 1) & (slots_.size() - 1);
  return place;
}

std::optional<std::uint32_t> TupleCodes::code(std::span<const std::uint64_t> tuple, bool& is_new) {
  std::size_t place = place_of(tuple);
  is_new = slots_[place] == free_slot;
  if (!is_new) return slots_[place];
  if (size_ == most) return std::nullopt;
  slots_[place] = static_cast<std::uint32_t>(size_++);
  const std::uint32_t code = slots_[place];
  tuples_.insert(tuples_.end(), tuple.begin(), tuple.end());
  if (2 * size_ > slots_.size()) grow();
  return code;
}

void TupleCodes::grow() {
  slots_.assign(2 * slots_.size(), free_slot);
  for (std::size_t code = 0; code < size_; ++code)
    slots_[place_of(tuple(code))] = static_cast<std::uint32_t>(code);
}

}  // namespace rosewood
