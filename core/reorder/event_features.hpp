// core/reorder/event_features.hpp: what reordering models look at, as numbers: aligned words of a
// phrase pair, source words beside it, words at its edges. No Python here.
//
// A feature is a key of 64 bits: the template (8 bits) and two symbols (28 bits each), word or
// class numbers.
//
//   template   kind (3 bits), whether symbols are classes (1 bit), position (4 bits)
//   pair       source and target word of a link; position 0
//   context    a source word beside the phrase; position d is d words to the left of it, 8+d to the
//              right, and 0 wherever sides are not told apart
//   source     first (position 1) and last (2) source word of the phrase
//   target     first and last target word of the phrase
//
// The same function makes the keys of training events and of translation options.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "util/error.hpp"

namespace rosewood {

using FeatureKey = std::uint64_t;

enum class FeatureFamily : std::uint8_t { pair = 0, context = 1, source_edge = 2, target_edge = 3 };
enum class FeatureSymbols : std::uint8_t { words = 0, classes = 1, both = 2 };

/// Which features an event has.
struct EventTemplates {
  std::int32_t window = 1;  // source words on each side
  bool has_sides = false;   // words to the left and to the right are different features
  bool has_boundaries = false;
  bool has_source_edges = false, has_target_edges = false;
  FeatureSymbols symbols = FeatureSymbols::words;

  static constexpr std::int32_t max_window = 7;
};

/// Refuses settings that do not fit into a key.
void check_templates(const EventTemplates& templates);

constexpr std::int32_t max_symbol = (1 << 28) - 3;
constexpr std::int32_t sentence_begin = (1 << 28) - 2, sentence_end = (1 << 28) - 1;

constexpr FeatureKey feature_key(FeatureFamily family, bool is_class, std::int32_t position,
                                 std::int32_t first, std::int32_t second = 0) {
  const auto code = static_cast<std::uint64_t>(family) << 5 | std::uint64_t{is_class} << 4 |
                    static_cast<std::uint64_t>(position);
  return code << 56 | static_cast<std::uint64_t>(first) << 28 | static_cast<std::uint64_t>(second);
}

/// Classes by word number. Words that are not among them (-1, or behind the last) have the class
/// `unknown`; -1: they have none.
struct SymbolClasses {
  std::span<const std::int32_t> of_word;
  std::int32_t unknown = -1;

  std::int32_t operator()(std::int32_t word) const {
    return word >= 0 && static_cast<std::size_t>(word) < of_word.size()
               ? of_word[static_cast<std::size_t>(word)]
               : unknown;
  }
};

/// Makes the keys of events. A word number of -1 is a word without a number: it has no features but
/// those of its class.
class FeatureMaker {
 public:
  FeatureMaker(const EventTemplates& templates, SymbolClasses source, SymbolClasses target)
      : templates_(templates), source_(source), target_(target) {}

  const EventTemplates& templates() const { return templates_; }

  void add_pair(std::int32_t source, std::int32_t target, std::vector<FeatureKey>& out) const {
    if (has_words() && source >= 0 && target >= 0)
      out.push_back(feature_key(FeatureFamily::pair, false, 0, source, target));
    if (has_classes() && source_(source) >= 0 && target_(target) >= 0)
      out.push_back(feature_key(FeatureFamily::pair, true, 0, source_(source), target_(target)));
  }
  /// Words beside source words begin .. end-1 of a sentence.
  void add_context(std::span<const std::int32_t> sentence, std::int32_t begin, std::int32_t end,
                   std::vector<FeatureKey>& out) const {
    const auto length = static_cast<std::int32_t>(sentence.size());
    for (std::int32_t d = 1; d <= templates_.window; ++d) {
      add_beside(sentence, begin - d, templates_.has_sides ? d : 0, out);
      add_beside(sentence, end + d - 1, templates_.has_sides ? 8 + d : 0, out);
      if (begin - d < 0 && end + d - 1 >= length) break;
    }
  }
  /// First and last words of a source phrase, and of a target phrase.
  void add_source_edges(std::span<const std::int32_t> phrase, std::vector<FeatureKey>& out) const {
    if (templates_.has_source_edges) add_ends(FeatureFamily::source_edge, source_, phrase, out);
  }
  void add_target_edges(std::span<const std::int32_t> phrase, std::vector<FeatureKey>& out) const {
    if (templates_.has_target_edges && !phrase.empty())
      add_ends(FeatureFamily::target_edge, target_, phrase, out);
  }

