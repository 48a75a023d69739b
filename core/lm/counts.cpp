// core/lm/counts.cpp: rows of a text, sorted; then one walk over them, which closes an n-gram when
// the next row no longer ends in it.
#include "lm/counts.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::uint64_t bytes_of_ngram = 24;  // what smoothing holds of each, in memory

/// Distinct rows one after the other: those of memory, where equal ones stand together.
class HeldRows {
 public:
  HeldRows(const std::uint64_t* begin, const std::uint64_t* end, int width)
      : at_(begin), end_(end), width_(width) {}

  const std::uint64_t* next(std::uint64_t& times) {
    if (at_ == end_) return nullptr;
    const std::uint64_t* row = at_;
    times = 0;
    do {
      at_ += width_;
      ++times;
    } while (at_ != end_ && std::equal(row, row + width_, at_));
    return row;
  }

 private:
  const std::uint64_t *at_, *end_;
  int width_;
};

/// The same from runs, in which they carry how often they occurred.
class MergedRows {
 public:
  MergedRows(const std::vector<Spool<std::uint64_t>>& runs, int width)
      : merger_(runs, width + 1, width), width_(width), row_(merger_.next()) {}

  const std::uint64_t* next(std::uint64_t& times) {
    if (!row_) return nullptr;
    held_.assign(row_, row_ + width_);
    times = 0;
    do {
      times += row_[width_];
      row_ = merger_.next();
    } while (row_ && std::equal(held_.begin(), held_.end(), row_));
    return held_.data();
  }

 private:
  RunMerger merger_;
  int width_;
  std::vector<std::uint64_t> held_;
  const std::uint64_t* row_;
};

/// Walks rows and writes the n-grams of every order.
class Walk {
 public:
  Walk(const NgramKeys& keys, const std::vector<std::uint64_t>& cutoffs,
       std::vector<CountedOrder>& out)
      : keys_(keys),
        order_(static_cast<int>(out.size())),
        cutoffs_(cutoffs),
        out_(out),
        open_(out.size()),
        last_(static_cast<std::size_t>(keys.size(order_))) {}

  template <class Rows>
  void go(Rows&& rows) {
    std::uint64_t times = 0;
    while (const std::uint64_t* row = rows.next(times)) take(row, times);
    close(0);
  }

 private:
  struct Open {
    std::uint32_t word = 0;
    std::uint64_t count = 0, times = 0;
  };

  void take(const std::uint64_t* row, std::uint64_t times) {
    const int same = depth_ ? keys_.common(last_.data(), row, order_) : 0;
    close(same);
    if (same) ++open_[same - 1].count;
    for (int i = 0; i < same; ++i) open_[i].times += times;
    int i = same;
    for (; i < order_; ++i) {
      const std::uint32_t word = keys_.word(row, i) - 1;
      const bool is_last = i + 1 == order_ || word == begin_word;
      open_[i] = {word, is_last ? times : 1, times};
      if (is_last) break;
    }
    depth_ = i + 1;
    std::copy_n(row, last_.size(), last_.begin());
  }

  /// Writes what is open beyond a depth.
  void close(int depth) {
    for (; depth_ > depth; --depth_) {
      const Open& done = open_[depth_ - 1];
      CountedOrder& to = out_[depth_ - 1];
      const bool is_cut = done.times <= cutoffs_[depth_ - 1];
      to.word.push(done.word);
      to.count.push(is_cut ? done.count | cut : done.count);
      to.kept += !is_cut;
      if (done.count < 5) ++to.with_count[done.count];
    }
  }

  const NgramKeys& keys_;
  int order_;
  const std::vector<std::uint64_t>& cutoffs_;
  std::vector<CountedOrder>& out_;
  std::vector<Open> open_;
  std::vector<std::uint64_t> last_;
  int depth_ = 0;
};

/// Every word is a unigram, whether or not it was seen.
CountedOrder with_all_words(const CountedOrder& seen, std::uint64_t words, CountedOrder all) {
  auto word = seen.word.read();
  auto count = seen.count.read();
  for (std::uint32_t w = 0; w < words; ++w) {
    const bool is_seen = !word.is_done() && word.peek() == w;
    all.word.push(w);
    all.count.push(is_seen ? count.next() : 0);
    if (is_seen) word.next();
  }
  all.word.close();
  all.count.close();
  all.kept = words;
  all.with_count = seen.with_count;
  return all;
}

