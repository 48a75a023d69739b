// core/rules/text_writer.hpp: a table of rules as the text of other programs, block by block. No
// Python here.
//
// Numbers are written with as few digits as are read back as the same ones; probabilities of Moses
// with six at least, as it does itself. What a format cannot say is refused.
#pragma once

#include <cstdint>
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
};

class RuleTextWriter {
 public:
  /// The table must stay.
  RuleTextWriter(const RuleTable& table, TextPlan plan, int threads);

  /// The next lines; empty behind the last one.
  std::string next();

 private:
  enum class Style { named, negated, probability, penalty };

  void check_names() const;
  void choose_styles();
  bool is_writable(std::string_view word, bool is_target) const;
  std::vector<bool> unwritable(const TableWords& words, bool is_target) const;
  void format(std::uint64_t begin, std::uint64_t end, std::string& out) const;
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
  std::vector<bool> bad_source_, bad_target_;
  std::uint64_t next_ = 0;
};

}  // namespace rosewood
