// core/rules/table.cpp: opening a rule table, and reading its rules.
#include "rules/table.hpp"

#include <algorithm>
#include <cmath>

namespace rosewood {

namespace {

std::span<const std::uint8_t> file_of(const TableFiles& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) fail<RuleError>("file.damaged", "its file ", name, " is missing");
  return found->second;
}

const std::uint8_t* sized(const TableFiles& files, const std::string& name, std::uint64_t bytes) {
  const auto file = file_of(files, name);
  if (file.size() != bytes)
    fail<RuleError>("file.damaged", "its file ", name, " has ", file.size(), " bytes, expected ",
                    bytes);
  return file.data();
}

/// A file of so many numbers of so many bits.
const std::uint8_t* packed(const TableFiles& files, const std::string& name, std::uint64_t count,
                           std::uint64_t width) {
  if (width && count > file_of(files, name).size() * 8 / width)
    fail<RuleError>("file.damaged", "its file ", name, " is too small for ", count, " numbers");
  return sized(files, name, bytes_for_bits(count * width));
}

Degrees<RuleError> counts(const TableFiles& files, const std::string& name, std::uint64_t nodes,
                          std::uint64_t children) {
  Degrees<RuleError> made(file_of(files, name), file_of(files, name + ".kept"), nodes, children);
  made.set_blocks(file_of(files, name + ".blocks"));
  return made;
}

std::vector<std::uint64_t> numbers_of(std::span<const std::uint8_t> file) {
  if (file.size() % 8) fail<RuleError>("file.damaged", "its layout is cut short");
  std::vector<std::uint64_t> numbers(file.size() / 8);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = loaded<std::uint64_t>(file.data() + 8 * n);
  return numbers;
}

}  // namespace

TableWords::TableWords(const TableFiles& files, const std::string& side, std::uint64_t words,
                       std::uint64_t bytes)
    : words_(words),
      bytes_(bytes),
      start_width_(static_cast<int>(width_of(bytes))),
      order_width_(static_cast<int>(words ? width_of(words - 1) : 0)),
      text_(reinterpret_cast<const char*>(sized(files, side + ".words", bytes))),
      start_(packed(files, side + ".word_start", words + 1, width_of(bytes))),
      order_(packed(files, side + ".order", words, static_cast<std::uint64_t>(order_width_))) {
  if (words > bytes)
    fail<RuleError>("file.damaged", "it has ", words, " ", side, " words of ", bytes, " bytes");
}

std::string_view TableWords::operator[](std::uint64_t number) const {
  if (number >= words_) return {};
  const std::uint64_t place = number * static_cast<std::uint64_t>(start_width_);
  const std::uint64_t end = std::min(
      bits_at(start_, place + static_cast<std::uint64_t>(start_width_), start_width_), bytes_);
  const std::uint64_t begin = std::min(bits_at(start_, place, start_width_), end);
  return {text_ + begin, static_cast<std::size_t>(end - begin)};
}

