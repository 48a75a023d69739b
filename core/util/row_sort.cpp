// core/util/row_sort.cpp: digits from the last to the first, each pass split over threads by place.
#include "util/row_sort.hpp"

#include <algorithm>
#include <array>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t few = 64;  // rows that are sorted by comparing

using Counts = std::array<std::size_t, digits>;

/// Width is that of a row where it is known when compiling, 0 where it is not.
template <int Width>
class Sorter {
 public:
  Sorter(int width, int keys, int threads) : width_(width), keys_(keys), threads_(threads) {}

  std::uint64_t* sort(std::uint64_t* rows, std::uint64_t* spare, std::size_t count) {
    if (count < few) {
      insertion(rows, count);
      return rows;
    }
    for (int key = keys_ - 1; key >= 0; --key) {
      const std::uint64_t varying = differences(rows, count, key);
      for (int shift = 0; shift < 64; shift += digit_bits) {
        if (!(varying >> shift & (digits - 1))) continue;
        pass(rows, spare, count, key, shift);
        std::swap(rows, spare);
      }
    }
    return rows;
  }

 private:
  std::size_t width() const { return Width ? Width : static_cast<std::size_t>(width_); }
  void copy(const std::uint64_t* from, std::uint64_t* to) const {
    for (std::size_t i = 0; i < width(); ++i) to[i] = from[i];
  }

  /// The bits in which not all rows agree.
  std::uint64_t differences(const std::uint64_t* rows, std::size_t count, int key) const {
    const std::uint64_t first = rows[key];
    std::uint64_t varying = 0;
    for (std::size_t i = 0; i < count; ++i) varying |= rows[i * width() + key] ^ first;
    return varying;
  }

  void pass(const std::uint64_t* rows, std::uint64_t* out, std::size_t count, int key, int shift) {
    const auto digit = [&](std::size_t i) {
      return rows[i * width() + key] >> shift & (digits - 1);
    };
    const std::size_t pieces =
        count < 1 << 15 ? 1 : static_cast<std::size_t>(std::max(1, threads_));
    std::vector<Counts> place(pieces);
    const auto begin = [&](std::size_t piece) { return count * piece / pieces; };
    const auto each = [&](auto&& body) {
      parallel_for(static_cast<std::int64_t>(pieces), static_cast<int>(pieces), 1,
                   [&](std::int64_t from, std::int64_t to) {
                     for (auto p = from; p < to; ++p) body(static_cast<std::size_t>(p));
                   });
    };
    each([&](std::size_t piece) {
      Counts counts{};
      for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) ++counts[digit(i)];
      place[piece] = counts;
    });
    std::size_t sum = 0;
    for (std::size_t d = 0; d < digits; ++d)
      for (auto& counts : place) sum += std::exchange(counts[d], sum);
    each([&](std::size_t piece) {
      Counts at = place[piece];
      for (std::size_t i = begin(piece); i < begin(piece + 1); ++i)
        copy(rows + i * width(), out + at[digit(i)]++ * width());
    });
  }

  void insertion(std::uint64_t* rows, std::size_t count) const {
    std::vector<std::uint64_t> row(width());
    for (std::size_t i = 1; i < count; ++i) {
      copy(rows + i * width(), row.data());
      std::size_t j = i;
      for (; j > 0 &&
             std::lexicographical_compare(row.data(), row.data() + keys_, rows + (j - 1) * width(),
                                          rows + (j - 1) * width() + keys_);
           --j)
        copy(rows + (j - 1) * width(), rows + j * width());
      copy(row.data(), rows + j * width());
    }
  }

  int width_, keys_, threads_;
};

}  // namespace

std::uint64_t* sort_rows(std::uint64_t* rows, std::uint64_t* spare, std::size_t count, int width,
                         int keys, int threads) {
  switch (width) {
    case 1:
      return Sorter<1>(width, keys, threads).sort(rows, spare, count);
    case 2:
      return Sorter<2>(width, keys, threads).sort(rows, spare, count);
    case 3:
      return Sorter<3>(width, keys, threads).sort(rows, spare, count);
    case 4:
      return Sorter<4>(width, keys, threads).sort(rows, spare, count);
    default:
      return Sorter<0>(width, keys, threads).sort(rows, spare, count);
  }
}

