// core/rules/table.hpp: a rule table in mapped files (core/rules/table_layout.hpp): its sources,
// walked symbol by symbol, and its rules. No Python here.
//
// What damaged files say is cut down to what there is: answers may be wrong, or a RuleError, but
// nothing is read that is not theirs. Nothing is written, so any number of threads may read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.hpp"
#include "rules/table_layout.hpp"
#include "util/error.hpp"

namespace rosewood {

using TableFiles = std::map<std::string, std::span<const std::uint8_t>>;

/// Rules first .. last-1.
struct RuleRange {
  std::uint64_t first = 0, last = 0;
  bool is_empty() const { return first >= last; }
};

/// One side's words, by number and by their bytes.
class TableWords {
 public:
  TableWords() = default;
  TableWords(const TableFiles& files, const std::string& side, std::uint64_t words,
             std::uint64_t bytes);

  std::uint64_t size() const { return words_; }
  std::string_view operator[](std::uint64_t number) const;
  /// The number of a word; -1 if it has none.
  std::int32_t find(std::string_view word) const;
  /// Refuses words that are empty or stand twice, or are not where they should be.
  void check(const char* side) const;

 private:
  std::uint64_t words_ = 0, bytes_ = 0;
  int start_width_ = 0, order_width_ = 0;
  const char* text_ = nullptr;
  const std::uint8_t *start_ = nullptr, *order_ = nullptr;
};

/// A rule of a table, and the room it is read into.
struct RuleBuffer {
  std::int32_t left = 0;
  std::vector<std::int32_t> source, target;
  std::vector<RuleLink> links;
  double count = 0, source_count = 0, target_count = 0;
  std::vector<float> features;
  std::int64_t sentence = -1, target_place = -1;

  RuleView view() const {
    return {left,         source,       target,   links,    count,
            source_count, target_count, features, sentence, target_place};
  }
};

class RuleTable {
 public:
  /// The files by their names; refuses sizes that do not go together.
  explicit RuleTable(const TableFiles& files);

  const TableLayout& layout() const { return layout_; }
  std::uint64_t size() const { return layout_.rules; }
  std::int32_t labels() const { return static_cast<std::int32_t>(layout_.labels); }
  const TableWords& source_words() const { return source_words_; }
  const TableWords& target_words() const { return target_words_; }

  // Sources. A node stands for a beginning of sources; the root for the empty one.
  struct Node {
    std::uint64_t number;
    friend bool operator==(const Node&, const Node&) = default;
  };
  static constexpr Node root() { return {0}; }
  static constexpr Node nowhere() { return {~std::uint64_t{0}}; }
  /// The node a word further, or nowhere().
  Node advance(Node node, std::int32_t word) const {
    return word < 0 ? nowhere() : child(node, layout_.labels + static_cast<std::uint64_t>(word));
  }
  /// The node a gap further, or nowhere().
  Node advance_gap(Node node, std::int32_t label) const {
    return label < 0 || label >= labels() ? nowhere()
                                          : child(node, static_cast<std::uint64_t>(label));
  }
  /// The node of a whole source, or nowhere().
  Node find(std::span<const std::int32_t> source) const;
  /// The children of a node; nodes begin .. end-1 in the order of their symbols.
  struct Children {
    std::uint64_t begin, end;
  };
  Children children(Node node) const {
    if (node.number == 0) return top_;
    const auto range = children_.children(node.number);
    return {range.begin + 1, range.end + 1};
  }
  bool has_children(Node node) const {
    const Children range = children(node);
    return range.begin < range.end;
  }
  /// The last symbol of a node that is not the root.
  std::int32_t symbol(Node node) const {
    const std::uint64_t rank = this->rank(node.number);
    return static_cast<std::int32_t>(rank < layout_.labels ? ~rank : rank - layout_.labels);
  }
  /// The rules whose source is that of the node.
  RuleRange rules(Node node) const;
  /// The source of a rule.
  void read_source(std::uint64_t rule, std::vector<std::int32_t>& source) const;
  /// Calls body(source, range) for every source in order.
  template <class Body>
  void for_each_source(Body&& body) const;

  // Rules; their number is below size(). Their records are found once, and then read; the next one
  // is found faster than any other.
  struct Record {
    std::uint64_t rule, place, shape;
  };
  Record record(std::uint64_t rule) const;
  Record next(const Record& record) const;
  /// All but the source.
  void read(const Record& record, RuleBuffer& out) const;
  void read(std::uint64_t rule, RuleBuffer& out) const { read(record(rule), out); }
  /// The label of its left-hand side.
  std::int32_t left(const Record& record) const;
  /// Appends the symbols of its target.
  void append_target(const Record& record, std::vector<std::int32_t>& out) const;
  void append_target(std::uint64_t rule, std::vector<std::int32_t>& out) const {
    append_target(record(rule), out);
  }
  /// Its links replace what is there.
  void read_links(const Record& record, std::vector<RuleLink>& out) const;
  /// Writes as many numbers as there are features.
  void read_features(const Record& record, float* out) const;
  /// The same, and its counts: of the rule, of its source and of its target.
  void read_numbers(const Record& record, float* features,
                    std::array<double, num_counts>& counts) const;
  std::uint64_t id(std::uint64_t rule) const;
  /// The ids of rules; refuses numbers that no rule has.
  std::vector<std::int64_t> ids(std::span<const std::int64_t> rules) const;
  /// The features of rules, a row each; refuses numbers that no rule has.
  std::vector<float> feature_rows(std::span<const std::int64_t> rules) const;
  /// The rule of an id; size() if there is none.
  std::uint64_t rule_of(std::uint64_t id) const;
  /// Adds values to those that the rules of ids have in `out`, by their numbers. Ids ascend; those
  /// of no rule are ignored. How many rules have been given a value that is not 0.
  std::uint64_t add_by_id(std::span<const std::int64_t> ids, std::span<const double> values,
                          std::span<double> out) const;
  /// The rule that is the last one of its source, from this one on.
  std::uint64_t last_of_source(std::uint64_t rule) const {
    return next_set_bit(last_, layout_.rules, rule);
  }

