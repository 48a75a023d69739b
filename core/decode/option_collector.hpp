// core/decode/option_collector.hpp: options of a sentence, put together one by one. No Python here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/options.hpp"

namespace rosewood {

/// Adds options to those of a sentence, with the features they have by themselves.
class OptionCollector {
 public:
  /// Models of words want the links at the edges of options; others all of them.
  OptionCollector(const RuleModel& model, SentenceOptions& out, bool needs_edge_links,
                  bool keeps_links = false, const RuleChanges& changes = {});

  /// A rule of the table, with so many gaps; false if it is left out.
  bool add_rule(std::int32_t begin, std::int32_t end, const RuleTable::Record& record,
                std::int32_t gaps = 0);
  /// A translation that is not in the table.
  void add_words(std::int32_t begin, std::int32_t end, TextWords target, OptionOrigin origin);

 private:
  std::int32_t place(std::int32_t begin, std::int32_t end, std::int64_t rule, OptionOrigin origin);
  std::int32_t word_number(std::string_view word);
  void fill_large(const RuleTable::Record& record, double* row);

  const RuleModel& model_;
  SentenceOptions& out_;
  std::vector<float> values_;
  std::array<double, num_counts> counts_{};
  std::vector<RuleLink> links_;
  bool needs_edge_links_, keeps_links_;
  RuleChanges changes_;
  std::unordered_map<std::string, std::size_t> extra_;
  // The source of the last rule, which rules until source_end_ have, too.
  std::vector<std::int32_t> source_;
  std::uint64_t source_begin_ = 0, source_end_ = 0;
  LargeFeatureScorer::Room room_;
};

/// The translations that are given for spans of a sentence.
class GivenOptions {
 public:
  /// Refuses spans that are not in a sentence of `length` words, and forced ones that overlap.
  GivenOptions(std::span<const GivenOption> given, std::int32_t length);

  /// Those of spans that begin at a word, by their ends.
  std::span<const GivenOption* const> at(std::size_t word) const { return at_[word]; }
  /// The forced one that a word belongs to; null: none.
  const GivenOption* forced(std::size_t word) const { return forced_[word]; }
  bool has_forced(std::size_t begin, std::size_t end) const;
  /// Adds those that begin at a word and, if `has_option` is false and none of them is for this
  /// word alone, one for the unknown word.
  void add(std::size_t word, TextWords words, bool has_option, UnknownWords unknown,
           OptionCollector& collector) const;

 private:
  std::vector<const GivenOption*> forced_;
  std::vector<std::vector<const GivenOption*>> at_;
};

/// The numbers that a table has for words; -1: none.
std::vector<std::int32_t> word_numbers(const TableWords& table, TextWords words);

}  // namespace rosewood
