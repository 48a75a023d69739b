// core/rules/instances.hpp: every place in the corpus where a rule is seen, sorted so that those of
// one rule stand together. No Python here.
//
// An instance is a row of fields, as wide as this corpus needs them. The first ones name the rule
// (see ranks.hpp), its source and then its target; the others say where it stands, how the phrases
// next to it lie, how large its gaps are, and what it counts.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "rules/aligned_corpus.hpp"
#include "rules/gaps.hpp"
#include "rules/orientation.hpp"
#include "rules/ranks.hpp"
#include "rules/rule.hpp"
#include "util/bit_fields.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

struct InstanceSettings {
  std::int32_t max_phrase = 7;
  bool has_gaps = false;  // rules with gaps, too
  GapSettings gaps;
  bool has_orientation = false;  // of phrase pairs
  OrientationKind orientation = OrientationKind::hierarchy;
  /// Words that stand for values such as placeholders. A rule has none, or one on each side: then
  /// every derivation has as many as the source, and it is known which is which.
  std::vector<std::int32_t> source_values = {}, target_values = {};

  /// The longest run of words that a rule has.
  std::int32_t longest_source() const { return has_gaps ? gaps.max_source : max_phrase; }
  std::int32_t longest_target() const { return has_gaps ? gaps.max_target : max_phrase; }
};

/// How many words there are between the gaps of each side of a rule, and how many in the gaps.
struct RuleShape {
  std::int32_t gaps = 0;
  bool is_crossed = false;  // the first gap of the target is the second of the source
  std::int32_t source[3] = {}, target[3] = {};
  std::int32_t source_gap[2] = {}, target_gap[2] = {};  // in the order of their own side

  std::int32_t source_symbols() const { return gaps + source[0] + source[1] + source[2]; }
  std::int32_t target_symbols() const { return gaps + target[0] + target[1] + target[2]; }
};

/// A place: where the rule's source begins in the text, and its target in the sentence.
struct RulePlace {
  std::uint32_t source;
  std::uint32_t target;  // counted from the beginning of the sentence
};

/// Symbols and links of the rule that stands at a place.
struct RuleText {
  std::vector<std::int32_t> source, target;  // gaps as in rule.hpp, all of label 0
  std::vector<RuleLink> links;
  std::int64_t sentence = -1;
  std::int64_t target_place = -1;  // in the text of the target
};
void read_rule(const AlignedCorpus& corpus, const RuleShape& shape, RulePlace place,
               RuleText& text);
/// Only its links, in the order of the source.
void read_rule_links(const AlignedCorpus& corpus, const RuleShape& shape, RulePlace place,
                     std::vector<RuleLink>& links);

/// A pattern of links as a number: exactly where it fits, else a hash with the highest bit set. Of
/// use only to count how often each pattern is seen; links themselves are read from the corpus.
std::uint64_t link_pattern(std::span<const RuleLink> links, std::int32_t source_symbols,
                           std::int32_t target_symbols);
/// Which of two patterns that are as frequent is taken, as Moses does: the one whose target words
/// have the greater partners. Of those that are hashes, the one that was seen first.
bool is_taken_before(std::uint64_t a, std::uint64_t b, std::int32_t source_symbols);

/// How a row is cut.
struct InstanceFields {
  InstanceFields(const AlignedCorpus& corpus, const InstanceSettings& settings);

  using Field = BitFields::Field;
  struct Run {
    Field rank, length;
  };
  struct Side {
    Run run[3];
    Field has_gap[2];  // behind the first and the second run
    Field is_crossed;  // of targets
  };
  BitFields all;
  Side source, target;
  int source_bits, name_bits;  // of the source, and of the source and the target
  Field source_place, target_place, backward, forward, source_gap[2], target_gap[2], share;
};

class InstanceCollector {
 public:
  /// Ranks are those of rank_phrases for the longest runs of the settings.
  InstanceCollector(const AlignedCorpus& corpus, const InstanceSettings& settings,
                    std::span<const std::uint32_t> source_ranks,
                    std::span<const std::uint32_t> target_ranks, SortRoom room);

  /// Sentences begin .. end-1; in order, each once.
  void add(std::int64_t begin, std::int64_t end);
  void finish() { sorter_.finish(); }

  std::uint64_t size() const { return sorter_.size(); }
  /// Rows in the order of their rules; null behind the last one.
  const std::uint64_t* next() { return sorter_.next(); }

  const AlignedCorpus& corpus() const { return corpus_; }
  const InstanceSettings& settings() const { return settings_; }
  const InstanceFields& fields() const { return fields_; }
  bool is_same_source(const std::uint64_t* a, const std::uint64_t* b) const {
    return BitFields::is_same(a, b, fields_.source_bits);
  }
  bool is_same_rule(const std::uint64_t* a, const std::uint64_t* b) const {
    return BitFields::is_same(a, b, fields_.name_bits);
  }

  struct Instance {
    RulePlace place;
    RuleShape shape;
    int backward, forward;  // orientations
    std::int32_t share;     // it counts 1 / share
  };
  Instance read(const std::uint64_t* row) const;
  /// The name of a rule's target, as two numbers.
  std::array<std::uint64_t, 2> target_name(const std::uint64_t* row) const;

 private:
  struct Worker;
  void take(std::vector<std::uint64_t>& rows);
  void phrases(Worker& worker, std::int64_t sentence) const;
  void gapped(Worker& worker, std::int64_t sentence) const;
  void set_values(Worker& worker, std::int64_t sentence) const;
  void put_place(std::uint64_t* row, std::int64_t source, std::int32_t target) const;
  void put_source(std::uint64_t* row, const InstanceFields::Run& run, std::int64_t place,
                  std::int32_t length) const;
  void put_target(std::uint64_t* row, const InstanceFields::Run& run, std::int64_t place,
                  std::int32_t length) const;

  AlignedCorpus corpus_;
  InstanceSettings settings_;
  InstanceFields fields_;
  std::span<const std::uint32_t> source_ranks_, target_ranks_;
  int threads_;
  std::mutex taking_;
  RowSorter sorter_;
};

}  // namespace rosewood