std::int32_t TableWords::find(std::string_view word) const {
  std::uint64_t begin = 0, end = words_;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const std::uint64_t number =
        bits_at(order_, middle * static_cast<std::uint64_t>(order_width_), order_width_);
    const int order = (*this)[number].compare(word);
    if (order == 0) return number < words_ ? static_cast<std::int32_t>(number) : -1;
    if (order < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  return -1;
}

RuleTable::RuleTable(const TableFiles& files)
    : layout_(TableLayout::of(numbers_of(file_of(files, "layout")))),
      source_words_(files, "source", layout_.source_words, layout_.source_bytes),
      target_words_(files, "target", layout_.target_words, layout_.target_bytes),
      nodes_(packed(files, "nodes", layout_.nodes, layout_.node_width())),
      last_(packed(files, "last", layout_.rules, 1)),
      records_(packed(files, "records", layout_.records_size + layout_.widest, 1)),
      shapes_(packed(files, "shapes", layout_.rules, layout_.shape_width)),
      blocks_(packed(files, "blocks", (layout_.rules + block_rules - 1) / block_rules,
                     layout_.blocks_width)),
      ids_(packed(files, "ids", layout_.ids_width ? layout_.rules : 0, layout_.ids_width)),
      text_(packed(files, "text", layout_.text_size, layout_.text_width)),
      text_start_(packed(files, "text.start", layout_.sentences + 1, layout_.start_width)),
      pool_(packed(files, "pool", layout_.pool_size, layout_.pool_width)),
      links_(packed(files, "links", layout_.num_links,
                    layout_.link_source_width + layout_.link_target_width)),
      codes_(packed(files, "codes", layout_.codes_size, 1)),
      children_(counts(files, "children", layout_.nodes + 1, layout_.nodes)),
      places_(counts(files, "places", layout_.nodes, layout_.high_total)),
      link_counts_(counts(files, "links.counts", layout_.links.codes, layout_.num_links)) {
  set_widths();
  const auto range = children_.children(0);
  top_ = {range.begin + 1, range.end + 1};
}

RuleTable::Coded RuleTable::coded(std::size_t field, const CodeWidths& code,
                                  std::uint64_t others) const {
  Coded made{};
  made.shape_width = static_cast<int>(code.shape_width());
  made.shape_place = layout_.shape_place[field];
  made.codes = code.codes;
  made.widths = code.widths.size();
  std::uint64_t first = 0;
  for (std::size_t n = 0; n < CodeWidths::most; ++n) {
    made.width[n] = n < code.widths.size() ? code.widths[n] : others;
    made.first[n] = first;
    first += n < code.widths.size() ? std::uint64_t{1} << code.widths[n] : 0;
  }
  return made;
}

void RuleTable::set_widths() {
  codes_place_ = fixed_width_ = layout_.fixed_width;
  coded_.push_back(coded(0, layout_.links, 0));
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    tuple_widths_.push_back(layout_.tuple_width(layout_.groups[g]));
    coded_.push_back(coded(g + 1, layout_.groups[g].code, tuple_widths_.back()));
  }
  widths_of_bytes_.resize(static_cast<std::size_t>((layout_.shape_width + 7) / 8));
  for (auto& widths : widths_of_bytes_) widths.fill(0);
  for (const Coded& coded : coded_) {
    if (!coded.shape_width) {
      fixed_width_ += coded.width[0];
      continue;
    }
    auto& widths = widths_of_bytes_[static_cast<std::size_t>(coded.shape_place / 8)];
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t which =
          byte >> coded.shape_place % 8 & ((std::uint64_t{1} << coded.shape_width) - 1);
      widths[byte] += static_cast<std::uint32_t>(coded.width[which]);
    }
  }
}

RuleTable::Node RuleTable::find(std::span<const std::int32_t> source) const {
  Node node = root();
  for (std::size_t n = 0; n < source.size() && node != nowhere(); ++n)
    node = source[n] < 0 ? advance_gap(node, -1 - source[n]) : advance(node, source[n]);
  return node;
}

RuleTable::Node RuleTable::child(Node node, std::uint64_t rank) const {
  Children range = children(node);
  while (range.begin < range.end) {
    const std::uint64_t middle = range.begin + (range.end - range.begin) / 2;
    const std::uint64_t found = this->rank(middle);
    if (found == rank) return {middle};
    if (found < rank)
      range.begin = middle + 1;
    else
      range.end = middle;
  }
  return nowhere();
}

/// How many rules come before those of a node.
std::uint64_t RuleTable::first_rule(std::uint64_t node) const {
  const std::uint64_t low =
      bits_at(nodes_, (node - 1) * layout_.node_width() + layout_.symbol_width,
              static_cast<int>(layout_.low_width));
  return (places_.before(node - 1) << layout_.low_width | low) % layout_.rules;
}

