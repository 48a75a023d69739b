// core/rules/text_writer.hpp: a table of rules as the text of other programs, block by block. No
// Python here.
//
// Numbers are written with as few digits as are read back as the same ones; probabilities of Moses
// with six at least, as it does itself. Rules that a format cannot say are refused, or left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/table.hpp"
#include "rules/text_line.hpp"

namespace rosewood {

/// What is written of a table.
struct TextPlan {
  RuleFormat format;
  std::vector<std::string> labels;    // names of all labels
  std::vector<std::string> features;  // names of all features
  std::vector<std::size_t> columns;   // the features that are written, in this order
  std::string prefix;                 // for Joshua: features `prefix`0, … are written without names
  bool skips_unwritable = false;      // rules that the format cannot say are left out
};

class RuleTextWriter {
 public:
  /// The table must stay.
  RuleTextWriter(const RuleTable& table, TextPlan plan, int threads);

  /// The next lines; empty behind the last one.
  std::string next();
  /// How many rules were left out so far.
  std::uint64_t skipped() const { return skipped_; }

 private:
  enum class Style { named, negated, probability, penalty };

  std::string next_batch();
  void check_features() const;
  void choose_styles();
  bool is_writable(std::string_view word, bool is_target) const;
  std::vector<bool> unwritable(const TableWords& words, bool is_target) const;
  bool is_writable_label(const std::string& label) const;
  /// Returns how many rules are left out.
  std::uint64_t format(std::uint64_t begin, std::uint64_t end, std::string& out) const;
  /// Why the format cannot say a rule; empty, if it can.
  Reason why_unwritable(const RuleBuffer& rule) const;
  Reason why_unwritable(std::span<const std::int32_t> symbols, bool is_target) const;
  void put_rule(const RuleBuffer& rule, std::uint64_t number, std::string& out) const;
  void put_side(const RuleBuffer& rule, std::uint64_t number, bool is_target,
                std::string& out) const;
  const std::string& label(std::int32_t number) const;
  void put_gap(std::int32_t label, std::int32_t gap, bool is_target, std::string& out) const;
  void put_columns(const RuleBuffer& rule, std::string& out) const;
  void put_links(const RuleBuffer& rule, std::string& out) const;

  const RuleTable& table_;
  TextPlan plan_;
  int threads_;
  std::vector<Style> styles_;  // of columns
  std::vector<bool> bad_source_, bad_target_, bad_labels_;
  std::uint64_t next_ = 0, skipped_ = 0;
};

}  // namespace rosewood
