// core/util/prefetch.hpp: prefetches a cache line, where compilers can. Any address is allowed. No
// Python here.
#pragma once

namespace rosewood {

inline void prefetch_to_read(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 0);
#else
  static_cast<void>(address);
#endif
}

inline void prefetch_to_write(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace rosewood
