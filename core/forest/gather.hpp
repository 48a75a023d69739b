// core/forest/gather.hpp: rows picked from rows of varying length. No Python here.
#pragma once

#include <span>
#include <vector>

#include "forest/view.hpp"
#include "util/error.hpp"

namespace rosewood {

/// The rows `row[0]`, `row[1]`, …, one after the other; -1 stands for an empty row.
template <class T>
void gather_rows(const Rows<T>& rows, std::span<const std::int64_t> row, std::vector<Offset>& start,
                 std::vector<T>& item) {
  start.assign(1, 0);
  start.reserve(row.size() + 1);
  for (const std::int64_t r : row) {
    if (r < -1 || r >= rows.size())
      fail<ForestError>("argument.range", "no row ", r, ", there are ", rows.size());
    start.push_back(start.back() + (r < 0 ? 0 : rows.start[r + 1] - rows.start[r]));
  }
  item.reserve(static_cast<std::size_t>(start.back()));
  for (const std::int64_t r : row) {
    if (r < 0) continue;
    const auto from = rows[r];
    item.insert(item.end(), from.begin(), from.end());
  }
}

}  // namespace rosewood
