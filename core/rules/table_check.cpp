// core/rules/table_check.cpp: everything that a rule table must be, looked at once.
#include <algorithm>
#include <cmath>
#include <functional>

#include "rules/table.hpp"

namespace rosewood {

void TableWords::check(const char* side) const {
  std::uint64_t place = 0;
  std::string_view last;
  for (std::uint64_t n = 0; n < words_; ++n) {
    const std::string_view word = (*this)[n];
    const std::uint64_t number =
        bits_at(order_, n * static_cast<std::uint64_t>(order_width_), order_width_);
    const std::string_view next = (*this)[number];
    if (word.empty() || word.data() != text_ + place || next <= last)
      fail<RuleError>({"file.damaged", side}, "its ", side, " words are damaged");
    place += word.size();
    last = next;
  }
  if (place != bytes_) fail<RuleError>({"file.damaged", side}, "its ", side, " words are damaged");
}

void RuleTable::check_text() const {
  const auto start = [&](std::uint64_t sentence) {
    return bits_at(text_start_, sentence * layout_.start_width,
                   static_cast<int>(layout_.start_width));
  };
  for (std::uint64_t place = 0; place < layout_.text_size; ++place)
    if (bits_at(text_, place * layout_.text_width, static_cast<int>(layout_.text_width)) >=
        layout_.target_words)
      fail<RuleError>({"file.damaged", "text"}, "its text has words that are none");
  bool is_good = start(0) == 0 && start(layout_.sentences) == layout_.text_size;
  for (std::uint64_t k = 0; k < layout_.sentences; ++k)
    is_good = is_good && start(k) <= start(k + 1);
  if (!is_good)
    fail<RuleError>({"file.damaged", "text.start"},
                    "the sentences of its text do not go from beginning to end");
}

void RuleTable::check_nodes() const {
  std::uint64_t below = 0;
  for (std::uint64_t number = 0; number <= layout_.nodes; ++number) {
    const Children range = children({number});
    if (range.begin != below + 1)
      fail<RuleError>({"file.damaged", "sources"}, "its sources are damaged");
    below = range.end - 1;
    for (std::uint64_t child = range.begin; child < range.end; ++child)
      if (rank(child) >= layout_.labels + layout_.source_words ||
          (child > range.begin && rank(child) <= rank(child - 1)))
        fail<RuleError>({"file.damaged", "sources"}, "its sources are not in order");
    if (number && range.begin == range.end && !has_rules(number))
      fail<RuleError>({"file.damaged", "sources"}, "a source has no rules");
  }
}

void RuleTable::check_record(const Record& record) const {
  const auto refuse = [&](const char* what, const char* reason) {
    fail<RuleError>({"file.damaged", what, record.rule}, "rule ", record.rule, " ", reason);
  };
  const std::uint64_t flag = layout_.where == 2 ? 1 : 0;
  const Target found = target(record);
  if (field(record, flag, layout_.place_width) != found.place ||
      field(record, flag + layout_.place_width, layout_.length_width) != found.length)
    refuse("target", "has a target outside of all targets");
  if (field(record, flag + layout_.place_width + layout_.length_width, layout_.left_width) >=
      layout_.labels)
    refuse("label", "has a label that is none");
  std::uint64_t place = record.place + codes_place_;
  for (std::size_t n = 0; n < coded_.size(); ++n) {
    const std::uint64_t which =
        record.shape >> coded_[n].shape_place & ((std::uint64_t{1} << coded_[n].shape_width) - 1);
    const std::uint64_t code = read_code(coded_[n], record.shape, place);
    const CodeWidths& known = n ? layout_.groups[n - 1].code : layout_.links;
    if (which >= known.size() || (code != no_code && code >= known.codes))
      refuse("code", "has a code that is none");
    if (code == no_code) place += tuple_widths_[n - 1];
  }
  const bool is_last = record.rule + 1 == layout_.rules;
  if (place != (is_last ? layout_.records_size : this->record(record.rule + 1).place))
    refuse("records", "does not end where the next one begins");
}

void RuleTable::check_rule(std::uint64_t rule, std::span<const std::int32_t> source,
                           RuleBuffer& buffer) const {
  check_record(record(rule));
  const auto refuse = [&](const char* what, const char* reason) {
    fail<RuleError>({"file.damaged", what, rule}, "rule ", rule, " ", reason);
  };
  read(rule, buffer);
  std::vector<std::int32_t> gaps;
  for (const std::int32_t symbol : buffer.target) {
    if (symbol < 0) gaps.push_back(-1 - symbol);
    if (symbol >= static_cast<std::int64_t>(layout_.target_words))
      refuse("target", "has a word that is none");
  }
  std::ranges::sort(gaps);
  const auto wanted = std::ranges::count_if(source, [](std::int32_t symbol) { return symbol < 0; });
  for (std::int32_t k = 0; k < wanted; ++k)
    if (std::ssize(gaps) != wanted || gaps[static_cast<std::size_t>(k)] != k)
      refuse("gaps", "has other gaps in its target");
  if (!wanted && !gaps.empty()) refuse("gaps", "has other gaps in its target");
  for (const RuleLink link : buffer.links)
    if (link.source >= source.size() || link.target >= buffer.target.size() ||
        source[link.source] < 0 || buffer.target[link.target] < 0)
      refuse("links", "has links outside of it, or to gaps");
  if (std::ranges::adjacent_find(buffer.links, std::greater_equal<>()) != buffer.links.end())
    refuse("links", "has links that are not in order");
  for (const float feature : buffer.features)
    if (!std::isfinite(feature)) refuse("features", "has a feature that is no number");
  for (const double count : {buffer.count, buffer.source_count, buffer.target_count})
    if (!(count >= 0) || !std::isfinite(count)) refuse("counts", "has a count that is none");
  if (id(rule) >= layout_.num_ids || (rule && id(rule) <= id(rule - 1)))
    refuse("ids", "has an id that is not in order");
}

void RuleTable::check() const {
  source_words_.check("source");
  target_words_.check("target");
  children_.check();
  places_.check();
  link_counts_.check();
  check_text();
  check_nodes();
  RuleBuffer buffer;
  for_each_source([&](std::span<const std::int32_t> source, const RuleRange& range) {
    for (std::uint64_t rule = range.first; rule < range.last; ++rule)
      check_rule(rule, source, buffer);
  });
}

}  // namespace rosewood
