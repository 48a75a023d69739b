// core/util/bits.hpp: numbers of any width, one behind the other, and the places of set bits. No
// Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "util/error.hpp"
#include "util/loaded.hpp"
#include "util/prefetch.hpp"
#include "util/sink.hpp"

namespace rosewood {

/// So many bytes hold so many bits, and can be read eight at a time.
inline std::uint64_t bytes_for_bits(std::uint64_t bits) { return (bits + 7) / 8 + 8; }

/// How many bits a number below `limit` has.
inline int width_below(std::uint64_t limit) {
  return limit < 2 ? 1 : 64 - std::countl_zero(limit - 1);
}

class BitWriter {
 public:
  explicit BitWriter(Sink& sink) : sink_(sink) {}

  /// The lowest `width` bits of a number, which has no others; at most 57.
  void push(std::uint64_t value, int width) {
    held_ |= value << used_;
    used_ += width;
    written_ += static_cast<std::uint64_t>(width);
    for (; used_ >= 8; used_ -= 8, held_ >>= 8) sink_.put(static_cast<std::uint8_t>(held_));
  }
  void push_zeros(std::uint64_t count) {
    for (; count > 48; count -= 48) push(0, 48);
    push(0, static_cast<int>(count));
  }
  /// Fills up to what bytes_for_bits says.
  void finish() {
    if (used_) sink_.put(static_cast<std::uint8_t>(held_));
    sink_.put(std::uint64_t{0});
  }
  std::uint64_t written() const { return written_; }

 private:
  Sink& sink_;
  std::uint64_t held_ = 0, written_ = 0;
  int used_ = 0;
};

/// Up to 57 bits at a place; eight bytes must be there.
inline std::uint64_t bits_at(const std::uint8_t* bytes, std::uint64_t place, int width) {
  const std::uint64_t found = loaded<std::uint64_t>(bytes + place / 8) >> (place % 8);
  return found & ((std::uint64_t{1} << width) - 1);
}

/// How many bits are set in each byte.
inline std::uint64_t bits_of_bytes(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
  return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
}
inline int bit_count(std::uint64_t word) {
  return static_cast<int>(bits_of_bytes(word) * 0x0101010101010101ULL >> 56);
}
/// The place of the set bit that has `before` set bits before it; there must be one.
inline int place_of_bit(std::uint64_t word, int before) {
  const std::uint64_t up_to = bits_of_bytes(word) * 0x0101010101010101ULL;  // with each byte
  int byte = 0;
  while (static_cast<int>(up_to >> (8 * byte) & 0xff) <= before) ++byte;
  int left = byte ? before - static_cast<int>(up_to >> (8 * byte - 8) & 0xff) : before;
  std::uint64_t rest = word >> (8 * byte);
  for (; left > 0; --left) rest &= rest - 1;
  return 8 * byte + std::countr_zero(rest);
}

/// The eight bytes of `size` bits from a multiple of 64 on; nothing behind the end.
inline std::uint64_t word_of_bits(const std::uint8_t* bits, std::uint64_t size,
                                  std::uint64_t first) {
  const auto found = loaded<std::uint64_t>(bits + first / 8);
  return size - first >= 64 ? found : found & ((std::uint64_t{1} << (size - first)) - 1);
}
/// The first set bit of `size` bits from a place on; `size` if there is none.
inline std::uint64_t next_set_bit(const std::uint8_t* bits, std::uint64_t size, std::uint64_t at) {
  if (at >= size) return size;
  std::uint64_t first = at & ~std::uint64_t{63};
  for (std::uint64_t found = word_of_bits(bits, size, first) & ~std::uint64_t{0} << (at - first);;
       found = word_of_bits(bits, size, first)) {
    if (found) return first + static_cast<std::uint64_t>(std::countr_zero(found));
    first += 64;
    if (first >= size) return size;
  }
}

/// How many children each of many nodes has: a set bit for each node, and behind it a bit that is
/// not set for each child; one more set bit ends them. The places of some of the set bits are kept
/// beside them, and, if some nodes may have very many children, how many are set before each block
/// of bits. What damaged bits say is cut down to what there is; what cannot be is an Error.
template <class Error>
class Degrees {
 public:
  static constexpr std::uint64_t step = 256;    // set bits from one that is kept to the next
  static constexpr std::uint64_t block = 2048;  // bits from one number of set ones to the next

  Degrees() = default;
  Degrees(std::span<const std::uint8_t> bits, std::span<const std::uint8_t> kept,
          std::uint64_t nodes, std::uint64_t children)
      : bits_(bits.data()), kept_(kept.data()), nodes_(nodes), children_(children) {
    if (nodes > bits.size() * 8 || children > bits.size() * 8 ||
        bits.size() != bytes_for_bits(size()) || kept.size() != 8 * samples(nodes))
      fail<Error>("file.damaged", "the numbers of children of ", nodes, " nodes have ", bits.size(),
                  " and ", kept.size(), " bytes");
  }

  /// The numbers of set bits before each block, for nodes with very many children.
  void set_blocks(std::span<const std::uint8_t> set_before) {
    if (set_before.size() != 8 * (size() / block + 1))
      fail<Error>("file.damaged", "the blocks of ", size(), " bits have ", set_before.size(),
                  " bytes");
    set_before_ = set_before.data();
  }

