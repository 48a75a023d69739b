// core/util/row_sort.cpp: digit by digit, large parts by all threads together, small ones each by
// one.
#include "util/row_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t few = 24;                     // rows that are sorted by comparing
constexpr std::size_t many = std::size_t{1} << 16;  // rows that several threads look at together

using Counts = std::array<std::size_t, digits>;

/// A part of the rows that is to be sorted by its numbers from `key` on. It is in the rows or in
/// the spare room, and the same places of the other are free.
struct Part {
  std::size_t begin, end;
  int key;
  bool is_spare;

  /// Where a piece of it begins.
  std::size_t cut(std::size_t piece, int pieces) const {
    return begin + (end - begin) * piece / static_cast<std::size_t>(pieces);
  }
};

/// From the first digit to the last: parts soon fit into the cache, and most need few digits. Width
/// is that of a row where it is known when compiling, 0 where it is not.
template <int Width>
class Sorter {
 public:
  Sorter(std::uint64_t* rows, std::uint64_t* spare, int width, int keys, int threads)
      : rows_(rows), spare_(spare), width_(width), keys_(keys), threads_(threads) {}

  void sort(std::size_t count) {
    std::vector<Part> large{{0, count, 0, false}}, small;
    while (!large.empty()) {
      const Part part = large.back();
      large.pop_back();
      if (part.end - part.begin < many)
        small.push_back(part);
      else
        split(part, threads_, [&](const Part& next) { large.push_back(next); });
    }
    // Largest first, so that nobody is left with a large one at the end.
    std::stable_sort(small.begin(), small.end(), [](const Part& a, const Part& b) {
      return a.end - a.begin > b.end - b.begin;
    });
    parallel_blocks(
        static_cast<std::int64_t>(small.size()), threads_, [] { return std::vector<Part>(); },
        [&](std::vector<Part>& open, std::int64_t i) {
          open.push_back(small[static_cast<std::size_t>(i)]);
          while (!open.empty()) {
            const Part part = open.back();
            open.pop_back();
            split(part, 1, [&](const Part& next) { open.push_back(next); });
          }
        });
  }

 private:
  std::size_t width() const { return Width ? Width : static_cast<std::size_t>(width_); }
  std::uint64_t* at(bool is_spare, std::size_t row) const {
    return (is_spare ? spare_ : rows_) + row * width();
  }
  void copy(const std::uint64_t* from, std::uint64_t* to) const {
    for (std::size_t i = 0; i < width(); ++i) to[i] = from[i];
  }

  /// Sorts a part by its first digit in which rows differ and hands on what is left to do; a small
  /// part is sorted wholly, and ends up in the rows.
  template <class Next>
  void split(const Part& part, int threads, Next&& next) {
    const std::size_t size = part.end - part.begin;
    if (size <= few) {
      insertion(part);
      return;
    }
    int key = part.key;
    std::uint64_t varying = 0;
    for (; key < keys_; ++key)
      if ((varying = differences(part, key, threads))) break;
    if (!varying) {  // all are equal
      if (part.is_spare) std::copy(at(true, part.begin), at(true, part.end), at(false, part.begin));
      return;
    }
    const int shift = std::max(0, 64 - std::countl_zero(varying) - digit_bits);
    const Counts end = pass(part, key, shift, threads);
    const bool is_last = shift == 0 && key + 1 == keys_;
    for (std::size_t d = 0, begin = part.begin; d < digits; begin = end[d++])
      if (end[d] > begin) {
        if (is_last || end[d] - begin == 1) {
          if (!part.is_spare) std::copy(at(true, begin), at(true, end[d]), at(false, begin));
        } else {
          next(Part{begin, end[d], shift == 0 ? key + 1 : key, !part.is_spare});
        }
      }
  }

  template <class Body>
  static void each_piece(int pieces, Body&& body) {
    parallel_for(pieces, pieces, 1, [&](std::int64_t from, std::int64_t to) {
      for (auto p = from; p < to; ++p) body(static_cast<std::size_t>(p));
    });
  }

