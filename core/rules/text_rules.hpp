// core/rules/text_rules.hpp: rules read from text, in any order, to be sorted and written to a
// table. No Python here.
//
// All rules are kept in memory, in flat arrays. finish() numbers words and labels in the order of
// their bytes, so that the numbers do not depend on the order of the lines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "rules/rule.hpp"
#include "rules/table_writer.hpp"

namespace rosewood {

/// A symbol of a rule: a word; or a gap, with a label (in the source) and a number (in the target:
/// which gap of the source).
struct TextSymbol {
  std::string_view text;
  std::int32_t gap = -1;  // from 0; negative: a word
};

struct TextFeature {
  std::string_view name;
  float value;
};

/// A rule as a line has it.
struct TextRule {
  std::string_view left;
  std::vector<TextSymbol> source, target;
  std::vector<RuleLink> links;
  std::vector<TextFeature> features;
  std::array<double, 3> counts{};  // of the rule, its source, its target
};

class TextRules {
 public:
  TextRules();

  /// Adds a rule and returns 0; or, if the same rule was added before, returns the line of that.
  std::int64_t add(const TextRule& rule, std::int64_t line);
  /// The number of a phrase pair (no gaps, left-hand side X), or -1. Only before finish().
  std::int64_t find(std::span<const std::string_view> source,
                    std::span<const std::string_view> target) const;

  /// Adds columns after the features: `width` numbers for each rule, all equal to `missing`.
  void add_columns(std::size_t width, float missing);
  std::span<float> columns(std::int64_t rule) {
    return {columns_.data() + static_cast<std::size_t>(rule) * width_, width_};
  }

  /// Ends adding: numbers words and labels, and sorts the rules by source. Rules of one source are
  /// sorted by the feature `by`, the largest first; if `by` is negative, they keep their order.
  void finish(std::int32_t by);

  std::int64_t size() const { return static_cast<std::int64_t>(line_.size()); }
  /// The names of features, without columns that were added.
  const WordTable& features() const { return features_; }
  /// After finish(). X is always the first label.
  const WordTable& labels() const { return labels_; }
  const WordTable& source_words() const { return source_words_; }
  const WordTable& target_words() const { return target_words_; }

  /// Whether every rule has this value of a feature, and giving each another one.
  bool is_constant(std::int32_t feature, float value) const;
  void set_constant(std::int32_t feature, float value);

  /// The rule at a place of the order, with all its features; valid until the next call with the
  /// same room. Behind `finish`.
  struct Room {
    std::vector<float> features;
  };
  RuleView view(std::int64_t place, Room& room) const;
  /// Some of the rules, in order, into a table whose features are these and the columns.
  void write(RuleTableWriter& writer, std::int64_t begin, std::int64_t end) const;
  std::int64_t line(std::int64_t place) const { return line_[at(order_[at(place)])]; }

 private:
  static std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }
  struct Symbols {  // of one side of all rules
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> symbol;
    std::span<const std::int32_t> operator[](std::int64_t rule) const {
      return {symbol.data() + start[at(rule)], at(start[at(rule) + 1] - start[at(rule)])};
    }
    void close() { start.push_back(static_cast<std::int64_t>(symbol.size())); }
  };

  std::size_t slot_of(std::int32_t left, std::span<const std::int32_t> source,
                      std::span<const std::int32_t> target) const;
  void grow();
  void renumber(Symbols& side, WordTable& words, bool has_labels);

  WordTable labels_, features_, source_words_, target_words_;
  std::vector<std::int32_t> left_;
  Symbols source_, target_;
  std::vector<std::int64_t> link_start_{0}, feature_start_{0}, line_;
  std::vector<RuleLink> links_;
  std::vector<std::uint16_t> feature_;
  std::vector<float> value_;
  std::vector<std::array<double, 3>> counts_;
  std::size_t width_ = 0;
  std::vector<float> columns_;
  std::vector<std::int64_t> slots_, order_;
  std::vector<std::int32_t> label_rank_;
  std::vector<std::int32_t> new_source_, new_target_;  // of the rule that is added
};

}  // namespace rosewood