  /// Refuses what a writer never writes.
  void check() const;

 private:
  using Counts = Degrees<RuleError>;
  struct Target {
    bool is_in_pool;
    std::uint64_t place, length;
  };

  std::uint64_t checked(std::int64_t rule) const;
  void check_text() const;
  void check_nodes() const;
  void check_record(const Record& record) const;
  void check_rule(std::uint64_t rule, std::span<const std::int32_t> source,
                  RuleBuffer& buffer) const;
  std::uint64_t rank(std::uint64_t node) const {
    return bits_at(nodes_, (node - 1) * layout_.node_width(),
                   static_cast<int>(layout_.symbol_width));
  }
  bool has_rules(std::uint64_t node) const {
    return bits_at(nodes_, node * layout_.node_width() - 1, 1) != 0;
  }
  std::uint64_t first_rule(std::uint64_t node) const;
  std::uint64_t left_place() const;  // in a record
  Node child(Node node, std::uint64_t rank) const;
  /// The first of the rules begin .. end-1 whose id is not below this one; ids ascend.
  std::uint64_t first_from(std::uint64_t id, std::uint64_t begin, std::uint64_t end) const;
  /// Bits of a rule's shape, and of its record.
  std::uint64_t shape(std::uint64_t rule) const {
    return bits_at(shapes_, rule * layout_.shape_width, static_cast<int>(layout_.shape_width));
  }
  std::uint64_t width(std::uint64_t shape) const {
    std::uint64_t width = fixed_width_;
    for (const auto& widths : widths_of_bytes_) {
      width += widths[shape & 0xff];
      shape >>= 8;
    }
    return width;
  }
  void set_widths();
  Target target(const Record& record) const;
  std::int64_t sentence_of(std::uint64_t place) const;
  std::uint64_t field(const Record& record, std::uint64_t from, std::uint64_t width) const {
    return bits_at(records_, record.place + from, static_cast<int>(width));
  }
  /// The codes of a record, one behind the other: those of its links, and of each group.
  struct Coded {
    int shape_width;
    std::uint64_t shape_place, codes;
    std::uint64_t first[CodeWidths::most], width[CodeWidths::most];
    std::size_t widths;  // behind these, there is no code
  };
  Coded coded(std::size_t field, const CodeWidths& code, std::uint64_t others) const;
  static constexpr std::uint64_t no_code = ~std::uint64_t{0};
  /// Reads one, and goes on to behind it; no_code leaves the place where it is.
  std::uint64_t read_code(const Coded& coded, std::uint64_t shape, std::uint64_t& place) const {
    const std::uint64_t which =
        shape >> coded.shape_place & ((std::uint64_t{1} << coded.shape_width) - 1);
    if (which >= coded.widths) return no_code;
    const std::uint64_t found = bits_at(records_, place, static_cast<int>(coded.width[which]));
    place += coded.width[which];
    return coded.first[which] + found;
  }
  /// Calls body(column, bits) for the numbers of a record.
  template <class Body>
  void for_each_number(const Record& record, Body&& body) const;

  TableLayout layout_;
  TableWords source_words_, target_words_;
  const std::uint8_t *nodes_, *last_, *records_, *shapes_, *blocks_, *ids_, *text_, *text_start_,
      *pool_, *links_, *codes_;
  Counts children_, places_, link_counts_;
  Children top_{};  // of the root, which has so many that finding their end takes its time
  std::vector<Coded> coded_;
  std::uint64_t codes_place_ = 0, fixed_width_ = 0;  // in a record: bits before codes, of all
  std::vector<std::uint64_t> tuple_widths_;          // of groups, in bits
  std::vector<std::array<std::uint32_t, 256>> widths_of_bytes_;  // of what bytes of a shape say
};

template <class Body>
void RuleTable::for_each_source(Body&& body) const {
  std::vector<std::int32_t> source;
  std::vector<Children> open{children(root())};
  std::uint64_t visited = 0, rules = 0;
  while (!open.empty()) {
    if (open.back().begin == open.back().end) {
      open.pop_back();
      if (!source.empty()) source.pop_back();
      continue;
    }
    const Node node{open.back().begin++};
    if (visited++ == layout_.nodes || open.size() > layout_.levels)
      fail<RuleError>("file.damaged", "its sources are damaged");
    source.push_back(symbol(node));
    const RuleRange range = this->rules(node);
    if (!range.is_empty()) {
      if (range.first != rules) fail<RuleError>("file.damaged", "its sources are damaged");
      rules = range.last;
      body(std::span<const std::int32_t>(source), range);
    }
    open.push_back(children(node));
  }
  if (rules != layout_.rules) fail<RuleError>("file.damaged", "its sources are damaged");
}

}  // namespace rosewood
