// core/rules/table_search.cpp: options and matches of a sentence as flat arrays.
#include "rules/table_search.hpp"

namespace rosewood {

NumberedText number_words(const TableWords& words, std::string_view text) {
  NumberedText found;
  const auto is_end = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  for (std::size_t at = 0; at < text.size();) {
    if (is_end(text[at])) {
      if (text[at++] == '\n') found.start.push_back(static_cast<std::int64_t>(found.ids.size()));
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_end(text[end])) ++end;
    found.ids.push_back(words.find(text.substr(at, end - at)));
    at = end;
  }
  if (!text.empty() && text.back() != '\n')
    found.start.push_back(static_cast<std::int64_t>(found.ids.size()));
  return found;
}

OptionArrays find_options(const RuleTable& table, std::span<const std::int32_t> sentence,
                          std::size_t max_span, std::uint64_t limit) {
  OptionArrays found;
  for_each_span(
      table, sentence, max_span, [&](std::size_t begin, std::size_t end, const RuleRange& range) {
        const std::uint64_t last = range.first + std::min(limit, range.last - range.first);
        for (std::uint64_t rule = range.first; rule < last; ++rule) {
          found.begin.push_back(static_cast<std::int32_t>(begin));
          found.end.push_back(static_cast<std::int32_t>(end));
          found.rule.push_back(static_cast<std::int64_t>(rule));
        }
      });
  const auto columns = static_cast<std::size_t>(table.layout().features);
  found.features.resize(found.rule.size() * columns);
  found.target_start.reserve(found.rule.size() + 1);
  RuleTable::Record record{};
  for (std::size_t n = 0; n < found.rule.size(); ++n) {
    const auto rule = static_cast<std::uint64_t>(found.rule[n]);
    record = n && record.rule + 1 == rule ? table.next(record) : table.record(rule);
    table.append_target(record, found.target);
    found.target_start.push_back(static_cast<std::int64_t>(found.target.size()));
    table.read_features(record, found.features.data() + n * columns);
  }
  return found;
}

MatchArrays find_matches(const RuleTable& table, std::span<const std::int32_t> sentence,
                         std::size_t max_span, std::size_t min_gap) {
  MatchArrays found;
  for_each_match(table, sentence, max_span, min_gap,
                 [&](std::size_t begin, std::size_t end, const RuleRange& range,
                     std::span<const GapSpan> gaps) {
                   found.begin.push_back(static_cast<std::int32_t>(begin));
                   found.end.push_back(static_cast<std::int32_t>(end));
                   found.first.push_back(static_cast<std::int64_t>(range.first));
                   found.last.push_back(static_cast<std::int64_t>(range.last));
                   for (const GapSpan& gap : gaps) {
                     found.gap_begin.push_back(gap.begin);
                     found.gap_end.push_back(gap.end);
                   }
                   found.gap_start.push_back(static_cast<std::int64_t>(found.gap_begin.size()));
                 });
  return found;
}

}  // namespace rosewood
