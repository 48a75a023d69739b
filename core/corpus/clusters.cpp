// core/corpus/clusters.cpp: gains of all classes at once, row by row of the counts.
#include "corpus/clusters.hpp"

#include <algorithm>
#include <cmath>

#include "util/clones.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {
namespace {

constexpr std::int64_t most_logs = std::int64_t{1} << 22;
constexpr std::size_t most_width = 2050;  // of matrices that have one of their steps beside them
constexpr std::int32_t least_block = 128, blocks = 128;  // words in a block, blocks of all words
constexpr std::int64_t few_in_block = 400;     // a block has at most this fraction of the text
constexpr std::int64_t thread_cost = 100'000;  // additions that take as long as starting a thread
constexpr std::size_t noises = 4096;
constexpr double noise_power = 0.8;  // chosen by measuring, as the start of learning is
constexpr double most_heat = 1000;

/// gain[b] += step[b]
ROSEWOOD_CLONES void add_steps(const std::int64_t* step, std::size_t width, std::int64_t* gain) {
  for (std::size_t b = 0; b < width; ++b) gain[b] += step[b];
}

/// gain[b] += phi(row[b] + count) - phi(row[b]), all within the table
ROSEWOOD_CLONES void add_logs(const std::int64_t* phi, const std::int32_t* row, std::int32_t count,
                              std::size_t width, std::int64_t* gain) {
  const std::int64_t* more = phi + count;
  for (std::size_t b = 0; b < width; ++b) gain[b] += more[row[b]] - phi[row[b]];
}

}  // namespace

RoundedLogs::RoundedLogs(std::int64_t total) {
  const double most =
      static_cast<double>(total) * std::log(std::max(2.0, static_cast<double>(total)));
  scale_ = std::clamp(52 - static_cast<int>(std::ceil(std::log2(std::max(1.0, most)))), 0, 40);
  table_.resize(static_cast<std::size_t>(std::min(total + 2, most_logs)));
  for (std::size_t n = 0; n < table_.size(); ++n)
    table_[n] = computed(static_cast<std::int64_t>(n));
}

std::int64_t RoundedLogs::computed(std::int64_t n) const {
  if (n < 2) return 0;
  const auto x = static_cast<double>(n);
  return std::llround(std::ldexp(x * std::log(x), scale_));
}

/// What a word adds to the counts of whichever class it is in.
struct ClassExchange::Around {
  struct Side {
    std::vector<std::int32_t> count;    // of neighbours, by their class
    std::vector<std::int32_t> classes;  // that have some
    std::vector<std::int32_t> own;      // the row of the word's own class, without the word
  };

  explicit Around(std::size_t width) : gain(width) {
    for (Side* side : {&before, &after}) {
      side->count.assign(width, 0);
      side->own.resize(width);
    }
  }

  Side before, after;
  std::vector<std::int64_t> gain;  // of each class, compared with the word being in none
  std::int32_t from = 0, itself = 0;
  std::int64_t total = 0;
};

ClassExchange::ClassExchange(const WordBigrams& bigrams, std::span<const std::int32_t> class_of,
                             std::int32_t classes)
    : bigrams_(bigrams),
      classes_(classes),
      width_(static_cast<std::size_t>(classes) + 2),
      phi_(bigrams.total()),
      class_of_(class_of.begin(), class_of.end()) {
  if (classes < 1)
    fail<CorpusError>({"argument.range", "classes", classes}, "there cannot be ", classes,
                      " classes");
  if (std::ssize(class_of) != bigrams.words())
    fail<CorpusError>({"argument.shape", "class_of", std::ssize(class_of)}, "class_of has ",
                      class_of.size(), " entries, expected ", bigrams.words());
  for (const auto each : class_of)
    if (each < 1 || each > classes)
      fail<CorpusError>({"argument.range", "class_of", each}, "a word has class ", each,
                        ", expected 1 to ", classes);
  class_of_.push_back(0);
  class_of_.push_back(classes + 1);
  after_.assign(width_ * width_, 0);
  before_.assign(width_ * width_, 0);
  total_.assign(width_, 0);
  members_.assign(width_, 0);
  for (const auto each : class_of) ++members_[static_cast<std::size_t>(each)];
  for (std::int32_t u = 0; u < bigrams.words() + 2; ++u) {
    const auto first = class_of_[static_cast<std::size_t>(u)];
    total_[static_cast<std::size_t>(first)] += bigrams.count(u);
    for (const auto& [word, count] : bigrams.after(u)) {
      const auto second = class_of_[static_cast<std::size_t>(word)];
      after_[cell(first, second)] += count;
      before_[cell(second, first)] += count;
    }
  }
  if (width_ <= most_width) {
    after_step_.resize(after_.size());
    before_step_.resize(before_.size());
    for (std::size_t i = 0; i < after_.size(); ++i) {
      after_step_[i] = phi_(after_[i] + 1) - phi_(after_[i]);
      before_step_[i] = phi_(before_[i] + 1) - phi_(before_[i]);
    }
  }
  rounded_ = recomputed_objective();
}