  /// The bits in which not all rows agree.
  std::uint64_t differences(const Part& part, int key, int threads) const {
    const std::uint64_t first = at(part.is_spare, part.begin)[key];
    const auto look = [&](std::size_t begin, std::size_t end) {
      std::uint64_t varying = 0;
      const std::uint64_t* last = at(part.is_spare, end);
      for (const std::uint64_t* row = at(part.is_spare, begin); row != last; row += width())
        varying |= row[key] ^ first;
      return varying;
    };
    if (threads == 1) return look(part.begin, part.end);
    std::vector<std::uint64_t> found(static_cast<std::size_t>(threads));
    each_piece(threads, [&](std::size_t piece) {
      found[piece] = look(part.cut(piece, threads), part.cut(piece + 1, threads));
    });
    std::uint64_t all = 0;
    for (const std::uint64_t each : found) all |= each;
    return all;
  }

  /// Moves the rows of a part to the other side, by a digit; where those of each digit end.
  Counts pass(const Part& part, int key, int shift, int threads) {
    const auto digit = [=](const std::uint64_t* row) { return row[key] >> shift & (digits - 1); };
    const auto count = [&](std::size_t begin, std::size_t end, Counts& counts) {
      const std::uint64_t* last = at(part.is_spare, end);
      for (const std::uint64_t* row = at(part.is_spare, begin); row != last; row += width())
        ++counts[digit(row)];
    };
    const auto move = [&](std::size_t begin, std::size_t end, Counts& next) {
      std::uint64_t* out = at(!part.is_spare, 0);
      const std::uint64_t* last = at(part.is_spare, end);
      for (const std::uint64_t* row = at(part.is_spare, begin); row != last; row += width())
        copy(row, out + next[digit(row)]++ * width());
    };
    std::size_t sum = part.begin;
    if (threads == 1) {
      Counts counts{};
      count(part.begin, part.end, counts);
      for (auto& each : counts) sum += std::exchange(each, sum);
      move(part.begin, part.end, counts);
      return counts;
    }
    std::vector<Counts> counts(static_cast<std::size_t>(threads));
    each_piece(threads, [&](std::size_t piece) {
      count(part.cut(piece, threads), part.cut(piece + 1, threads), counts[piece]);
    });
    for (std::size_t d = 0; d < digits; ++d)
      for (auto& of_piece : counts) sum += std::exchange(of_piece[d], sum);
    each_piece(threads, [&](std::size_t piece) {
      move(part.cut(piece, threads), part.cut(piece + 1, threads), counts[piece]);
    });
    return counts.back();
  }

  void insertion(const Part& part) const {
    std::uint64_t* rows = at(false, part.begin);
    if (part.is_spare) std::copy(at(true, part.begin), at(true, part.end), rows);
    std::uint64_t fixed[8];
    std::vector<std::uint64_t> wide(width() > 8 ? width() : 0);
    std::uint64_t* row = width() > 8 ? wide.data() : fixed;
    const auto is_before = [&](const std::uint64_t* a, const std::uint64_t* b) {
      for (int k = part.key; k < keys_; ++k)
        if (a[k] != b[k]) return a[k] < b[k];
      return false;
    };
    for (std::size_t i = 1; i < part.end - part.begin; ++i) {
      if (!is_before(rows + i * width(), rows + (i - 1) * width())) continue;
      copy(rows + i * width(), row);
      std::size_t j = i;
      for (; j > 0 && is_before(row, rows + (j - 1) * width()); --j)
        copy(rows + (j - 1) * width(), rows + j * width());
      copy(row, rows + j * width());
    }
  }

  std::uint64_t *rows_, *spare_;
  int width_, keys_, threads_;
};

template <int Width>
void sort_width(std::uint64_t* rows, std::uint64_t* spare, std::size_t count, int width, int keys,
                int threads) {
  Sorter<Width>(rows, spare, width, keys, threads).sort(count);
}

}  // namespace