/// How many n-grams of each order there are.
template <class Rows>
std::vector<std::uint64_t> sizes_of(Rows&& rows, const NgramKeys& keys, int order) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(order));
  const std::uint64_t* last = nullptr;
  std::uint64_t times = 0;
  while (const std::uint64_t* row = rows.next(times)) {
    for (int i = last ? keys.common(last, row, order) : 0; i < order; ++i) {
      ++out[i];
      if (keys.word(row, i) == begin_word + 1) break;
    }
    last = row;
  }
  return out;
}

}  // namespace

NgramCounter::NgramCounter(int order, std::uint64_t words, std::vector<std::uint64_t> cutoffs,
                           SortRoom room)
    : order_(order),
      keys_(static_cast<std::int64_t>(words) + 1),
      width_(keys_.size(order)),
      words_(words),
      cutoffs_(std::move(cutoffs)),
      room_(std::move(room)),
      most_(std::max<std::size_t>(
          1024, room_.bytes / 10 * 3 / sizeof(std::uint64_t) / static_cast<std::size_t>(width_))) {}

void NgramCounter::expect(std::uint64_t places) {
  const std::uint64_t wanted =
      room_.folder.empty() ? places : std::min<std::uint64_t>(places, most_);
  if (wanted > room()) rows_.resize(static_cast<std::size_t>(wanted) * width_);
}

void NgramCounter::add(std::span<const std::uint32_t> text, std::span<const std::int64_t> ends) {
  const int width = width_, order = order_;
  const auto begin_of = [&](std::size_t k) { return k ? ends[k - 1] : 0; };
  const auto make_row = [&](std::int64_t begin, std::int64_t place, bool is_end,
                            std::uint64_t* row) {
    std::fill_n(row, width, 0);
    keys_.put(row, 0, std::uint64_t{is_end ? end_word : text[place]} + 1);
    int i = 1;
    for (; i < order && place - i >= begin; ++i)
      keys_.put(row, i, std::uint64_t{text[place - i]} + 1);
    if (i < order) keys_.put(row, i, begin_word + 1);
  };
  // A sentence has a place for each word and one for its end; they may fall into two runs.
  std::size_t sentence = 0;
  std::int64_t within = 0;  // places of it that are done
  while (sentence < ends.size()) {
    if (used_ == room()) {
      if (used_ < most_ || room_.folder.empty())
        expect(std::max<std::size_t>(std::size_t{1} << 16, used_ * 2));
      else
        sort_run();
    }
    const std::size_t free = room() - used_;
    std::size_t last = sentence;  // sentences that fit whole
    const auto rows_before = [&](std::size_t k) {
      return static_cast<std::size_t>(begin_of(k) - begin_of(sentence)) + (k - sentence) -
             static_cast<std::size_t>(k > sentence ? within : 0);
    };
    {
      std::size_t low = sentence, high = ends.size();
      while (low < high) {
        const std::size_t middle = (low + high + 1) / 2;
        if (rows_before(middle) <= free)
          low = middle;
        else
          high = middle - 1;
      }
      last = low;
    }
    std::uint64_t* rows = rows_.data() + used_ * width;
    if (last == sentence) {  // a part of one
      const std::int64_t begin = begin_of(sentence);
      for (std::size_t k = 0; k < free; ++k, ++within)
        make_row(begin, begin + within, begin + within == ends[sentence], rows + k * width);
      used_ += free;
      continue;
    }
    parallel_for(static_cast<std::int64_t>(last - sentence), room_.threads, 1024,
                 [&](std::int64_t from, std::int64_t to) {
                   for (auto k = sentence + static_cast<std::size_t>(from);
                        k < sentence + static_cast<std::size_t>(to); ++k) {
                     std::uint64_t* row = rows + rows_before(k) * width;
                     const std::int64_t begin = begin_of(k);
                     for (std::int64_t p = begin + (k == sentence ? within : 0); p <= ends[k];
                          ++p, row += width)
                       make_row(begin, p, p == ends[k], row);
                   }
                 });
    used_ += rows_before(last);
    sentence = last;
    within = 0;
  }
}

void NgramCounter::sort_held() {
  const int width = width_;
  spare_.resize(used_ * width);
  sort_rows(rows_.data(), spare_.data(), used_, width, width, room_.threads);
}

