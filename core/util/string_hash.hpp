// core/util/string_hash.hpp: a hash of a string of words that can be put together from the hashes
// of its parts. Two polynomials modulo 2^61-1 and the length: 122 bits, so that two strings of a
// search do not collide by chance.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosewood {

class StringHash {
 public:
  void append(std::int32_t word) {
    const std::uint64_t digit = static_cast<std::uint64_t>(static_cast<std::uint32_t>(word)) + 1;
    for (int i = 0; i < 2; ++i) {
      hash_[i] = add(multiply(hash_[i], base[i]), digit);
      power_[i] = multiply(power_[i], base[i]);
    }
    ++length_;
  }
  void append(const StringHash& other) {
    for (int i = 0; i < 2; ++i) {
      hash_[i] = add(multiply(hash_[i], other.power_[i]), other.hash_[i]);
      power_[i] = multiply(power_[i], other.power_[i]);
    }
    length_ += other.length_;
  }
  bool operator==(const StringHash& other) const {
    return hash_[0] == other.hash_[0] && hash_[1] == other.hash_[1] && length_ == other.length_;
  }
  struct Hasher {
    std::size_t operator()(const StringHash& s) const {
      return static_cast<std::size_t>(s.hash_[0] ^ (s.hash_[1] << 3));
    }
  };

 private:
  static constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t base[2] = {0x0f1e2d3c4b5a6978ULL, 0x1234567890abcdefULL};

  static std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= modulus ? sum - modulus : sum;
  }
  /// a * b modulo 2^61-1 from 32-bit halves: no 128-bit type, so it compiles everywhere.
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a_high = a >> 31, a_low = a & 0x7fffffff;
    const std::uint64_t b_high = b >> 31, b_low = b & 0x7fffffff;
    const std::uint64_t middle = a_high * b_low + a_low * b_high;
    const std::uint64_t sum =
        a_high * b_high * 2 + (middle >> 30) + ((middle & 0x3fffffff) << 31) + a_low * b_low;
    return add((sum >> 61) + (sum & modulus), 0);
  }

  std::uint64_t hash_[2] = {0, 0};
  std::uint64_t power_[2] = {1, 1};
  std::uint64_t length_ = 0;
};

}  // namespace rosewood
