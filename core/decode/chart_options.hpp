// core/decode/chart_options.hpp: the rules of a hierarchical decoder for a sentence, and where they
// match. No Python here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decode/hiero_model.hpp"
#include "decode/options.hpp"

namespace rosewood {

/// A gap over words begin .. end-1, which something of this label fills.
struct ChartGap {
  std::int32_t begin, end, label;
};

/// Options first .. last-1 over words begin .. end-1, with the gaps gap .. gap+gaps-1, in the order
/// of the source.
struct ChartMatch {
  std::int32_t begin, end, first, last, gap, gaps;
  /// The source is a single gap: the match is over the same words as the gap.
  bool is_unary = false;
};

/// Options of a rule with gaps are there once, however often it matches; begin and end are -1.
struct ChartOptions : SentenceOptions {
  std::vector<std::int32_t> left;   // of each option, the label that it makes
  std::vector<ChartMatch> matches;  // by length, then by where they begin
  std::vector<ChartGap> gaps;
};

/// Finds rules that match spans of up to `max_span` words whose gaps can be filled. `beat` is
/// called every now and then, and may throw to end this.
ChartOptions find_chart_options(const WeightedHieroModel& model, TextWords words,
                                std::size_t max_span, std::span<const GivenOption> given,
                                UnknownWords unknown, const std::function<void()>& beat,
                                const RuleChanges& changes = {});

}  // namespace rosewood
