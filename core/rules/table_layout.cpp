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
constexpr std::uint64_t most_columns = num_counts + most_features, most_codes = 1 << 21,
                        most_levels = 1 << 16;

}  // namespace

template <class Self, class Visit>
void TableLayout::visit(Self& self, Visit&& visit) {
  for (auto* number : {&self.rules, &self.num_ids, &self.labels, &self.features, &self.source_words,
                       &self.source_bytes, &self.target_words, &self.target_bytes, &self.nodes,
                       &self.max_gaps, &self.high_total, &self.text_size, &self.sentences,
                       &self.pool_size, &self.records_size, &self.num_links})
    visit(*number, most_items);
  visit(self.levels, most_levels);
  for (auto* width : {&self.symbol_width, &self.low_width, &self.place_width, &self.length_width,
                      &self.blocks_width, &self.left_width, &self.sentence_width, &self.ids_width,
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
  const auto visit_code = [&](auto& code, std::uint64_t most) {
    visit(code.codes, most);
    visit(code.has_others, std::uint64_t{1});
    for (auto& width : code.widths) visit(width, std::uint64_t{40});
  };
  visit_code(self.links, most_items);
  for (auto& group : self.groups) {
    visit_code(group.code, most_codes);
    for (auto& column : group.columns) visit(column, std::uint64_t{self.columns.size() - 1});
  }
}

std::uint64_t TableLayout::tuple_width(const GroupLayout& group) const {
  std::uint64_t width = 0;
  for (const std::uint64_t column : group.columns) width += columns[column].width;
  return width;
}

void TableLayout::settle() {
  fixed_width = (where == 2 ? 1 : 0) + place_width + length_width + left_width + sentence_width;
  widest = fixed_width;
  shape_width = codes_size = 0;
  shape_place.clear();
  const auto add = [&](const CodeWidths& code, std::uint64_t others) {
    shape_place.push_back(next_shape(shape_width, code.shape_width()));
    shape_width = shape_place.back() + code.shape_width();
    // A damaged shape may say that there is no code where all have one.
    widest += std::max(others, code.widths.empty() ? 0 : std::ranges::max(code.widths));
  };
  add(links, 0);
  for (GroupLayout& group : groups) {
    add(group.code, tuple_width(group));
    group.place = codes_size;
    codes_size += group.code.codes * tuple_width(group);
  }
}

std::vector<std::uint64_t> TableLayout::numbers() const {
  std::vector<std::uint64_t> found{version, columns.size(), groups.size()};
  found.push_back(links.widths.size());
  for (const GroupLayout& group : groups) {
    found.push_back(group.columns.size());
    found.push_back(group.code.widths.size());
  }
  visit(*this, [&](std::uint64_t number, std::uint64_t) { found.push_back(number); });
  return found;
}

TableLayout TableLayout::of(std::span<const std::uint64_t> numbers) {
  std::size_t at = 0;
  const auto next = [&](std::uint64_t most) {
    if (at == numbers.size()) fail<RuleError>("file.damaged", "its layout ends too early");
    if (numbers[at] > most)
      fail<RuleError>("file.damaged", "number ", at, " of its layout is too large");
    return numbers[at++];
  };
  if (next(std::numeric_limits<std::uint64_t>::max()) != version)
    fail<RuleError>("file.version", "its layout is of version ", numbers[0], ", expected ",
                    version);
  TableLayout layout;
  layout.columns.resize(next(most_columns));
  layout.groups.resize(next(layout.columns.size()));
  layout.links.widths.resize(next(CodeWidths::most));
  for (GroupLayout& group : layout.groups) {
    group.columns.resize(next(layout.columns.size()));
    group.code.widths.resize(next(CodeWidths::most));
  }
  visit(layout, [&](std::uint64_t& number, std::uint64_t most) { number = next(most); });
  if (at != numbers.size())
    fail<RuleError>("file.damaged", "its layout has numbers behind its end");
  std::vector<int> seen(layout.columns.size());
  for (const GroupLayout& group : layout.groups)
    for (const std::uint64_t column : group.columns) ++seen[column];
  if (layout.columns.size() != num_counts + layout.features ||
      std::ranges::any_of(seen, [](int times) { return times != 1; }))
    fail<RuleError>("file.damaged", "its columns are not each in one group");
  if (layout.labels == 0 || (layout.rules == 0) != (layout.nodes == 0) ||
      layout.levels > layout.nodes)
    fail<RuleError>("file.damaged", "the numbers of its layout do not go together");
  // Without bits, there could be any number of them.
  if (layout.text_width == 0 || layout.start_width == 0 || layout.pool_width == 0)
    fail<RuleError>("file.damaged", "its targets have no bits");
  const auto check_code = [&](const CodeWidths& code) {
    if ((code.size() == 0) != (layout.rules == 0) || code.size() > CodeWidths::most ||
        (code.codes == 0) != code.widths.empty())
      fail<RuleError>("file.damaged", "its codes do not go together");
  };
  check_code(layout.links);
  if (layout.links.has_others) fail<RuleError>("file.damaged", "some links have no code");
  for (const GroupLayout& group : layout.groups) check_code(group.code);
  layout.settle();
  if (layout.shape_width > most_shape_bits)
    fail<RuleError>("file.damaged", "its shapes are too wide");
  return layout;
}

}  // namespace rosewood
