// core/util/clones.hpp: wider vectors where the machine has them, chosen when the library is
// loaded. The same operations in the same order, never fused: the same bytes on every machine.
#pragma once

#include <cstdlib>  // tells whether the C library is glibc, which can choose at load time

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define ROSEWOOD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ROSEWOOD_CLONES
#endif

#if defined(__GNUC__)
#define ROSEWOOD_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define ROSEWOOD_INLINE __forceinline
#else
#define ROSEWOOD_INLINE inline
#endif
