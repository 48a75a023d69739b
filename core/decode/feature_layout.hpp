// core/decode/feature_layout.hpp: the dense features of a decoder, in the order of weights and of
// the rows of forests. No Python here.
//
// The table of features is written once, where features are declared, and passed in. Kernels ask it
// for positions and never compute one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rosewood {

/// What a feature of this kind depends on: one option or rule, or the hypothesis it is added to.
enum class FeatureScope : std::uint8_t { option, hypothesis };
/// A decoder has one feature of this kind, or a block of them, which is contiguous.
enum class FeatureNumber : std::uint8_t { one, any_column, numbered };

struct FeatureKind {
  std::string_view name;
  FeatureScope scope;
  FeatureNumber number;
};

/// All kinds of features: a new kind is a new line here.
inline constexpr std::array feature_kinds{
    // A column of the rule table; index: the column.
    FeatureKind{"table", FeatureScope::option, FeatureNumber::any_column},
    // A column that is computed outside for each option; index: 0, 1, …
    FeatureKind{"option", FeatureScope::option, FeatureNumber::numbered},
    // A column of the large feature set; index: 0, 1, …
    FeatureKind{"large", FeatureScope::option, FeatureNumber::numbered},
    FeatureKind{"word_penalty", FeatureScope::option, FeatureNumber::one},
    FeatureKind{"phrase_penalty", FeatureScope::option, FeatureNumber::one},
    FeatureKind{"unknown_penalty", FeatureScope::option, FeatureNumber::one},
    // How often a part of a sentence is put behind the parts before it.
    FeatureKind{"glue", FeatureScope::hypothesis, FeatureNumber::one},
    FeatureKind{"distortion", FeatureScope::hypothesis, FeatureNumber::one},
    // A language model; index: 0, 1, …
    FeatureKind{"lm", FeatureScope::hypothesis, FeatureNumber::numbered},
    // A column of the rows of orientations; index: 0, 1, …
    FeatureKind{"orientation", FeatureScope::hypothesis, FeatureNumber::numbered},
    // What trees make of all features before it.
    FeatureKind{"trees", FeatureScope::hypothesis, FeatureNumber::one},
};

/// The number of a kind. A name that is not in the table does not compile.
consteval std::size_t feature_kind(std::string_view name) {
  for (std::size_t kind = 0; kind < feature_kinds.size(); ++kind)
    if (feature_kinds[kind].name == name) return kind;
  throw "there is no such kind of feature";
}

/// Positions first .. first+size-1.
struct FeatureBlock {
  std::size_t first = 0, size = 0;
};

class FeatureLayout {
 public:
  struct Row {
    std::string name;
    std::string kind;
    std::int64_t index;
  };

  /// Refuses rows of unknown kinds, names that occur twice, kinds that are not one block, indices
  /// that are not counted from 0, and features of hypotheses before those of options.
  explicit FeatureLayout(std::vector<Row> rows);

  std::span<const Row> rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  /// Features of options come first; so many.
  std::size_t stateless() const { return stateless_; }

  /// Where the features of a kind are; `size` is 0 if there are none.
  FeatureBlock block(std::size_t kind) const { return blocks_[kind]; }
  /// The same, of a kind by its name.
  FeatureBlock block(std::string_view kind) const;
  /// The position of the only feature of a kind. Refuses layouts that have none.
  std::size_t position(std::size_t kind) const;
  /// The index of each feature of a kind.
  std::vector<std::size_t> indices(std::size_t kind) const;
  /// Refuses features of other kinds: the decoder `what` would not compute them.
  void check_kinds(std::string_view what, std::span<const std::size_t> kinds) const;

 private:
  std::vector<Row> rows_;
  std::array<FeatureBlock, feature_kinds.size()> blocks_{};
  std::size_t stateless_ = 0;
};

}  // namespace rosewood