void sort_rows(std::uint64_t* rows, std::uint64_t* spare, std::size_t count, int width, int keys,
               int threads) {
  using Sort = decltype(&sort_width<0>);
  constexpr Sort sorts[] = {sort_width<0>, sort_width<1>, sort_width<2>, sort_width<3>,
                            sort_width<4>};
  sorts[width <= 4 ? width : 0](rows, spare, count, width, keys, threads);
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

void merge_down(std::vector<Spool<std::uint64_t>>& runs, int width, int keys,
                const std::string& name) {
  constexpr std::size_t most = 64;
  for (int round = 0; runs.size() > most; ++round) {
    std::vector<Spool<std::uint64_t>> merged;
    for (std::size_t begin = 0; begin < runs.size(); begin += most) {
      std::vector<Spool<std::uint64_t>> some;
      for (std::size_t i = begin; i < std::min(begin + most, runs.size()); ++i)
        some.push_back(std::move(runs[i]));
      merged.emplace_back(name + "." + std::to_string(round) + "-" + std::to_string(merged.size()) +
                          ".run");
      RunMerger merger(some, width, keys);
      while (const std::uint64_t* row = merger.next())
        merged.back().append({row, static_cast<std::size_t>(width)});
      merged.back().close();
      for (auto& run : some) run.discard();
    }
    runs = std::move(merged);
  }
}

RowSorter::RowSorter(int width, int keys, SortRoom room, std::string name)
    : width_(width), keys_(keys), room_(std::move(room)), name_(std::move(name)) {
  const std::size_t rows =
      std::max<std::size_t>(1024, room_.bytes / 2 / sizeof(std::uint64_t) / width_);
  most_ = rows * static_cast<std::size_t>(width_);
  if (room_.memory) {
    rows_.swap(room_.memory->rows);
    spare_.swap(room_.memory->spare);
    rows_.clear();
    spare_.clear();
  }
}

RowSorter::~RowSorter() {
  if (room_.memory) {
    rows_.swap(room_.memory->rows);
    spare_.swap(room_.memory->spare);
  }
  merger_.clear();
  for (auto& run : runs_) run.discard();
}

std::uint64_t* RowSorter::add_all(std::uint64_t count) {
  const std::uint64_t wanted = count * static_cast<std::uint64_t>(width_);
  if (used_ || !runs_.empty() || (!room_.folder.empty() && wanted > most_)) return nullptr;
  used_ = static_cast<std::size_t>(wanted);
  rows_.resize(used_);
  return rows_.data();
}

void RowSorter::make_room() {
  if (room_.folder.empty()) {
    rows_.resize(std::max(std::size_t{1024} * static_cast<std::size_t>(width_), used_ * 2));
  } else if (rows_.empty()) {
    rows_.resize(most_);  // room that is not written to costs nothing
  } else {
    spill();
  }
}

void RowSorter::sort() {
  spare_.resize(used_);
  const std::size_t count = used_ / static_cast<std::size_t>(width_);
  size_ += count;
  sort_rows(rows_.data(), spare_.data(), count, width_, keys_, room_.threads);
}

void RowSorter::spill() {
  sort();
  runs_.emplace_back(room_.folder + "/" + name_ + "." + std::to_string(runs_.size()) + ".run");
  runs_.back().append({rows_.data(), used_});
  runs_.back().close();
  used_ = 0;
}

void RowSorter::finish() {
  if (runs_.empty()) {
    sort();
  } else {
    if (used_) spill();
    release(rows_);
    release(spare_);
    merge_down(runs_, width_, keys_, room_.folder + "/" + name_);
    merger_.emplace_back(runs_, width_, keys_);
  }
  if (!room_.memory) release(spare_);
}

const std::uint64_t* RowSorter::next() {
  if (!merger_.empty()) return merger_[0].next();
  if (at_ == used_) return nullptr;
  const std::uint64_t* row = rows_.data() + at_;
  at_ += static_cast<std::size_t>(width_);
  return row;
}

}  // namespace rosewood
