// core/rules/table_search.hpp: what rules a table has for a sentence. No Python here.
//
// A sentence is word numbers of the table's source side, negative where it has none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rules/table.hpp"

namespace rosewood {

/// Calls body(begin, end, range) for every span of words that is the source of rules, by where it
/// begins, then by its length.
template <class Body>
void for_each_span(const RuleTable& table, std::span<const std::int32_t> sentence,
                   std::size_t max_length, Body&& body) {
  for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
    const std::size_t last = std::min(max_length, sentence.size() - begin) + begin;
    RuleTable::Node node = RuleTable::root();
    for (std::size_t end = begin; end < last;) {
      node = table.advance(node, sentence[end++]);
      if (node == RuleTable::nowhere()) break;
      const RuleRange range = table.rules(node);
      if (!range.is_empty()) body(begin, end, range);
    }
  }
}

/// Where a gap of a source is in a sentence.
struct GapSpan {
  std::int32_t begin, end;
};

/// Calls body(begin, end, range, gaps) for every source that matches a span of up to `max_span`
/// words, once for each way in which its gaps, of `min_gap` words or more, can be in it. By where
/// it begins, then by its symbols: gaps before words, short gaps before long ones.
template <class Body>
void for_each_match(const RuleTable& table, std::span<const std::int32_t> sentence,
                    std::size_t max_span, std::size_t min_gap, Body&& body) {
  struct State {  // a beginning of a source, as far as it matches
    RuleTable::Node node;
    std::size_t at, gaps;
    GapSpan last_gap;
    bool is_behind_gap;
  };
  std::vector<State> open;
  std::vector<GapSpan> gaps;
  const auto labels = table.labels();
  min_gap = std::max<std::size_t>(1, min_gap);
  for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
    const std::size_t last = std::min(max_span, sentence.size() - begin) + begin;
    open.push_back({RuleTable::root(), begin, 0, {}, false});
    while (!open.empty()) {
      const State state = open.back();
      open.pop_back();
      gaps.resize(state.gaps);
      if (state.is_behind_gap) gaps.back() = state.last_gap;
      const RuleRange range = table.rules(state.node);
      if (!range.is_empty()) body(begin, state.at, range, std::span<const GapSpan>(gaps));
      if (state.at == last) continue;
      // What is to come first goes on the stack last.
      const RuleTable::Node next = table.advance(state.node, sentence[state.at]);
      if (next != RuleTable::nowhere()) open.push_back({next, state.at + 1, state.gaps, {}, false});
      if (state.gaps == table.layout().max_gaps) continue;
      const RuleTable::Children children = table.children(state.node);
      std::uint64_t end = children.begin;
      while (end < children.end && table.symbol({end}) < 0 &&
             end - children.begin < static_cast<std::uint64_t>(labels))
        ++end;
      for (std::uint64_t child = end; child-- > children.begin;)
        for (std::size_t to = last; to >= state.at + min_gap; --to)
          open.push_back({{child},
                          to,
                          state.gaps + 1,
                          {static_cast<std::int32_t>(state.at), static_cast<std::int32_t>(to)},
                          true});
    }
  }
}

/// The words of a text, which stand between spaces and tabs, as numbers; -1 for those the table
/// does not have. A line feed ends a sentence.
struct NumberedText {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> start{0};
};
NumberedText number_words(const TableWords& words, std::string_view text);

/// All options of a sentence, flat: option n translates words begin[n] .. end[n]-1 by rule[n], into
/// symbols target[target_start[n]] .. target[target_start[n+1]-1]; features are rows.
struct OptionArrays {
  std::vector<std::int32_t> begin, end, target;
  std::vector<std::int64_t> rule, target_start{0};
  std::vector<float> features;
};
/// The first `limit` rules of each span of up to `max_span` words; phrases only.
OptionArrays find_options(const RuleTable& table, std::span<const std::int32_t> sentence,
                          std::size_t max_span, std::uint64_t limit);

/// All matches of a sentence, flat: match n is of words begin[n] .. end[n]-1, with the rules
/// first[n] .. last[n]-1 and the gaps gap_start[n] .. gap_start[n+1]-1.
struct MatchArrays {
  std::vector<std::int32_t> begin, end, gap_begin, gap_end;
  std::vector<std::int64_t> first, last, gap_start{0};
};
MatchArrays find_matches(const RuleTable& table, std::span<const std::int32_t> sentence,
                         std::size_t max_span, std::size_t min_gap);

}  // namespace rosewood
