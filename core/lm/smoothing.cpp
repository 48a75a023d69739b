// core/lm/smoothing.cpp: sums of contexts, then probabilities.
#include "lm/smoothing.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "util/error.hpp"
#include "util/log10.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr int context_width = 3;  // key, place of the n-gram, its count

/// Calls body(piece) for each, in threads.
template <class Pieces, class Body>
void each_piece(const Pieces& pieces, Body&& body) {
  const auto count = static_cast<std::int64_t>(pieces.size());
  parallel_for(count, static_cast<int>(count), 1, [&](std::int64_t from, std::int64_t to) {
    for (auto i = from; i < to; ++i) body(pieces[static_cast<std::size_t>(i)]);
  });
}

}  // namespace

Smoother::Smoother(std::vector<CountedOrder> counted, SortRoom room)
    : counted_(std::move(counted)),
      room_(std::move(room)),
      sorting_{room_.folder, room_.bytes / 10 * 3, room_.threads},
      word_bits_(static_cast<int>(std::bit_width(size(1)))),
      probability_(counted_.size()),
      backoff_(counted_.size()) {}

Smoother::Smoother(std::vector<CountedOrder> counted, SortRoom room, int done)
    : Smoother(std::move(counted), std::move(room)) {
  for (int n = 1; n <= done; ++n) {
    probability_[n - 1] = Spool<float>::written(name(n, "probabilities"), size(n));
    if (n < done) backoff_[n - 1] = Spool<float>::written(name(n, "backoffs"), size(n));
  }
  if (done && done < order())
    context_ = Spool<std::uint64_t>::written(name(done, "contexts"), size(done));
}

std::string Smoother::name(int n, const char* what) const {
  return room_.folder + "/" + std::to_string(n) + "." + what;
}

template <class T>
Spool<T> Smoother::make(int n, const char* what, std::uint64_t size) const {
  return is_in_memory() ? Spool<T>::sized(size) : Spool<T>(name(n, what));
}

void Smoother::smooth(int n, const Discounts& discounts) {
  if (n == 1) {
    smooth_unigrams(discounts);
    return;
  }
  last_context_.discard();
  NgramWeights weights(size(n), is_in_memory(), sorting_, std::to_string(n) + ".weights");
  {
    SortRoom sorting = sorting_;
    if (is_in_memory()) sorting.memory = &memory_;
    RowSorter sorter(context_width, 1, sorting, std::to_string(n) + ".contexts");
    sort_by_context(n, sorter);
    weigh(n, discounts, sorter, weights);
  }
  interpolate(n, weights);
}

void Smoother::smooth_unigrams(const Discounts& discounts) {
  if (is_in_memory()) {
    std::uint64_t most = 0;
    for (int n = 2; n <= order(); ++n) most = std::max(most, size(n));
    memory_.rows.reserve(static_cast<std::size_t>(most) * context_width);
    memory_.spare.reserve(static_cast<std::size_t>(most) * context_width);
  }
  double total = 0, taken = 0;
  for (auto count = counted_[0].count.read(); !count.is_done();) {
    const std::uint64_t times = count.next();
    total += static_cast<double>(times);
    taken += discounts[std::min<std::uint64_t>(times, 3)];
  }
  if (total == 0) fail<LanguageModelError>("lm.no-sentences", "the text has no sentences");
  const double uniform = taken / total / static_cast<double>(size(1) - 1);  // not for <s>
  probability_[0] = make<float>(1, "probabilities", size(1));
  context_ = make<std::uint64_t>(1, "contexts", size(1));
  PlacedSink<float> probability(probability_[0], 0);
  PlacedSink<std::uint64_t> context(context_, 0);
  auto count = counted_[0].count.read();
  for (std::uint64_t w = 0; w < size(1); ++w) {
    const std::uint64_t times = count.next();
    const double left = static_cast<double>(times) - discounts[std::min<std::uint64_t>(times, 3)];
    probability.push(static_cast<float>(w == begin_word ? 1.0 : left / total + uniform));
    context.push(0);  // the empty one
  }
  probability_[0].close();
  context_.close();
}

