// core/decode/search_control.hpp: limits that every search has, and how it went. No Python here.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace rosewood {

/// 0 is no limit.
struct CommonLimits {
  bool is_full = false;                                   // every hypothesis, not cube pruning
  std::uint64_t pop_limit = 0;                            // hypotheses of a stack or a span
  double beam = std::numeric_limits<double>::infinity();  // below the best of a stack or a cell
  std::uint64_t max_pops = 0;                             // hypotheses of a sentence
  double seconds = 0;
  /// Hypotheses are recombined only if so many words on each side are equal.
  std::uint64_t boundary_words = 0;
};

struct SearchReport {
  std::uint64_t pops = 0;
  bool is_narrowed = false;  // max_pops left parts of the search less than they should have had
  bool is_timed_out = false;
  bool is_reachable = true;  // there is a translation; always, unless a reference is given
};

/// Target words that a translation must have, as numbers of the options.
using Reference = std::optional<std::span<const std::int32_t>>;

/// What a search asks while it runs.
class SearchControl {
 public:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  /// `beat` is called every `ticks_of_beat` ticks, and may throw to end the search.
  SearchControl(const CommonLimits& limits, std::function<void()> beat, std::uint64_t ticks_of_beat)
      : limits_(limits),
        ticks_of_beat_(ticks_of_beat),
        ticks_left_(ticks_of_beat),
        beat_(std::move(beat)) {}

  const SearchReport& report() const { return report_; }
  SearchReport& report() { return report_; }
  void count_pop() { ++report_.pops; }
  void tick() {
    if (--ticks_left_ > 0) return;
    ticks_left_ = ticks_of_beat_;
    beat_();
  }

  /// Hypotheses of the part that comes next, of `parts_left` parts.
  struct Share {
    std::uint64_t pops;
    bool is_narrowing;  // max_pops leaves less than the part should have
    /// Whether a part of so many hypotheses may be searched without looking at limits.
    bool has_room_for_all;
  };
  /// `takes_all`: the part should have all of its `size` hypotheses (otherwise its size does not
  /// matter). What is left of max_pops is shared equally.
  Share share(std::uint64_t parts_left, bool takes_all, std::uint64_t size) const {
    std::uint64_t share = unlimited;
    if (limits_.max_pops) {
      const std::uint64_t left = limits_.max_pops - std::min(limits_.max_pops, report_.pops);
      share = std::max<std::uint64_t>(1, left / parts_left);
    }
    const std::uint64_t wanted = takes_all ? unlimited : limits_.pop_limit;
    return {std::min(wanted, share), share < wanted,
            takes_all && size <= share && limits_.seconds <= 0};
  }
  bool takes_all() const { return limits_.is_full || limits_.pop_limit == 0; }

  /// Whether a part that has had `pops` hypotheses must end, though it has more.
  bool is_over(std::uint64_t pops, const Share& share) {
    if (pops >= share.pops) {
      report_.is_narrowed |= share.is_narrowing;
      return true;
    }
    return pops > 0 && limits_.seconds > 0 && is_out_of_time();
  }

 private:
  bool is_out_of_time() {
    if (!report_.is_timed_out) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
      report_.is_timed_out = passed.count() > limits_.seconds;
    }
    return report_.is_timed_out;
  }

  CommonLimits limits_;
  SearchReport report_;
  std::uint64_t ticks_of_beat_, ticks_left_;
  std::function<void()> beat_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rosewood