  static std::uint64_t samples(std::uint64_t nodes) { return nodes / step + 1; }

  struct Range {
    std::uint64_t begin, end;
  };
  /// Asks for what is needed to find the children of a node, first this, then that.
  void prefetch_kept(std::uint64_t node) const { prefetch_to_read(kept_ + 8 * (node / step)); }
  void prefetch_bits(std::uint64_t node) const {
    const std::uint64_t at = std::min(loaded<std::uint64_t>(kept_ + 8 * (node / step)), size());
    prefetch_to_read(bits_ + at / 8);
  }
  /// The children of a node.
  Range children(std::uint64_t node) const {
    const std::uint64_t at = place_of(node);
    const std::uint64_t next = next_set(at + 1);
    const std::uint64_t begin = std::min(at - std::min(at, node), children_);
    const std::uint64_t end = std::min(next - std::min(next, node + 1), children_);
    return {begin, std::max(begin, end)};
  }

  /// How many children come before those of a node.
  std::uint64_t before(std::uint64_t node) const {
    const std::uint64_t at = place_of(node);
    return std::min(at - std::min(at, node), children_);
  }

  /// Writes the bits, and gives the places to keep to `keep`, and what is set before each block to
  /// `begin_block`; next() gives numbers of children.
  template <class Next, class Keep, class Begin>
  static void write(std::uint64_t nodes, Next&& next, Sink& sink, Keep&& keep,
                    Begin&& begin_block) {
    BitWriter out(sink);
    std::uint64_t begun = 0;  // bits of the blocks so far
    for (std::uint64_t node = 0; node <= nodes; ++node) {
      if (node % step == 0) keep(out.written());
      for (; begun <= out.written(); begun += block) begin_block(node);
      out.push(1, 1);
      if (node < nodes) out.push_zeros(next());
    }
    for (; begun <= out.written(); begun += block) begin_block(nodes + 1);
    out.finish();
  }
  template <class Next, class Keep>
  static void write(std::uint64_t nodes, Next&& next, Sink& sink, Keep&& keep) {
    write(nodes, next, sink, keep, [](std::uint64_t) {});
  }

  /// Refuses bits of which a number is not right, or whose kept places are not.
  void check() const {
    std::uint64_t set = 0;
    for (std::uint64_t at = 0; at < size(); ++at) {
      if (set_before_ && at % block == 0 && set_before(at / block) != set)
        fail<Error>("file.damaged", "the number of nodes before bit ", at, " is wrong");
      if (!bits_at(bits_, at, 1)) continue;
      if (set % step == 0 && set / step < samples(nodes_) &&
          loaded<std::uint64_t>(kept_ + 8 * (set / step)) != at)
        fail<Error>("file.damaged", "the kept place of node ", set, " is wrong");
      ++set;
    }
    if (set != nodes_ + 1 || !bits_at(bits_, size() - 1, 1))
      fail<Error>("file.damaged", "there are ", set, " numbers of children, expected ", nodes_ + 1);
  }

 private:
  std::uint64_t size() const { return nodes_ + 1 + children_; }

  std::uint64_t word(std::uint64_t first) const { return word_of_bits(bits_, size(), first); }
  std::uint64_t place_of(std::uint64_t node) const {
    std::uint64_t at = std::min(loaded<std::uint64_t>(kept_ + 8 * (node / step)), size() - 1);
    int before = static_cast<int>(node % step);
    if (set_before_) skip_blocks(node, at, before);
    std::uint64_t first = at & ~std::uint64_t{63};
    for (std::uint64_t found = word(first) & ~std::uint64_t{0} << (at - first);;
         found = word(first)) {
      const int count = bit_count(found);
      if (count > before) return first + static_cast<std::uint64_t>(place_of_bit(found, before));
      before -= count;
      first += 64;
      if (first >= size()) return size() - 1;
    }
  }
  std::uint64_t next_set(std::uint64_t at) const { return next_set_bit(bits_, size(), at); }
  std::uint64_t set_before(std::uint64_t number) const {
    return loaded<std::uint64_t>(set_before_ + 8 * number);
  }
  /// Goes on from `at`, behind which `before` more bits are to be set, to the block of the node.
  void skip_blocks(std::uint64_t node, std::uint64_t& at, int& before) const {
    const std::uint64_t sample = node / step + 1;
    std::uint64_t begin = at / block, end = size() / block;
    if (sample < samples(nodes_))
      end = std::min(end, loaded<std::uint64_t>(kept_ + 8 * sample) / block);
    const std::uint64_t first = begin;
    while (begin < end) {  // the last block with no more set bits before it than the node has
      const std::uint64_t middle = begin + (end - begin + 1) / 2;
      if (set_before(middle) <= node)
        begin = middle;
      else
        end = middle - 1;
    }
    if (begin == first) return;
    at = begin * block;
    before = static_cast<int>(std::min<std::uint64_t>(node - set_before(begin), step));
  }

  const std::uint8_t* bits_ = nullptr;
  const std::uint8_t* kept_ = nullptr;
  const std::uint8_t* set_before_ = nullptr;  // of each block; or nothing
  std::uint64_t nodes_ = 0, children_ = 0;
};

}  // namespace rosewood