 private:
  bool has_words() const { return templates_.symbols != FeatureSymbols::classes; }
  bool has_classes() const { return templates_.symbols != FeatureSymbols::words; }

  void add_one(FeatureFamily family, const SymbolClasses& classes, std::int32_t position,
               std::int32_t word, std::vector<FeatureKey>& out) const {
    if (has_words() && word >= 0) out.push_back(feature_key(family, false, position, word));
    if (has_classes() && classes(word) >= 0)
      out.push_back(feature_key(family, true, position, classes(word)));
  }
  void add_beside(std::span<const std::int32_t> sentence, std::int32_t place, std::int32_t position,
                  std::vector<FeatureKey>& out) const {
    const auto length = static_cast<std::int32_t>(sentence.size());
    if (place >= 0 && place < length)
      add_one(FeatureFamily::context, source_, position, sentence[static_cast<std::size_t>(place)],
              out);
    else if (templates_.has_boundaries && (place == -1 || place == length))
      out.push_back(feature_key(FeatureFamily::context, false, position,
                                place < 0 ? sentence_begin : sentence_end));
  }
  void add_ends(FeatureFamily family, const SymbolClasses& classes,
                std::span<const std::int32_t> words, std::vector<FeatureKey>& out) const {
    add_one(family, classes, 1, words.front(), out);
    add_one(family, classes, 2, words.back(), out);
  }

  EventTemplates templates_;
  SymbolClasses source_, target_;
};

/// Events of a block of sentences; the arrays are those of rules/events.hpp.
struct EventView {
  std::span<const std::int64_t> sentence;
  std::span<const std::int32_t> source_begin, source_end, target_begin, target_end;
  std::span<const std::int64_t> pair_start;
  std::span<const std::int32_t> pair_source, pair_target;
  // The texts: sentence k is words[start[k] .. start[k+1]-1].
  std::span<const std::int32_t> source, target;
  std::span<const std::int64_t> source_start, target_start;
};

/// The keys of event n are key[start[n] .. start[n+1]-1].
struct EventKeys {
  std::vector<std::int64_t> start{0};
  std::vector<FeatureKey> key;
};

/// Refuses events that are not in their texts.
EventKeys event_keys(const EventView& events, const FeatureMaker& maker, int threads);

/// How often features occur, and their numbers: the most frequent one is 0.
class FeatureCounts {
 public:
  FeatureCounts();

  void add(std::span<const FeatureKey> keys, int threads);
  /// Distinct features.
  std::int64_t size() const;
  /// Features that occur at least so often: the most frequent first, then by key. No features are
  /// added or counted afterwards.
  struct Kept {
    std::vector<FeatureKey> key;
    std::vector<std::int64_t> count;
  };
  Kept kept(std::int64_t min_count) const;

 private:
  static constexpr std::size_t parts = 64;  // fixed, so that results are the same for any threads
  struct Part {
    std::vector<FeatureKey> key;  // open addressing; `count` 0 is a free slot
    std::vector<std::int64_t> count;
    std::size_t used = 0;
    void add(FeatureKey key, std::int64_t count);
    void grow();
  };
  std::vector<Part> parts_;
};

/// A hash that spreads keys over all bits.
constexpr std::uint64_t key_hash(FeatureKey key) {
  key ^= key >> 32;
  key *= 0xd6e8feb86659fd93ULL;
  key ^= key >> 32;
  key *= 0xd6e8feb86659fd93ULL;
  return key ^ key >> 32;
}

/// Keys by number, in an open-addressing table that can be stored as it is.
/// Slot s is free where row[s] is -1.
class FeatureNumbers {
 public:
  explicit FeatureNumbers(std::span<const FeatureKey> keys);

  /// The number of a key; -1: none.
  std::int32_t find(FeatureKey key) const {
    std::size_t slot = static_cast<std::size_t>(key_hash(key)) & mask_;
    while (number_[slot] >= 0 && key_[slot] != key) slot = (slot + 1) & mask_;
    return number_[slot];
  }

 private:
  std::size_t mask_;
  std::vector<FeatureKey> key_;
  std::vector<std::int32_t> number_;
};

/// Features of events as sorted numbers with their counts; keys without a number are dropped.
struct EventRows {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> feature;
  std::vector<float> count;
};
EventRows number_keys(std::span<const std::int64_t> start, std::span<const FeatureKey> keys,
                      const FeatureNumbers& numbers, int threads);

}  // namespace rosewood