std::vector<ContextPiece> Smoother::pieces_of(int n, std::size_t pieces) const {
  const CountedOrder& shorter = counted_[n - 2];
  std::vector<ContextPiece> out(pieces);
  for (std::size_t i = 0; i < pieces; ++i)
    out[i] = {size(n - 1) * i / pieces, size(n - 1) * (i + 1) / pieces, 0};
  if (pieces == 1) return out;
  std::uint64_t sum = 0;
  auto word = shorter.word.read();
  auto count = shorter.count.read();
  for (ContextPiece& piece : out) {
    piece.first = sum;
    for (auto i = piece.begin; i < piece.end; ++i) sum += children_of(word.next(), count.next());
  }
  return out;
}

void Smoother::sort_by_context(int n, RowSorter& sorter) const {
  if (word_bits_ + static_cast<int>(std::bit_width(n > 2 ? size(n - 2) : 1)) > 64)
    fail<LanguageModelError>("lm.too-large", "there are too many ", n, "-grams");
  std::uint64_t* rows = sorter.add_all(size(n));
  each_piece(pieces_of(n, rows ? pieces() : 1), [&](const ContextPiece& piece) {
    std::uint64_t place = piece.first;
    auto shorter_word = counted_[n - 2].word.read(piece.begin);
    auto shorter_count = counted_[n - 2].count.read(piece.begin);
    auto context = context_.read(piece.begin);
    auto word = counted_[n - 1].word.read(place);
    auto count = counted_[n - 1].count.read(place);
    for (auto i = piece.begin; i < piece.end; ++i) {
      const std::uint64_t of_suffix = context.next() << word_bits_;
      for (auto left = children_of(shorter_word.next(), shorter_count.next()); left; --left) {
        std::uint64_t* row = rows ? rows + place * context_width : sorter.add();
        row[0] = of_suffix | word.next();
        row[1] = place++;
        row[2] = count.next();
      }
    }
  });
  sorter.finish();
}

std::vector<ContextPiece> Smoother::pieces_by_context(int n, const RowSorter& sorter) const {
  const std::uint64_t* all = sorter.all();
  std::vector<ContextPiece> out;
  if (!all || !is_in_memory() || n == 2) {
    out.push_back({0, size(n - 1), 0, sorter.size(), 0});
    return out;
  }
  // Each begins with another suffix: where the (n-1)-grams that end in it begin is a sum.
  const auto parent = [&](std::uint64_t row) { return all[row * context_width] >> word_bits_; };
  const CountedOrder& shortest = counted_[n - 3];
  auto word = shortest.word.read();
  auto count = shortest.count.read();
  std::uint64_t row = 0, suffix = 0, sum = 0;
  const std::size_t pieces = this->pieces();
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = sum, first = row, begin_suffix = suffix;
    row = std::max(row, sorter.size() * (i + 1) / pieces);
    while (row && row < sorter.size() && parent(row) == parent(row - 1)) ++row;
    const bool is_last = row == sorter.size();
    const std::uint64_t end_suffix = is_last ? size(n - 2) : parent(row);
    for (; suffix < end_suffix; ++suffix) sum += children_of(word.next(), count.next());
    out.push_back({begin, sum, first, row, begin_suffix});
    if (is_last) break;
  }
  return out;
}

void Smoother::weigh(int n, const Discounts& discounts, RowSorter& sorter, NgramWeights& weights) {
  backoff_[n - 2] = make<float>(n - 1, "backoffs", size(n - 1));
  each_piece(pieces_by_context(n, sorter), [&](const ContextPiece& piece) {
    SortedRows rows(sorter, context_width, piece.first, piece.last);
    PlacedSink<float> backoff(backoff_[n - 2], piece.begin);
    ContextWalk contexts(counted_, n, word_bits_, piece);
    struct Follower {
      std::uint64_t place, count;
    };
    std::vector<Follower> followers;
    const std::uint64_t* row = rows.next();
    for (auto context = piece.begin; context < piece.end; ++context) {
      const std::uint64_t key = contexts.next();
      double total = 0, left = 0;  // left to shorter contexts
      bool is_extended = false;
      followers.clear();
      for (; row && row[0] == key; row = rows.next()) {
        const std::uint64_t count = row[2] & ~cut;
        const bool is_cut = row[2] & cut;
        total += static_cast<double>(count);
        left += is_cut ? static_cast<double>(count) : discounts[std::min<std::uint64_t>(count, 3)];
        is_extended |= !is_cut;
        followers.push_back({row[1], count});
      }
      const double gamma = left / total;
      backoff.push(is_extended ? static_cast<float>(log10_of(gamma)) + 0.0F : -0.0F);
      for (const auto& [place, count] : followers) {
        const double share =
            (static_cast<double>(count) - discounts[std::min<std::uint64_t>(count, 3)]) / total;
        weights.put(place, {static_cast<float>(share), static_cast<float>(gamma), context});
      }
    }
  });
  backoff_[n - 2].close();
  weights.finish();
}

