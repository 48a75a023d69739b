// core/rules/scores.hpp: from counts to scores: rules that are kept, in the order in which a table
// has them. No Python here.
//
// Features    phrase_ef, phrase_fe, lexical_ef, lexical_fe, rule_penalty; glue, if there are gaps;
//             orientations, if they were counted: backward, then forward; logarithms all but
//             rule_penalty and glue
// Order       of one source: by phrase_ef, then phrase_fe, then as the targets' words are numbered
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/lexical.hpp"
#include "rules/pairs.hpp"
#include "rules/significance.hpp"
#include "rules/table_writer.hpp"

namespace rosewood {

struct ScoreSettings {
  enum class Smoothing { plain, good_turing, kneser_ney } smoothing = Smoothing::plain;
  std::array<double, 10> good_turing{};  // what is left of counts 1 .. 9
  Discounts kneser_ney{};
  double min_count = 0;
  std::uint64_t min_gapped = 0;  // how often a rule with gaps was seen
  std::int64_t limit = 0;        // rules of one source; 0: all
  double min_significance = 0;   // of phrase pairs; 0: no test
  bool has_gaps = false;
  bool has_orientation = false;
  bool splits_discontinuous = true;           // left and right are classes of their own
  std::array<double, 8> orientation_prior{};  // what is added to each count, by class
};

class RuleScorer {
 public:
  RuleScorer(const AlignedCorpus& corpus, const LexicalWeights& lexicon,
             const ScoreSettings& settings, const RuleTotals& totals, PairReader pairs,
             RuleTableWriter& table, int threads);
  /// With this, min_significance is tested.
  void set_index(PhraseIndex source, PhraseIndex target);

  /// Some more rules; how many of them are done. 0: all.
  std::int64_t step();

  std::int64_t kept() const { return kept_; }
  std::int64_t rare() const { return rare_; }  // under min_count or min_gapped
  std::int64_t insignificant() const { return insignificant_; }
  std::int64_t over_limit() const { return over_limit_; }

 private:
  struct Item {
    RulePair pair;
    TargetMarginal target;
    RuleText text;
    double source_count = 0;
    std::array<float, 14> features{};
    bool is_significant = true;
  };
  /// Some whole sources.
  struct Batch {
    std::vector<Item> items;
    std::size_t held = 0;            // of items
    std::vector<std::size_t> first;  // the first items of each source, and held
  };
  bool is_rare(const RulePair& pair) const;
  void read_next();
  void read(Batch& batch);
  void score(Batch& batch, int threads);
  void score(std::span<Item> items, SentenceCounter* counter) const;
  void score_orientations(Item& item) const;
  void write(const Batch& batch);
  void write(std::span<const Item> items);
  void write_glue(bool is_first);
  std::size_t num_features() const;

  AlignedCorpus corpus_;
  const LexicalWeights& lexicon_;
  ScoreSettings settings_;
  RuleTotals totals_;
  PairReader pairs_;
  RuleTableWriter& table_;
  int threads_;
  std::vector<SentenceCounter> counters_;  // one a thread, if there is an index
  RulePair next_;                          // the first rule that is in no batch yet
  TargetMarginal next_target_;
  bool has_next_ = false;
  Batch now_, ahead_;  // what is written while what comes next is scored
  std::vector<const Item*> order_;
  bool is_begun_ = false, has_second_glue_ = false;
  std::int64_t kept_ = 0, rare_ = 0, insignificant_ = 0, over_limit_ = 0;
};

}  // namespace rosewood
