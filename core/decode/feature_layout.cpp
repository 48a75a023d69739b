// core/decode/feature_layout.cpp: rows checked, and where each kind is.
#include "decode/feature_layout.hpp"

#include <algorithm>
#include <unordered_set>

#include "util/error.hpp"

namespace rosewood {

namespace {

std::string all_kinds() {
  std::string names;
  for (const FeatureKind& kind : feature_kinds) {
    if (!names.empty()) names += ", ";
    names += kind.name;
  }
  return names;
}

std::size_t find_kind(std::string_view name) {
  const auto found = std::ranges::find(feature_kinds, name, &FeatureKind::name);
  if (found == feature_kinds.end())
    fail<DecodingError>({"argument.choice", "kind"}, "there is no kind of feature '", name,
                        "'; kinds are ", all_kinds());
  return static_cast<std::size_t>(found - feature_kinds.begin());
}

}  // namespace

FeatureLayout::FeatureLayout(std::vector<Row> rows) : rows_(std::move(rows)) {
  std::unordered_set<std::string_view> names;
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const auto& [name, kind_name, index] = rows_[at];
    if (name.empty())
      fail<DecodingError>({"argument.value", "name"}, "feature ", at, " has an empty name");
    if (!names.insert(name).second)
      fail<DecodingError>({"argument.duplicate", "name"}, "two features are called '", name, "'");
    const std::size_t number = find_kind(kind_name);
    const FeatureKind& kind = feature_kinds[number];
    FeatureBlock& block = blocks_[number];
    if (block.size == 0) block.first = at;
    if (block.first + block.size != at)
      fail<DecodingError>("decoding.feature-order", "features of kind '", kind_name,
                          "' are not one block: '", name, "' is at position ", at, ", expected ",
                          block.first + block.size);
    if (kind.number == FeatureNumber::one && block.size > 0)
      fail<DecodingError>({"argument.duplicate", "kind"},
                          "there is more than one feature of kind '", kind_name, "': '",
                          rows_[block.first].name, "' and '", name, "'");
    if (index < 0)
      fail<DecodingError>({"argument.range", "index"}, "feature '", name, "' has the index ",
                          index);
    if (kind.number != FeatureNumber::any_column && static_cast<std::uint64_t>(index) != block.size)
      fail<DecodingError>({"argument.value", "index"}, "feature '", name, "' of kind '", kind_name,
                          "' has the index ", index, ", expected ", block.size);
    if (kind.scope == FeatureScope::option) {
      if (stateless_ != at)
        fail<DecodingError>("decoding.feature-order", "feature '", name,
                            "' of an option is after '", rows_[stateless_].name,
                            "', which depends on the hypothesis: features of options come first");
      ++stateless_;
    }
    ++block.size;
  }
}

FeatureBlock FeatureLayout::block(std::string_view kind) const { return block(find_kind(kind)); }

std::size_t FeatureLayout::position(std::size_t kind) const {
  if (blocks_[kind].size == 0)
    fail<DecodingError>({"decoding.missing-feature", feature_kinds[kind].name.data()},
                        "there is no feature of kind '", feature_kinds[kind].name,
                        "', which this decoder needs");
  return blocks_[kind].first;
}

std::vector<std::size_t> FeatureLayout::indices(std::size_t kind) const {
  const FeatureBlock block = blocks_[kind];
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < block.size; ++i)
    found.push_back(static_cast<std::size_t>(rows_[block.first + i].index));
  return found;
}

void FeatureLayout::check_kinds(std::string_view what, std::span<const std::size_t> kinds) const {
  for (std::size_t kind = 0; kind < blocks_.size(); ++kind)
    if (blocks_[kind].size > 0 && std::ranges::find(kinds, kind) == kinds.end())
      fail<DecodingError>({"decoding.unknown-feature", feature_kinds[kind].name.data()}, what,
                          " has no features of kind '", feature_kinds[kind].name, "', but '",
                          rows_[blocks_[kind].first].name, "' is one");
}

}  // namespace rosewood