double ClassExchange::objective() const {
  const auto phi = [](std::int64_t n) {
    const auto x = static_cast<double>(n);
    return n < 2 ? 0.0 : x * std::log(x);
  };
  double sum = 0;
  for (std::size_t c = 0; c < width_; ++c) {
    double row = 0;  // sums of like size keep their digits
    for (std::size_t d = 0; d < width_; ++d) row += phi(after_[c * width_ + d]);
    sum += row - 2 * phi(total_[c]);
  }
  return sum;
}

std::int64_t ClassExchange::recomputed_objective() const {
  std::int64_t sum = 0;
  for (const auto n : after_) sum += phi_(n);
  for (const auto n : total_) sum -= 2 * phi_(n);
  return sum;
}

/// Counts the classes of a word's neighbours, and its class's rows without it.
void ClassExchange::look_around(std::int32_t word, Around& around) const {
  around.from = class_of_[static_cast<std::size_t>(word)];
  around.total = bigrams_.count(word);
  around.itself = 0;
  const auto count = [&](Around::Side& side, std::span<const Neighbour> neighbours) {
    for (const auto c : side.classes) side.count[static_cast<std::size_t>(c)] = 0;
    side.classes.clear();
    for (const auto& [other, times] : neighbours) {
      if (other == word) {
        around.itself = times;
        continue;
      }
      const auto c = class_of_[static_cast<std::size_t>(other)];
      auto& sum = side.count[static_cast<std::size_t>(c)];
      if (sum == 0) side.classes.push_back(c);
      sum += times;
    }
  };
  count(around.before, bigrams_.before(word));
  count(around.after, bigrams_.after(word));
  const auto own = [&](Around::Side& side, const std::vector<std::int32_t>& rows,
                       const Around::Side& taken, const Around::Side& other) {
    const auto* row = rows.data() + cell(around.from, 0);
    std::copy(row, row + width_, side.own.begin());
    for (const auto c : taken.classes)
      side.own[static_cast<std::size_t>(c)] -= taken.count[static_cast<std::size_t>(c)];
    const auto from = static_cast<std::size_t>(around.from);
    side.own[from] -= other.count[from] + around.itself;
  };
  // Bigrams (own class, d) lose those of the word and d; (c, own class) those of c and the word.
  own(around.before, after_, around.after, around.before);
  own(around.after, before_, around.before, around.after);
}

/// gain[b] += phi(row[b] + count) - phi(row[b]) for a row whose counts add up to `most`.
void ClassExchange::add_row(const std::int32_t* row, const std::int64_t* step, std::int64_t most,
                            std::int32_t count, std::int64_t* gain) const {
  if (count == 1 && step != nullptr) {
    add_steps(step, width_, gain);
  } else if (most + count < phi_.size()) {
    add_logs(phi_.table(), row, count, width_, gain);
  } else {
    for (std::size_t b = 0; b < width_; ++b)
      gain[b] += phi_(std::int64_t{row[b]} + count) - phi_(row[b]);
  }
}

