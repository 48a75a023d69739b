// core/util/heap.hpp: a step that heaps of the standard library lack. No Python here.
#pragma once

#include <cstddef>
#include <vector>

namespace rosewood {

/// The first of a heap, its greatest, becomes another one.
template <class T>
void replace_first(std::vector<T>& heap, const T& value) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child] < heap[child + 1]) ++child;
    if (!(value < heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

}  // namespace rosewood
