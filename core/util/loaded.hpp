// core/util/loaded.hpp: numbers from bytes at any place. No Python here.
#pragma once

#include <bit>
#include <cstring>

namespace rosewood {

static_assert(std::endian::native == std::endian::little,
              "files are mapped as they are on disk: little-endian");

template <class T>
T loaded(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace rosewood
