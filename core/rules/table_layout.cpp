// core/rules/table_layout.cpp: the layout of a rule table as numbers, and back.
#include "rules/table_layout.hpp"

#include <algorithm>
#include <limits>

#include "util/error.hpp"

namespace rosewood {

namespace {

constexpr std::uint64_t version = 1;
// Small enough that no product of them is too large for a number.
constexpr std::uint64_t most_items = std::uint64_t{1} << 47;
constexpr std::uint64_t most_columns = 1 << 12, most_codes = 1 << 21, most_levels = 1 << 16;

}  // namespace

template <class Self, class Visit>
void TableLayout::visit(Self& self, Visit&& visit) {
  for (auto* number : {&self.rules, &self.num_ids, &self.labels, &self.features, &self.source_words,
                       &self.source_bytes, &self.target_words, &self.target_bytes, &self.nodes,
                       &self.max_gaps, &self.high_total, &self.text_size, &self.sentences,
                       &self.pool_size, &self.patterns, &self.num_links})
    visit(*number, most_items);
  visit(self.levels, most_levels);
  for (auto* width : {&self.symbol_width, &self.low_width, &self.place_width, &self.length_width,
                      &self.links_width, &self.left_width, &self.sentence_width, &self.ids_width,
                      &self.text_width, &self.start_width, &self.pool_width,
                      &self.link_source_width, &self.link_target_width})
    visit(*width, std::uint64_t{56});
  visit(self.where, std::uint64_t{2});
  for (auto& column : self.columns) {
    visit(column.is_whole, std::uint64_t{1});
    visit(column.has_zero, std::uint64_t{1});
    visit(column.least, std::numeric_limits<std::uint64_t>::max());
    visit(column.shift, std::uint64_t{63});
    visit(column.width, std::uint64_t{64});
  }
  for (auto& group : self.groups) {
    visit(group.is_coded, std::uint64_t{1});
    visit(group.codes, most_codes);
    for (auto& column : group.columns) visit(column, std::uint64_t{self.columns.size() - 1});
  }
}

std::uint64_t TableLayout::tuple_width(const GroupLayout& group) const {
  std::uint64_t width = 0;
  for (const std::uint64_t column : group.columns) width += columns[column].width;
  return width;
}

std::uint64_t TableLayout::field_width(const GroupLayout& group) const {
  if (!group.is_coded) return tuple_width(group);
  return group.codes ? width_of(group.codes - 1) : 0;
}

void TableLayout::settle() {
  std::uint64_t at =
      (where == 2 ? 1 : 0) + place_width + length_width + links_width + left_width + sentence_width;
  codes_size = 0;
  group_place.clear();
  for (GroupLayout& group : groups) {
    group_place.push_back(at);
    at += field_width(group);
    group.place = codes_size;
    if (group.is_coded) codes_size += group.codes * tuple_width(group);
  }
  record_width = at;
}

std::vector<std::uint64_t> TableLayout::numbers() const {
  std::vector<std::uint64_t> found{version, columns.size(), groups.size()};
  for (const GroupLayout& group : groups) found.push_back(group.columns.size());
  visit(*this, [&](std::uint64_t number, std::uint64_t) { found.push_back(number); });
  return found;
}

TableLayout TableLayout::of(std::span<const std::uint64_t> numbers) {
  std::size_t at = 0;
  const auto next = [&](std::uint64_t most) {
    if (at == numbers.size()) fail<RuleError>("its layout ends too early");
    if (numbers[at] > most) fail<RuleError>("number ", at, " of its layout is too large");
    return numbers[at++];
  };
  if (next(std::numeric_limits<std::uint64_t>::max()) != version)
    fail<RuleError>("its layout is of version ", numbers[0], ", want ", version);
  TableLayout layout;
  layout.columns.resize(next(most_columns));
  layout.groups.resize(next(layout.columns.size()));
  for (GroupLayout& group : layout.groups) group.columns.resize(next(layout.columns.size()));
  visit(layout, [&](std::uint64_t& number, std::uint64_t most) { number = next(most); });
  if (at != numbers.size()) fail<RuleError>("its layout has numbers behind its end");
  std::vector<int> seen(layout.columns.size());
  for (const GroupLayout& group : layout.groups)
    for (const std::uint64_t column : group.columns) ++seen[column];
  if (layout.columns.size() != num_counts + layout.features ||
      std::ranges::any_of(seen, [](int times) { return times != 1; }))
    fail<RuleError>("its columns are not each in one group");
  if (layout.labels == 0 || (layout.rules == 0) != (layout.nodes == 0) ||
      layout.levels > layout.nodes)
    fail<RuleError>("the numbers of its layout do not go together");
  for (const GroupLayout& group : layout.groups)
    if (group.is_coded && (group.codes == 0) != (layout.rules == 0))
      fail<RuleError>("a group has ", group.codes, " codes");
  layout.settle();
  return layout;
}

}  // namespace rosewood
