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
  const auto is_same = [&](std::uint32_t code) {  // tuples are too short for a call to compare them
    const std::uint64_t* known = tuples_.data() + code * columns_;
    for (std::size_t n = 0; n < columns_; ++n)
      if (known[n] != tuple[n]) return false;
    return true;
  };
  while (slots_[place] != free_slot && !is_same(slots_[place]))
    place = (place + 1) & (slots_.size() - 1);
  return place;
}

std::optional<std::uint32_t> TupleCodes::code(std::span<const std::uint64_t> tuple, bool& is_new) {
  std::size_t place = place_of(tuple);
  is_new = slots_[place] == free_slot;
  if (!is_new) {
    times_[slots_[place]] += times_[slots_[place]] < free_slot ? 1 : 0;
    return slots_[place];
  }
  if (size_ == most_) return std::nullopt;
  slots_[place] = static_cast<std::uint32_t>(size_++);
  const std::uint32_t code = slots_[place];
  times_.push_back(1);
  tuples_.insert(tuples_.end(), tuple.begin(), tuple.end());
  if (2 * size_ > slots_.size()) grow();
  return code;
}

void TupleCodes::grow() {
  slots_.assign(2 * slots_.size(), free_slot);
  for (std::size_t code = 0; code < size_; ++code)
    slots_[place_of(tuple(code))] = static_cast<std::uint32_t>(code);
}

namespace {

/// The best widths for the first `codes` codes; `before[n]` is how often the first n are used.
class WidthSearch {
 public:
  WidthSearch(std::span<const std::uint64_t> before, std::uint64_t codes)
      : before_(before), codes_(codes) {}

  /// Up to `most` widths, the narrow ones first.
  std::vector<std::uint64_t> best(std::size_t most) {
    if (codes_ == 0) return {};
    best_bits_ = std::numeric_limits<std::uint64_t>::max();
    most_ = most;
    tried_.clear();
    extend(0, 0, 0);
    return best_;
  }
  std::uint64_t bits() const { return codes_ ? best_bits_ : 0; }

 private:
  void extend(std::uint64_t done, std::uint64_t least_width, std::uint64_t bits) {
    const std::uint64_t last = width_of(codes_ - done - 1);  // which would do for all that are left
    const std::uint64_t all = bits + last * (before_[codes_] - before_[done]);
    if (all < best_bits_) {
      best_bits_ = all;
      best_ = tried_;
      best_.push_back(last);
    }
    if (tried_.size() + 1 == most_) return;
    for (std::uint64_t width = least_width; width < last; ++width) {
      const std::uint64_t next = done + (std::uint64_t{1} << width);
      tried_.push_back(width);
      extend(next, width + 1, bits + width * (before_[next] - before_[done]));
      tried_.pop_back();
    }
  }

  std::span<const std::uint64_t> before_;
  std::uint64_t codes_, best_bits_ = 0;
  std::size_t most_ = 0;
  std::vector<std::uint64_t> best_, tried_;
};

}  // namespace

Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes,
                     std::uint64_t numbers, std::uint64_t others) {
  std::vector<std::uint64_t> before{0};
  for (const std::uint32_t count : times) before.push_back(before.back() + count);
  const std::uint64_t rules = before.back() + others;
  Chosen best;
  best.bits = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](std::uint64_t codes) {
    const std::uint64_t left = rules - before[codes];
    for (std::size_t shapes = 1; shapes <= most_shapes; shapes *= 2) {
      const std::size_t widths = shapes - (left ? 1 : 0);
      if (widths == 0 && codes) continue;
      WidthSearch search(before, codes);
      CodeWidths found{search.best(widths), codes, left ? 1U : 0U};
      const std::uint64_t bits =
          codes * numbers + search.bits() + left * numbers + rules * found.shape_width();
      if (bits < best.bits) best = {std::move(found), bits};
    }
  };
  consider(times.size());
  if (numbers == 0) return best;
  std::uint64_t codes = times.size();
  for (std::uint32_t fewest = 2; fewest <= 32 && codes; ++fewest) {
    while (codes && times[codes - 1] < fewest) --codes;
    consider(codes);
  }
  consider(0);
  return best;
}

Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes) {
  return choose_widths(times, most_shapes, 0, 0);
}

}  // namespace rosewood