RuleRange RuleTable::rules(Node node) const {
  if (node.number == 0 || node == nowhere() || !has_rules(node.number)) return {};
  const std::uint64_t first = first_rule(node.number);
  return {first, std::min(last_of_source(first) + 1, layout_.rules)};
}

void RuleTable::read_source(std::uint64_t rule, std::vector<std::int32_t>& source) const {
  source.clear();
  Node node = root();
  for (std::uint64_t level = 0; level < layout_.levels; ++level) {
    // The last child that has no more rules before it: the rule is below it.
    Children range = children(node);
    if (range.begin == range.end) break;
    while (range.end - range.begin > 1) {
      const std::uint64_t middle = range.begin + (range.end - range.begin) / 2;
      if (first_rule(middle) <= rule)
        range.begin = middle;
      else
        range.end = middle;
    }
    node = {range.begin};
    source.push_back(symbol(node));
    const RuleRange own = rules(node);
    if (own.first <= rule && rule < own.last) return;
  }
  fail<RuleError>("file.damaged", "its sources are damaged");
}

RuleTable::Record RuleTable::record(std::uint64_t rule) const {
  const std::uint64_t block = rule / block_rules;
  std::uint64_t place =
      bits_at(blocks_, block * layout_.blocks_width, static_cast<int>(layout_.blocks_width));
  for (std::uint64_t before = block * block_rules; before < rule; ++before)
    place += width(shape(before));
  return {rule, std::min(place, layout_.records_size), shape(rule)};
}

RuleTable::Record RuleTable::next(const Record& record) const {
  const std::uint64_t place = record.place + width(record.shape);
  return {record.rule + 1, std::min(place, layout_.records_size),
          record.rule + 1 < layout_.rules ? shape(record.rule + 1) : 0};
}

RuleTable::Target RuleTable::target(const Record& record) const {
  const std::uint64_t flag = layout_.where == 2 ? 1 : 0;
  Target found{};
  found.is_in_pool = layout_.where == 2 ? field(record, 0, 1) != 0 : layout_.where == 1;
  const std::uint64_t size = found.is_in_pool ? layout_.pool_size : layout_.text_size;
  found.place = std::min(field(record, flag, layout_.place_width), size);
  found.length =
      std::min(field(record, flag + layout_.place_width, layout_.length_width), size - found.place);
  return found;
}

void RuleTable::append_target(const Record& record, std::vector<std::int32_t>& out) const {
  const Target found = target(record);
  const std::uint64_t width = found.is_in_pool ? layout_.pool_width : layout_.text_width;
  const std::uint8_t* bytes = found.is_in_pool ? pool_ : text_;
  const std::uint64_t gaps = found.is_in_pool ? layout_.max_gaps : 0;
  const std::size_t first = out.size();
  out.resize(first + static_cast<std::size_t>(found.length));
  std::int32_t* to = out.data() + first;
  std::uint64_t at = found.place * width;
  for (std::uint64_t n = 0; n < found.length; ++n, at += width) {
    const std::uint64_t symbol = bits_at(bytes, at, static_cast<int>(width));
    to[n] = static_cast<std::int32_t>(symbol < gaps ? ~symbol : symbol - gaps);
  }
}

std::int64_t RuleTable::sentence_of(std::uint64_t place) const {
  std::uint64_t begin = 0, end = layout_.sentences;
  while (end - begin > 1) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (bits_at(text_start_, middle * layout_.start_width, static_cast<int>(layout_.start_width)) <=
        place)
      begin = middle;
    else
      end = middle;
  }
  return static_cast<std::int64_t>(begin);
}

template <class Body>
void RuleTable::for_each_number(const Record& record, Body&& body) const {
  std::uint64_t place = record.place + codes_place_;
  read_code(coded_[0], record.shape, place);
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const Coded& coded = coded_[g + 1];
    const std::uint64_t code = read_code(coded, record.shape, place);
    const std::uint8_t* bytes = code == no_code ? records_ : codes_;
    std::uint64_t at = code == no_code ? place
                                       : layout_.groups[g].place +
                                             std::min(code, coded.codes - 1) * tuple_widths_[g];
    if (code == no_code) place += tuple_widths_[g];
    for (const std::uint64_t column : layout_.groups[g].columns) {
      const ColumnCode& numbers = layout_.columns[column];
      body(column, numbers.decoded(wide_bits_at(bytes, at, numbers.width)));
      at += numbers.width;
    }
  }
}

