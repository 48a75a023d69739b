// core/decode/options.hpp: translation options of a sentence. No Python here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/phrase_model.hpp"

namespace rosewood {

enum class UnknownWords : std::uint8_t { copy, drop };
enum class GivenKind : std::uint8_t {
  forced,  // no other option may overlap with the span
  added,   // in addition to the options of the table
  unknown  // for a word without an option in the table
};

/// Words of a text that the caller owns.
using TextWords = std::span<const std::string_view>;

/// A translation of a span that does not come from the table.
struct GivenOption {
  std::int32_t begin, end;
  GivenKind kind;
  TextWords target;
};

/// Rules that have other features in one sentence than in the table: `added` has a row for each
/// rule, what is added to its features at `columns`. A rule with an addition of -infinity is left
/// out.
struct RuleChanges {
  std::span<const std::int64_t> rules;  // ascending
  std::span<const std::size_t> columns;
  std::span<const double> added;

  /// The row of a rule; empty: it stays as it is.
  std::span<const double> of(std::uint64_t rule) const;
};

enum class OptionOrigin : std::uint8_t { table, given, unknown };

/// The options of one sentence in flat arrays, by the first word of their span: for each first word
/// those of the table, by the end of the span; those that are given, likewise; and, if there is no
/// option for this word alone, one for the unknown word.
struct SentenceOptions {
  std::int32_t length = 0;               // source words
  std::vector<std::int32_t> begin, end;  // -1: a rule with gaps, which may match several spans
  std::vector<std::int64_t> rule;        // number in the table; -1: none
  std::vector<OptionOrigin> origin;
  std::vector<EdgeLinks> links;
  std::vector<std::int64_t> link_start;  // of rule_links; empty unless reordering models want them
  std::vector<RuleLink> rule_links;
  std::vector<std::int64_t> target_start{0};
  std::vector<std::int32_t> target;  // target words of the table, then extra_words
  std::vector<std::string> extra_words;
  std::vector<double> features;      // rows of those that are stateless
  std::vector<double> orientations;  // rows of log probabilities
  std::vector<double> added_score;   // what further features are worth; empty: nothing

  std::size_t size() const { return begin.size(); }
  /// Columns of `rows`, features or orientations, from `first` on: a row for each option.
  void set_columns(std::vector<double>& rows, std::size_t first, std::span<const double> values,
                   std::size_t columns);
  /// The links of an option's words, counted from the beginning of its phrases.
  std::span<const RuleLink> links_of(std::size_t option) const {
    return std::span(rule_links)
        .subspan(static_cast<std::size_t>(link_start[option]),
                 static_cast<std::size_t>(link_start[option + 1] - link_start[option]));
  }
  std::span<const std::int32_t> target_of(std::size_t option) const {
    return std::span(target).subspan(
        static_cast<std::size_t>(target_start[option]),
        static_cast<std::size_t>(target_start[option + 1] - target_start[option]));
  }
};

/// Finds the options of a sentence, with the log probabilities of native reordering models.
/// `changes` must outlive the call only.
SentenceOptions find_sentence_options(const WeightedPhraseModel& model, TextWords words,
                                      std::size_t max_span, std::span<const GivenOption> given,
                                      UnknownWords unknown, const RuleChanges& changes = {});

/// The numbers of target words; -1 for those that no option has.
std::vector<std::int32_t> number_target(const RuleTable& table, const SentenceOptions& options,
                                        TextWords words);

/// Appends the target words of an option as language models number them: first all of the first
/// model, then of the second and so on. Gaps are 0.
void append_lm_words(const RuleModel& model, const SentenceOptions& options, std::size_t option,
                     std::vector<std::uint32_t>& out);

/// The score of the features that an option has by itself, and the weight of its rule.
double score_alone(const WeightedRules& model, const SentenceOptions& options, std::size_t option);

/// Refuses a score of an option that is not a number, or so large that sums are none.
void check_score(const SentenceOptions& options, std::size_t option, double score);

/// Positions of words without an option of length one in the table.
std::vector<std::int32_t> words_without_option(const RuleTable& table, TextWords words);

}  // namespace rosewood