void NgramCounter::sort_run() {
  const int width = width_;
  sort_held();
  runs_.emplace_back(room_.folder + "/rows." + std::to_string(runs_.size()) + ".run");
  HeldRows rows(rows_.data(), rows_.data() + used_ * width, width);
  std::uint64_t times = 0;
  while (const std::uint64_t* row = rows.next(times)) {
    runs_.back().append({row, static_cast<std::size_t>(width)});
    runs_.back().push(times);
  }
  runs_.back().close();
  used_ = 0;
}

std::vector<CountedOrder> NgramCounter::finish() {
  std::vector<CountedOrder> out;
  if (runs_.empty()) {
    sort_held();
    release(spare_);
    out = count_held(rows_.data());
  } else {
    if (used_) sort_run();
    release(rows_);
    release(spare_);
    merge_down(runs_, width_ + 1, width_, room_.folder + "/rows");
    out = count_to_files(MergedRows(runs_, width_));
    for (auto& run : runs_) run.discard();
    runs_.clear();
  }
  release(rows_);
  release(spare_);
  return out;
}

template <class Rows>
std::vector<CountedOrder> NgramCounter::count_to_files(Rows&& rows) {
  const auto made = [&](int n) {
    const std::string name = room_.folder + "/" + std::to_string(n);
    CountedOrder order;
    order.word = Spool<std::uint32_t>(name + ".words");
    order.count = Spool<std::uint64_t>(name + ".counts");
    return order;
  };
  std::vector<CountedOrder> out(static_cast<std::size_t>(order_));
  for (int n = 2; n <= order_; ++n) out[n - 1] = made(n);
  Walk(keys_, cutoffs_, out).go(std::forward<Rows>(rows));
  for (auto& each : out) {
    each.word.close();
    each.count.close();
  }
  out[0] = with_all_words(out[0], words_, made(1));
  return out;
}

std::vector<CountedOrder> NgramCounter::count_held(const std::uint64_t* rows) {
  // Pieces begin where the last word changes, so no n-gram is in two of them.
  const int width = width_;
  const auto pieces = static_cast<std::int64_t>(room_.threads);
  std::vector<std::uint64_t> begin{0};
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    std::uint64_t at = std::max<std::uint64_t>(begin.back(), used_ * piece / pieces);
    while (at && at < used_ &&
           keys_.word(rows + at * width, 0) == keys_.word(rows + (at - 1) * width, 0))
      ++at;
    begin.push_back(at);
  }
  const auto held = [&](std::int64_t piece) {
    return HeldRows(rows + begin[piece] * width, rows + begin[piece + 1] * width, width);
  };
  const auto each_piece = [&](auto&& body) {
    parallel_for(pieces, room_.threads, 1, [&](std::int64_t from, std::int64_t to) {
      for (auto piece = from; piece < to; ++piece) body(piece);
    });
  };
  std::vector<std::vector<std::uint64_t>> sizes(static_cast<std::size_t>(pieces));
  each_piece([&](std::int64_t piece) { sizes[piece] = sizes_of(held(piece), keys_, order_); });
  std::uint64_t all = 0;
  for (const auto& each : sizes) all = std::accumulate(each.begin(), each.end(), all);
  if (!room_.folder.empty() && all * bytes_of_ngram > room_.bytes / 2)
    return count_to_files(HeldRows(rows, rows + used_ * width, width));
  std::vector<std::vector<CountedOrder>> parts(static_cast<std::size_t>(pieces));
  each_piece([&](std::int64_t piece) {
    auto& part = parts[piece];
    part.resize(static_cast<std::size_t>(order_));
    for (std::size_t n = 0; n < part.size(); ++n) {
      std::uint64_t size = 0;  // the first part takes in the others
      for (const auto& each : sizes) size += each[n];
      part[n].word.reserve(piece ? sizes[piece][n] : size);
      part[n].count.reserve(piece ? sizes[piece][n] : size);
    }
    Walk(keys_, cutoffs_, part).go(held(piece));
  });
  std::vector<CountedOrder> out = std::move(parts[0]);
  for (std::size_t piece = 1; piece < parts.size(); ++piece)
    for (std::size_t n = 0; n < out.size(); ++n) {
      CountedOrder& part = parts[piece][n];
      out[n].word.append(part.word.held());
      out[n].count.append(part.count.held());
      out[n].kept += part.kept;
      for (std::size_t k = 0; k < 5; ++k) out[n].with_count[k] += part.with_count[k];
      part = {};
    }
  out[0] = with_all_words(out[0], words_, {});
  return out;
}

}  // namespace rosewood
