// core/rules/text_reader.hpp: text tables of other programs, block by block: rules, and how their
// phrases are reordered. No Python here.
//
// A block may end anywhere: what stands behind its last line feed waits for the next one. Empty
// lines are passed over. A bad line ends the reading, or is skipped and counted.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/indexer.hpp"
#include "rules/text_line.hpp"
#include "rules/text_rules.hpp"

namespace rosewood {

/// What the readers of lines share.
class LineReader {
 public:
  LineReader(std::int64_t max_bytes, bool skip_bad) : max_bytes_(max_bytes), skip_bad_(skip_bad) {}
  virtual ~LineReader() = default;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Takes the next bytes of the text. Stops at the first bad line, and stays there.
  std::optional<BadLine> feed(std::string_view block);
  /// The text has ended: what waits is its last line.
  std::optional<BadLine> finish();

  /// Bad lines that were skipped, and the first few of them.
  std::int64_t skipped() const { return skipped_; }
  const std::vector<BadLine>& examples() const { return examples_; }
  /// Probabilities that are 0, or as good as.
  std::int64_t zeros() const { return zeros_; }

 protected:
  /// Says what is wrong with it; such a line must leave no trace.
  virtual Reason read(const TextLine& line, std::int64_t number) = 0;
  /// Numbers of a field as log probabilities; says what is wrong.
  Reason read_probabilities(TextLine::Field field, std::vector<float>& logs);
  void count_zeros(const std::vector<float>& logs);

 private:
  void read_lines(std::string_view text);
  void refuse(Reason reason);

  std::int64_t max_bytes_;
  bool skip_bad_;
  bool is_dropping_ = false;  // the rest of a line that was too long
  std::int64_t lines_ = 0, skipped_ = 0, zeros_ = 0;
  std::vector<BadLine> examples_;
  std::string waiting_;
  std::optional<BadLine> bad_;
  TextLine line_;
};

/// Rules of any of the formats.
///
/// Moses      scores are probabilities, and become natural logarithms, called score_1, score_2, …;
///            counts are those of target, source and both. What stands behind them is counted and
///            left out. The gaps of a grammar are matched by its alignment
/// cdec       features are as they stand; those without a name are PhraseModel_0, …
/// Joshua     features with a name are as they stand; those without one are negated, as Joshua
///            does, and called `prefix`0, …
class RuleTextReader : public LineReader {
 public:
  RuleTextReader(RuleFormat format, std::string prefix, std::int64_t max_bytes, bool skip_bad);

  TextRules& rules() { return rules_; }
  /// Lines that have sparse features or properties, which tables do not have.
  std::int64_t left_out() const { return left_out_; }
  /// Phrases whose sides both end with a label: if all do, they are rules of a grammar.
  std::int64_t labelled() const { return labelled_; }

 protected:
  Reason read(const TextLine& line, std::int64_t number) override;

 private:
  Reason read_moses(const TextLine& line);
  Reason read_hiero(const TextLine& line);
  Reason read_moses_sides(TextLine::Field source, TextLine::Field target);
  Reason read_hiero_sides(TextLine::Field source, TextLine::Field target);
  Reason read_links(TextLine::Field field);
  Reason match_gaps();
  Reason read_counts(TextLine::Field field);
  Reason read_features(TextLine::Field field);
  Reason read_feature(std::string_view text, std::size_t& without_name);
  std::string_view unnamed(std::size_t place);

  RuleFormat format_;
  std::string prefix_;
  TextRules rules_;
  TextRule rule_;
  std::string left_;        // where a rule has two labels
  std::size_t scores_ = 0;  // of every line; 0 before the first
  std::vector<float> logs_;
  std::vector<std::int64_t> gap_numbers_;
  std::vector<RuleLink> gap_links_;
  std::deque<std::string> unnamed_;  // names of features that have none
  std::int64_t left_out_ = 0, labelled_ = 0;
};

/// A Moses reordering table, `source ||| target ||| probabilities`, joined with rules.
class ReorderingReader : public LineReader {
 public:
  /// Of `directions` times `classes` probabilities; a rule without a line has each class alike.
  ReorderingReader(TextRules& rules, std::size_t directions, std::size_t classes,
                   std::int64_t max_bytes, bool skip_bad);

  /// Lines that no rule has, and rules that no line has.
  std::int64_t unmatched() const { return unmatched_; }
  std::int64_t missing() const { return rules_.size() - matched_; }

 protected:
  Reason read(const TextLine& line, std::int64_t number) override;

 private:
  TextRules& rules_;
  std::size_t width_;
  std::vector<std::int64_t> line_of_;  // where a rule's probabilities stand; 0: nowhere
  std::vector<float> logs_;
  std::int64_t matched_ = 0, unmatched_ = 0;
};

}  // namespace rosewood