RunMerger::RunMerger(const std::vector<Spool<std::uint64_t>>& runs, int width, int keys)
    : width_(width), keys_(keys) {
  for (const auto& run : runs) {
    runs_.push_back({run.read(), std::vector<std::uint64_t>(static_cast<std::size_t>(width))});
    if (advance(runs_.back())) heap_.push_back(runs_.size() - 1);
  }
  for (std::size_t i = heap_.size() / 2; i-- > 0;) sink(i);
}

bool RunMerger::is_before(std::size_t a, std::size_t b) const {
  const auto &one = runs_[a].row, &other = runs_[b].row;
  for (int k = 0; k < keys_; ++k)
    if (one[k] != other[k]) return one[k] < other[k];
  return a < b;
}

bool RunMerger::advance(Run& run) {
  if (run.reader.is_done()) return false;
  for (auto& number : run.row) number = run.reader.next();
  return true;
}

void RunMerger::sink(std::size_t at) {
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && is_before(heap_[child + 1], heap_[child])) ++child;
    if (!is_before(heap_[child], heap_[at])) return;
    std::swap(heap_[child], heap_[at]);
    at = child;
  }
}

const std::uint64_t* RunMerger::next() {
  if (!is_first_ && !heap_.empty()) {
    if (!advance(runs_[heap_[0]])) {
      heap_[0] = heap_.back();
      heap_.pop_back();
    }
    sink(0);
  }
  is_first_ = false;
  return heap_.empty() ? nullptr : runs_[heap_[0]].row.data();
}

RowSorter::RowSorter(int width, int keys, SortRoom room, std::string name)
    : width_(width), keys_(keys), room_(std::move(room)), name_(std::move(name)) {
  const std::size_t rows =
      std::max<std::size_t>(1024, room_.bytes / 2 / sizeof(std::uint64_t) / width_);
  most_ = rows * static_cast<std::size_t>(width_);
}

RowSorter::~RowSorter() {
  merger_.clear();
  for (auto& run : runs_) run.discard();
}

std::uint64_t* RowSorter::add_all(std::uint64_t count) {
  const std::uint64_t wanted = count * static_cast<std::uint64_t>(width_);
  if (used_ || !runs_.empty() || (!room_.folder.empty() && wanted > most_)) return nullptr;
  room_for_ = used_ = static_cast<std::size_t>(wanted);
  rows_ = std::make_unique_for_overwrite<std::uint64_t[]>(room_for_);
  return rows_.get();
}

void RowSorter::make_room() {
  if (!room_.folder.empty() && room_for_ >= most_) {
    spill();
    return;
  }
  const std::size_t start = std::size_t{1024} * static_cast<std::size_t>(width_);
  std::size_t wanted = std::max(start, room_for_ * 2);
  if (!room_.folder.empty()) wanted = std::min(wanted, most_);
  auto wider = std::make_unique_for_overwrite<std::uint64_t[]>(wanted);
  std::copy_n(rows_.get(), used_, wider.get());
  rows_ = std::move(wider);
  room_for_ = wanted;
}

std::uint64_t* RowSorter::sort() {
  if (!spare_) spare_ = std::make_unique_for_overwrite<std::uint64_t[]>(room_for_);
  const std::size_t count = used_ / static_cast<std::size_t>(width_);
  size_ += count;
  return sort_rows(rows_.get(), spare_.get(), count, width_, keys_, room_.threads);
}

void RowSorter::spill() {
  const std::uint64_t* sorted = sort();
  runs_.emplace_back(room_.folder + "/" + name_ + "." + std::to_string(runs_.size()) + ".run");
  runs_.back().append({sorted, used_});
  runs_.back().close();
  used_ = 0;
}

void RowSorter::finish() {
  if (runs_.empty()) {
    sorted_ = sort();
    (sorted_ == rows_.get() ? spare_ : rows_).reset();
    return;
  }
  if (used_) spill();
  rows_.reset();
  spare_.reset();
  merger_.emplace_back(runs_, width_, keys_);
}

const std::uint64_t* RowSorter::next() {
  if (!merger_.empty()) return merger_[0].next();
  if (at_ == used_) return nullptr;
  const std::uint64_t* row = sorted_ + at_;
  at_ += static_cast<std::size_t>(width_);
  return row;
}

}  // namespace rosewood