void RuleTable::read_features(const Record& record, float* out) const {
  for_each_number(record, [out](std::uint64_t column, std::uint64_t bits) {
    if (column >= num_counts)
      out[column - num_counts] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  });
}

void RuleTable::read_numbers(const Record& record, float* features,
                             std::array<double, num_counts>& counts) const {
  for_each_number(record, [&](std::uint64_t column, std::uint64_t bits) {
    if (column >= num_counts)
      features[column - num_counts] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else
      counts[column] = layout_.columns[column].is_whole ? static_cast<double>(bits)
                                                        : std::bit_cast<double>(bits);
  });
}

std::uint64_t RuleTable::left_place() const {
  return (layout_.where == 2 ? 1 : 0) + layout_.place_width + layout_.length_width;
}

std::int32_t RuleTable::left(const Record& record) const {
  return static_cast<std::int32_t>(
      std::min(field(record, left_place(), layout_.left_width), layout_.labels - 1));
}

void RuleTable::read(const Record& record, RuleBuffer& out) const {
  const Target found = target(record);
  out.target.clear();
  append_target(record, out.target);
  out.target_place = found.is_in_pool ? -1 : static_cast<std::int64_t>(found.place);
  out.left = left(record);
  const std::uint64_t sentence =
      field(record, left_place() + layout_.left_width, layout_.sentence_width);
  out.sentence =
      found.is_in_pool ? static_cast<std::int64_t>(sentence) - 1 : sentence_of(found.place);
  read_links(record, out.links);
  out.features.resize(static_cast<std::size_t>(layout_.features));
  double* const count[num_counts] = {&out.count, &out.source_count, &out.target_count};
  for_each_number(record, [&](std::uint64_t column, std::uint64_t bits) {
    if (column >= num_counts)
      out.features[column - num_counts] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else
      *count[column] = layout_.columns[column].is_whole ? static_cast<double>(bits)
                                                        : std::bit_cast<double>(bits);
  });
}

void RuleTable::read_links(const Record& record, std::vector<RuleLink>& out) const {
  out.clear();
  std::uint64_t place = record.place + codes_place_;
  const std::uint64_t pattern = read_code(coded_[0], record.shape, place);
  const auto range = link_counts_.children(std::min(pattern, layout_.links.codes - 1));
  const auto one = static_cast<int>(layout_.link_source_width);
  const auto other = static_cast<int>(layout_.link_target_width);
  for (std::uint64_t n = range.begin; n < range.end; ++n) {
    const std::uint64_t at = n * static_cast<std::uint64_t>(one + other);
    out.push_back(
        {static_cast<std::uint16_t>(bits_at(links_, at, one)),
         static_cast<std::uint16_t>(bits_at(links_, at + static_cast<std::uint64_t>(one), other))});
  }
}

std::uint64_t RuleTable::checked(std::int64_t rule) const {
  if (rule < 0 || static_cast<std::uint64_t>(rule) >= layout_.rules)
    fail<RuleError>({"argument.range", "rule"}, "there is no rule ", rule, ", there are ",
                    layout_.rules);
  return static_cast<std::uint64_t>(rule);
}

std::vector<float> RuleTable::feature_rows(std::span<const std::int64_t> rules) const {
  const auto columns = static_cast<std::size_t>(layout_.features);
  std::vector<float> found(rules.size() * columns);
  for (std::size_t n = 0; n < rules.size(); ++n)
    read_features(record(checked(rules[n])), found.data() + n * columns);
  return found;
}

}  // namespace rosewood
