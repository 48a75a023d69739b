// core/forest/kbest.hpp: derivations best first, as many as are asked for. No Python here.
// Specification: tests/reference/search.py.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forest/view.hpp"

namespace rosewood {

/// Lazy k-best derivations (Huang & Chiang 2005, algorithm 3). Ties are broken by edge number, then
/// by the ranks of the tails. With a yield, derivations with the same string as a better one are
/// left out, at every node. Derivations of weight zero are not counted. What the views and the
/// weights look at must outlive the search.
class KBest {
 public:
  KBest(const ForestView& f, std::span<const double> weight, const YieldView* distinct);
  ~KBest();
  KBest(KBest&&) noexcept;

  /// Appends the edges of the next derivation, in pre-order, and tells its score; false at the end.
  bool next(std::vector<std::int64_t>& edges, double& score);

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace rosewood
