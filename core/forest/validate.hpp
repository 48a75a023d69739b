// core/forest/validate.hpp: is this a forest? Everything from outside passes through here once;
// after that kernels trust their views. No Python here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "forest/features.hpp"
#include "forest/view.hpp"

namespace rosewood {

/// Offsets of `rows` rows over `items` items: they start at 0, never decrease, and end at the last.
/// `what` names the array in the error.
void check_offsets(const char* what, std::span<const Offset> start, std::int64_t rows,
                   std::int64_t items);

/// Bounds, grouping, bottom-up order. Throws ForestError with the first violation, naming its node
/// or edge.
void check_structure(const ForestView& f);

/// Each yield symbol is a word id below `words` (any if negative), or -1-k with k a slot of the
/// edge; each slot stands in the yield exactly once.
void check_yield(const ForestView& f, const YieldView& yield, std::int64_t words);

/// Feature values finite; ids in [0, sparse_features), increasing within an edge.
void check_features(const FeatureView& features, std::int64_t sparse_features);

/// reachable[v] = 1 if v has a derivation and stands in a derivation of the root.
void find_reachable(const ForestView& f, std::span<const std::uint8_t> keep_edge,
                    std::span<std::uint8_t> reachable);

/// Throws naming the first node without a derivation, or that no derivation of the root uses. A
/// root without edges is the empty forest if it stands alone.
void check_reachable(const ForestView& f);

}  // namespace rosewood
