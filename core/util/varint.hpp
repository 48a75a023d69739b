// core/util/varint.hpp: small numbers in few bytes of a spool: seven bits each, the highest bit
// says that more follow. No Python here.
#pragma once

#include <cstdint>

#include "util/spool.hpp"

namespace rosewood {

inline void push_varint(Spool<std::uint8_t>& spool, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) spool.push(static_cast<std::uint8_t>(number | 0x80));
  spool.push(static_cast<std::uint8_t>(number));
}

inline std::uint64_t next_varint(SpoolReader<std::uint8_t>& reader) {
  std::uint64_t made = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = reader.next();
    made |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return made;
  }
}

}  // namespace rosewood