void Smoother::interpolate(int n, NgramWeights& weights) {
  probability_[n - 1] = make<float>(n, "probabilities", size(n));
  auto context_places =
      n < order() ? make<std::uint64_t>(n, "contexts", size(n)) : Spool<std::uint64_t>();
  each_piece(pieces_of(n, pieces()), [&](const ContextPiece& piece) {
    std::uint64_t place = piece.first;
    auto word = counted_[n - 2].word.read(piece.begin);
    auto count = counted_[n - 2].count.read(piece.begin);
    auto lower = probability_[n - 2].read(piece.begin);
    PlacedSink<float> probability(probability_[n - 1], place);
    PlacedSink<std::uint64_t> context(context_places, place);
    for (auto i = piece.begin; i < piece.end; ++i) {
      const double p = lower.next();
      for (auto left = children_of(word.next(), count.next()); left; --left, ++place) {
        const auto found = weights.get(place);
        probability.push(static_cast<float>(found.share + found.left * p));
        if (n < order()) context.push(found.context);
      }
    }
  });
  probability_[n - 1].close();
  context_places.close();
  last_context_ = std::move(context_);
  context_ = std::move(context_places);
}

NgramTable Smoother::finish() {
  NgramTable table;
  for (int n = 1; n <= order(); ++n) table.orders.push_back(finish_order(n));
  return table;
}

/// Without what is cut; probabilities become logarithms.
NgramOrder Smoother::finish_order(int n) {
  CountedOrder& own = counted_[n - 1];
  const bool is_highest = n == order();
  const bool is_whole = own.kept == size(n) && (is_highest || counted_[n].kept == size(n + 1));
  NgramOrder out;
  out.word = make<std::uint32_t>(n, "table.word", own.kept);
  out.probability = make<float>(n, "table.log10", own.kept);
  if (!is_highest) {
    out.children = make<std::uint32_t>(n, "table.children", own.kept);
    out.backoff = make<float>(n, "table.backoff", own.kept);
  }
  each_piece(pieces_of(n + 1, is_whole ? pieces() : 1), [&](const ContextPiece& piece) {
    auto word = own.word.read(piece.begin);
    auto count = own.count.read(piece.begin);
    auto probability = probability_[n - 1].read(piece.begin);
    PlacedSink<std::uint32_t> word_to(out.word, piece.begin);
    PlacedSink<float> probability_to(out.probability, piece.begin);
    std::optional<SpoolReader<float>> backoff;
    std::optional<SpoolReader<std::uint64_t>> longer;  // counts of those that end in it
    if (!is_highest) {
      backoff.emplace(backoff_[n - 1].read(piece.begin));
      longer.emplace(counted_[n].count.read(piece.first));
    }
    PlacedSink<std::uint32_t> children_to(out.children, piece.begin);
    PlacedSink<float> backoff_to(out.backoff, piece.begin);
    for (auto i = piece.begin; i < piece.end; ++i) {
      const std::uint32_t first = word.next();
      const std::uint64_t times = count.next();
      const float p = probability.next();
      const float left_over = is_highest ? 0.0F : backoff->next();
      std::uint32_t kept = 0;
      if (!is_highest)
        for (auto left = children_of(first, times); left; --left) kept += !(longer->next() & cut);
      if (times & cut) continue;
      word_to.push(first);
      probability_to.push(std::min(static_cast<float>(log10_of(p)), 0.0F));
      if (is_highest) continue;
      children_to.push(kept);
      backoff_to.push(left_over);
    }
  });
  out.word.close();
  out.probability.close();
  out.children.close();
  out.backoff.close();
  if (is_in_memory()) {  // files stay, so that one can go on from there
    own.count = {};
    probability_[n - 1] = {};
    backoff_[n - 1] = {};
  }
  return out;
}

}  // namespace rosewood
