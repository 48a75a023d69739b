#include "rules/significance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/ranks.hpp"

namespace rosewood {
namespace {

constexpr std::size_t many = 64;  // places of a phrase that are not counted twice

/// log n!, by Stirling's series where it is exact to the last digits.
double log_factorial(std::int64_t n) {
  constexpr std::int64_t small = 64;
  static const auto table = [] {
    std::array<double, small> made{};
    for (std::size_t k = 1; k < made.size(); ++k)
      made[k] = made[k - 1] + std::log(static_cast<double>(k));
    return made;
  }();
  if (n < small) return table[static_cast<std::size_t>(n)];
  const auto x = static_cast<double>(n);
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return (x + 0.5) * std::log(x) - x + half_log_two_pi +
         (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / (x * x)) / (x * x)) / x;
}

double log_choose(std::int64_t n, std::int64_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double significance(std::int64_t both, std::int64_t source, std::int64_t target, std::int64_t all) {
  const std::int64_t most = std::min(source, target);
  const double first =
      log_choose(source, both) + log_choose(all - source, target - both) - log_choose(all, target);
  // Terms of the tail, in units of the first one; they may grow at first.
  double sum = 1, term = 1;
  for (std::int64_t k = both; k < most; ++k) {
    term *= static_cast<double>(source - k) * static_cast<double>(target - k) /
            (static_cast<double>(k + 1) * static_cast<double>(all - source - target + k + 1));
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return std::max(0.0, -(first + std::log(sum)));
}

void SentenceCounter::set_source(std::int64_t place, std::int32_t words) {
  for (const std::int64_t k : sentences_) is_in_[static_cast<std::size_t>(k)] = 0;
  sentences_.clear();
  const std::size_t rank = source_.rank_of(place, words);
  const std::size_t end = source_.end_of(rank, words);
  for (std::size_t n = rank; n < end; ++n) {
    const std::int64_t k = corpus_.source.sentence_of(source_.places[n]);
    auto& is_in = is_in_[static_cast<std::size_t>(k)];
    if (!is_in) sentences_.push_back(k);
    is_in = 1;
  }
}

double SentenceCounter::with_target(std::int64_t place, std::int32_t words) {
  const std::size_t rank = target_.rank_of(place, words);
  std::size_t end = target_.end_of(rank, words, many);
  const std::uint64_t key = phrase_key(static_cast<std::uint32_t>(rank), words);
  const auto known = end - rank < many ? frequent_.end() : frequent_.find(key);
  if (known != frequent_.end())
    end = known->second.end;
  else if (end - rank == many)
    end = target_.end_of(rank, words);
  const auto phrase =
      corpus_.target.ids.subspan(static_cast<std::size_t>(place), static_cast<std::size_t>(words));
  std::int64_t both = 0, alone = 0;
  if (known != frequent_.end() && sentences_.size() * many < end - rank) {
    // Few sentences have the source, and they are read faster than the places of the target.
    alone = known->second.sentences;
    for (const std::int64_t k : sentences_) {
      const auto text = corpus_.target.sentence(k);
      both += std::search(text.begin(), text.end(), phrase.begin(), phrase.end()) != text.end();
    }
  } else {
    ++time_;
    for (std::size_t n = rank; n < end; ++n) {
      const auto k = static_cast<std::size_t>(corpus_.target.sentence_of(target_.places[n]));
      if (seen_[k] == time_) continue;
      seen_[k] = time_;
      ++alone;
      both += is_in_[k];
    }
    if (end - rank >= many) frequent_.emplace(key, Frequent{end, alone});
  }
  return significance(both, static_cast<std::int64_t>(sentences_.size()), alone, corpus_.size());
}

}  // namespace rosewood