/// The class where the word adds most to F.
std::int32_t ClassExchange::choose(std::int32_t word, Around& around, const Noise* noise) const {
  look_around(word, around);
  const auto from = static_cast<std::size_t>(around.from);
  std::int64_t* gain = around.gain.data();
  std::fill(around.gain.begin(), around.gain.end(), 0);
  const auto add = [&](const Around::Side& side, const std::vector<std::int32_t>& rows,
                       const std::vector<std::int64_t>& steps) {
    for (const auto c : side.classes) {
      const auto n = side.count[static_cast<std::size_t>(c)];
      const auto most = total_[static_cast<std::size_t>(c)];
      if (c == around.from) {
        add_row(side.own.data(), nullptr, most, n, gain);
        continue;
      }
      const std::int32_t* row = rows.data() + cell(c, 0);
      const auto before = gain[from];
      add_row(row, steps.empty() ? nullptr : steps.data() + cell(c, 0), most, n, gain);
      gain[from] = before + phi_(row[from]) - phi_(row[from] - n);  // the word is not there
    }
  };
  add(around.before, after_, after_step_);
  add(around.after, before_, before_step_);
  const auto whole = [&](std::size_t b) {
    // Bigrams within the class were taken for those with another one, on either side.
    const std::int64_t n = b == from ? around.before.own[b] : after_[b * width_ + b];
    const std::int64_t l = around.before.count[b], r = around.after.count[b];
    const std::int64_t total = b == from ? total_[b] - around.total : total_[b];
    return gain[b] + phi_(n + l + r + around.itself) - phi_(n + l) - phi_(n + r) + phi_(n) -
           2 * (phi_(total + around.total) - phi_(total));
  };
  // Gains grow with the count of the word, so its noise does, too.
  const std::int64_t times =
      noise ? std::llround(std::pow(static_cast<double>(around.total), noise_power)) : 0;
  const auto noisy = [&](std::size_t b) {
    return noise ? whole(b) + times * (*noise)(word, b) : whole(b);
  };
  std::int64_t best = noisy(from);
  std::int32_t found = around.from;
  for (std::size_t b = 1; b + 1 < width_; ++b) {
    if (b == from) continue;
    const std::int64_t here = noisy(b);
    if (here > best) {
      best = here;
      found = static_cast<std::int32_t>(b);
    }
  }
  return found;
}

/// What a word adds to F in a class, compared with being in none: the plain sum for one class.
std::int64_t ClassExchange::inserted(std::int32_t to, const Around& around) const {
  const auto b = static_cast<std::size_t>(to);
  const auto side = [&](const Around::Side& one, const Around::Side& other,
                        const std::vector<std::int32_t>& rows) {
    std::int64_t sum = 0;
    for (const auto c : one.classes) {
      if (c == to) continue;
      const std::int64_t add = one.count[static_cast<std::size_t>(c)];
      std::int64_t n = rows[cell(c, to)];
      if (to == around.from) n -= add;
      if (c == around.from) n -= other.count[b];
      sum += phi_(n + add) - phi_(n);
    }
    return sum;
  };
  const std::int64_t n = to == around.from ? around.before.own[b] : after_[cell(to, to)];
  const std::int64_t within =
      std::int64_t{around.before.count[b]} + around.after.count[b] + around.itself;
  const std::int64_t total = to == around.from ? total_[b] - around.total : total_[b];
  return side(around.before, around.after, after_) + side(around.after, around.before, before_) +
         phi_(n + within) - phi_(n) - 2 * (phi_(total + around.total) - phi_(total));
}

std::int64_t ClassExchange::gain_of(std::int32_t word, std::int32_t to, Around& around) const {
  look_around(word, around);
  return inserted(to, around) - inserted(around.from, around);
}

/// More than the rounding of all terms of a gain.
std::int64_t ClassExchange::margin(const Around& around) const {
  return 8 * std::ssize(around.before.classes) + 8 * std::ssize(around.after.classes) + 32;
}

void ClassExchange::change(std::int32_t first, std::int32_t second, std::int32_t by) {
  const auto one = cell(first, second), other = cell(second, first);
  const auto n = after_[one] += by;
  before_[other] += by;
  if (!after_step_.empty()) after_step_[one] = before_step_[other] = phi_(n + 1) - phi_(n);
}

void ClassExchange::move(std::int32_t word, std::int32_t to, std::int64_t gain,
                         const Around& around) {
  const auto from = around.from;
  for (const auto c : around.before.classes) {
    const auto n = around.before.count[static_cast<std::size_t>(c)];
    change(c, from, -n);
    change(c, to, n);
  }
  for (const auto d : around.after.classes) {
    const auto n = around.after.count[static_cast<std::size_t>(d)];
    change(from, d, -n);
    change(to, d, n);
  }
  change(from, from, -around.itself);
  change(to, to, around.itself);
  total_[static_cast<std::size_t>(from)] -= around.total;
  total_[static_cast<std::size_t>(to)] += around.total;
  --members_[static_cast<std::size_t>(from)];
  ++members_[static_cast<std::size_t>(to)];
  class_of_[static_cast<std::size_t>(word)] = to;
  rounded_ += gain;
}

