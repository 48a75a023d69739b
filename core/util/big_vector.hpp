// core/util/big_vector.hpp: vectors whose new numbers are not set to zero, for large buffers that
// are filled anyway: zeroing them would cost as much as a pass of sorting. No Python here.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace rosewood {

template <class T>
struct UnwrittenAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnwrittenAllocator<U>;
  };

  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) > 0)
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    else
      ::new (static_cast<void*>(at)) U;
  }
};

template <class T>
using BigVector = std::vector<T, UnwrittenAllocator<T>>;

/// Frees the memory of a vector: assigning {} would keep it.
template <class Vector>
void release(Vector& vector) {
  Vector().swap(vector);
}

}  // namespace rosewood
