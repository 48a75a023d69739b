// core/decode/large_features.hpp: the large feature set (Toutanova & Ahn 2013): columns of a rule
// that are computed from its words, links and counts while options are looked up. No Python here.
//
// Columns, in this order:
//   source_words, target_words                  words of each side, gaps not counted
//   log_count, …_source_count, …_target_count   log(1 + x) of the counts of the rule table
//   morpheme_ef, morpheme_fe                    log lexical weights over morphemes
//   deletes WORD, inserts WORD                  unlinked source and target words, for each of the
//                                               top words of a side
//   deletes CLASS, inserts CLASS                the same for each word class of a side
//   links CLASS to CLASS                        links between words of two classes, for the class
//                                               pairs that have a column
// A lexical weight is that of Koehn et al. (2003). Its probability of a word t given a word s is
// the product over the morphemes of t of the mean of p(morpheme | m) over the morphemes m of s. No
// word has less than `least_probability`.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "corpus/segmenter.hpp"
#include "rules/table.hpp"

namespace rosewood {

inline constexpr double least_probability = 1e-7;

/// What is known of the words of one side.
struct LargeFeatureSide {
  std::unordered_map<std::string, std::int32_t> top;      // numbers 0 .. n-1 of the top words
  std::unordered_map<std::string, std::int32_t> classes;  // 1 .. num_classes
  std::int32_t num_classes = 0;
  const Segmenter* segmenter = nullptr;
};

/// How often morphemes are linked, in ascending order: source and target morpheme; -1 stands for
/// nothing, which morphemes without links are linked to.
struct MorphemeLinks {
  std::span<const std::int32_t> source, target;
  std::span<const std::int64_t> count;
};

/// Relative frequencies of linked morphemes in both directions.
class MorphemeLexicon {
 public:
  /// Refuses morphemes that the sides do not have, and pairs that do not ascend.
  MorphemeLexicon(const MorphemeLinks& links, std::size_t source, std::size_t target);

  struct Probabilities {
    double ef = 0, fe = 0;  // p(target | source), p(source | target)
  };
  Probabilities of(std::int32_t source, std::int32_t target) const;

 private:
  std::vector<std::int64_t> start_;  // of the entries of each source morpheme plus one
  std::vector<std::int32_t> target_;
  std::vector<Probabilities> values_;
};

/// The large feature set, for rules of any table. Segmenters must outlive it.
class LargeFeatures {
 public:
  /// `class_pairs` have a column each. Refuses classes that there are not.
  LargeFeatures(LargeFeatureSide source, LargeFeatureSide target,
                std::span<const std::pair<std::int32_t, std::int32_t>> class_pairs,
                const MorphemeLinks& links);

  std::size_t columns() const { return columns_; }
  const LargeFeatureSide& side(bool is_source) const { return is_source ? source_ : target_; }
  const MorphemeLexicon& lexicon() const { return lexicon_; }

  // The first column of each block.
  static constexpr std::size_t words = 0, counts = 2, morphemes = 5, first_block = 7;
  std::size_t deleted_words() const { return first_block; }
  std::size_t inserted_words() const { return deleted_words() + source_.top.size(); }
  std::size_t deleted_classes() const { return inserted_words() + target_.top.size(); }
  std::size_t inserted_classes() const {
    return deleted_classes() + static_cast<std::size_t>(source_.num_classes);
  }
  /// The column of links between two classes; -1: none.
  std::int32_t link_column(std::int32_t source, std::int32_t target) const {
    return link_columns_[static_cast<std::size_t>(source) *
                             static_cast<std::size_t>(target_.num_classes + 1) +
                         static_cast<std::size_t>(target)];
  }

 private:
  LargeFeatureSide source_, target_;
  MorphemeLexicon lexicon_;
  std::vector<std::int32_t> link_columns_;
  std::size_t columns_;
};

/// The large feature set for the rules of one table.
class LargeFeatureScorer {
 public:
  /// Both must outlive it.
  LargeFeatureScorer(const LargeFeatures& features, const RuleTable& table);
  ~LargeFeatureScorer();

  std::size_t columns() const { return features_.columns(); }

  /// Room for the rules of one sentence, in which the same pairs of words occur again and again.
  struct Room {
    std::unordered_map<std::uint64_t, MorphemeLexicon::Probabilities> pairs;
    struct Sum {
      double ef_or_fe;
      int links;
    };
    std::vector<Sum> of_source, of_target;
  };
  /// Writes all columns of a rule into a row of zeros.
  void fill(std::span<const std::int32_t> source, std::span<const std::int32_t> target,
            std::span<const RuleLink> links, const std::array<double, num_counts>& counts,
            Room& room, double* row) const;

 private:
  struct Word {
    std::int32_t top, word_class;
    std::vector<std::int32_t> morphemes;
    double alone;  // its probability without a link
  };
  using Words = std::vector<std::atomic<const Word*>>;

  const Word& word(bool is_source, std::int32_t number) const;
  const Word* made(bool is_source, std::int32_t number) const;
  MorphemeLexicon::Probabilities probabilities(const Word& source, const Word& target) const;

  const LargeFeatures& features_;
  const RuleTable& table_;
  // Made when they are first asked for; whoever makes one makes the same.
  mutable Words source_, target_;
};

}  // namespace rosewood