/// Words of a block must be few of the text: they do not see each other move.
std::int32_t ClassExchange::block_end(std::int32_t begin, std::int32_t end) const {
  const std::int64_t most = bigrams_.total() / few_in_block;
  const auto most_words = std::max(least_block, bigrams_.words() / blocks);
  std::int64_t sum = bigrams_.count(begin);
  auto next = begin + 1;
  while (next < end && next - begin < most_words && (sum += bigrams_.count(next)) <= most) ++next;
  return next;
}

/// How many threads a block of words is worth.
int ClassExchange::useful_threads(std::int32_t begin, std::int32_t end, int threads) const {
  if (threads == 1 || end - begin == 1) return 1;
  std::int64_t rows = 0;
  for (auto w = begin; w < end; ++w)
    for (const auto around : {bigrams_.before(w), bigrams_.after(w)})
      rows += static_cast<std::int64_t>(std::min(around.size(), width_)) + 1;
  const std::int64_t worth = rows * static_cast<std::int64_t>(width_) / thread_cost;
  return static_cast<int>(std::clamp<std::int64_t>(worth, 1, std::min(threads, end - begin)));
}

/// Finds the best classes of a block of words side by side, then accepts moves one by one.
template <class Accept>
void ClassExchange::in_blocks(std::int32_t begin, std::int32_t end, int threads, const Noise* noise,
                              Accept&& accept) {
  if (begin < 0 || begin > end || end > bigrams_.words())
    fail<CorpusError>({"argument.range", "begin", begin}, "there are no words ", begin, " to ", end,
                      " of ", bigrams_.words());
  std::vector<Around> rooms;
  std::vector<std::int32_t> choices;
  for (auto last = begin; begin < end; begin = last) {
    last = block_end(begin, end);
    choices.resize(static_cast<std::size_t>(last - begin));
    const int pieces = useful_threads(begin, last, threads);
    while (std::ssize(rooms) < pieces) rooms.emplace_back(width_);
    parallel_for(pieces, pieces, 1, [&](std::int64_t piece, std::int64_t until) {
      for (; piece < until; ++piece)  // frequent words come first, so each piece has some
        for (auto w = begin + static_cast<std::int32_t>(piece); w < last; w += pieces)
          choices[static_cast<std::size_t>(w - begin)] =
              choose(w, rooms[static_cast<std::size_t>(piece)], noise);
    });
    Around& room = rooms.front();
    for (auto w = begin; w < last; ++w) {
      const auto to = choices[static_cast<std::size_t>(w - begin)];
      if (to == class_of_[static_cast<std::size_t>(w)]) continue;
      const auto gain = gain_of(w, to, room);
      if (accept(gain, room)) move(w, to, gain, room);
    }
  }
}

std::int64_t ClassExchange::exchange(std::int32_t begin, std::int32_t end, int threads) {
  std::int64_t moves = 0;
  in_blocks(begin, end, threads, nullptr, [&](std::int64_t gain, const Around& around) {
    const bool is_better = gain > margin(around);
    moves += is_better;
    return is_better;
  });
  return moves;
}

std::int64_t ClassExchange::Noise::operator()(std::int32_t word, std::size_t to) const {
  auto x = seed + (static_cast<std::uint64_t>(word) << 32) + to;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return value[(x ^ (x >> 31)) % value.size()];
}

std::int64_t ClassExchange::anneal(std::int32_t begin, std::int32_t end, double heat,
                                   std::uint64_t seed, int threads) {
  if (!(heat >= 0 && heat <= most_heat))
    fail<CorpusError>({"argument.range", "heat"}, "heat must be a number from 0 to ", most_heat);
  Noise noise{seed * 0x9e3779b97f4a7c15, std::vector<std::int64_t>(noises)};
  for (std::size_t i = 0; i < noises; ++i) {  // the quantiles of Gumbel's distribution
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(noises);
    noise.value[i] = std::llround(std::ldexp(-heat * std::log(-std::log(p)), phi_.scale()));
  }
  std::int64_t moves = 0;
  in_blocks(begin, end, threads, &noise, [&](std::int64_t, const Around& around) {
    const bool has_others = members_[static_cast<std::size_t>(around.from)] > 1;
    moves += has_others;
    return has_others;  // or the class would be empty
  });
  return moves;
}

}  // namespace rosewood
