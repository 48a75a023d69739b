// tests/native/bits.cpp: numbers of any width, places of set bits, fields of rows.
#include "util/bits.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "check.hpp"
#include "util/bit_fields.hpp"
#include "util/loaded.hpp"
#include "util/prefetch.hpp"

namespace bits_tests {

using namespace rosewood;

namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Write>
Bytes written(Write&& write) {
  Bytes all;
  Sink sink([&](std::span<const std::uint8_t> piece) {
    all.insert(all.end(), piece.begin(), piece.end());
  });
  write(sink);
  sink.flush();
  return all;
}

Bytes bytes_of(const std::vector<std::uint64_t>& numbers) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return {first, first + 8 * numbers.size()};
}

}  // namespace

TEST(numbers_of_all_widths_come_back) {
  check::Chance chance(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<std::uint64_t, int>> numbers;
    for (std::uint64_t n = chance.below(100); n > 0; --n) {
      const int width = static_cast<int>(chance.below(58));
      numbers.emplace_back(chance.bits(width), width);
    }
    std::uint64_t size = 0;
    const Bytes bytes = written([&](Sink& sink) {
      BitWriter out(sink);
      for (const auto& [value, width] : numbers) out.push(value, width);
      size = out.written();
      out.finish();
    });
    CHECK_EQUAL(bytes.size(), bytes_for_bits(size));
    std::uint64_t place = 0;
    for (const auto& [value, width] : numbers) {
      CHECK_EQUAL(bits_at(bytes.data(), place, width), value);
      place += static_cast<std::uint64_t>(width);
    }
  }
}

TEST(widths) {
  CHECK_EQUAL(width_below(0), 1);
  CHECK_EQUAL(width_below(1), 1);
  CHECK_EQUAL(width_below(2), 1);
  CHECK_EQUAL(width_below(3), 2);
  CHECK_EQUAL(width_below(256), 8);
  CHECK_EQUAL(width_below(257), 9);
  CHECK_EQUAL(width_below(~std::uint64_t{0}), 64);
}

TEST(set_bits_are_counted_and_found) {
  check::Chance chance(2);
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t word = chance.bits(64);
    if (round % 3 == 0) word &= chance.bits(64) & chance.bits(64);
    if (round % 7 == 0) word = ~std::uint64_t{0} << chance.below(64);
    int before = 0;
    for (int place = 0; place < 64; ++place)
      if (word >> place & 1) CHECK_EQUAL(place_of_bit(word, before++), place);
    CHECK_EQUAL(bit_count(word), before);
  }
}

TEST(the_next_set_bit) {
  check::Chance chance(3);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t size = 1 + chance.below(300);
    Bytes bytes(bytes_for_bits(size));  // bits behind the end are set too: they must not count
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(chance.bits(8) & chance.bits(8));
    for (std::uint64_t at = 0; at <= size + 1; ++at) {
      std::uint64_t expected = std::min(at, size);
      while (expected < size && !(bytes[expected / 8] >> (expected % 8) & 1)) ++expected;
      CHECK_EQUAL(next_set_bit(bytes.data(), size, at), expected);
    }
  }
}

TEST(numbers_of_children) {
  check::Chance chance(4);
  for (const bool has_blocks : {false, true})
    for (int round = 0; round < 30; ++round) {
      std::vector<std::uint64_t> degrees(chance.below(1500));
      for (auto& degree : degrees) degree = chance.below(4);
      if (has_blocks && !degrees.empty()) degrees[chance.below(degrees.size())] = 10'000;
      std::vector<std::uint64_t> kept, blocks;
      std::size_t at = 0;
      std::uint64_t children = 0;
      for (const auto degree : degrees) children += degree;
      const Bytes bits = written([&](Sink& sink) {
        Degrees<RuleError>::write(
            degrees.size(), [&] { return degrees[at++]; }, sink,
            [&](std::uint64_t place) { kept.push_back(place); },
            [&](std::uint64_t set) { blocks.push_back(set); });
      });
      const Bytes kept_bytes = bytes_of(kept), block_bytes = bytes_of(blocks);
      Degrees<RuleError> made(bits, kept_bytes, degrees.size(), children);
      if (has_blocks) made.set_blocks(block_bytes);
      made.check();
      std::uint64_t first = 0;
      for (std::size_t node = 0; node < degrees.size(); ++node) {
        const auto range = made.children(node);
        CHECK_EQUAL(range.begin, first);
        CHECK_EQUAL(made.before(node), first);
        CHECK_EQUAL(range.end, first += degrees[node]);
      }
    }
}

TEST(damaged_numbers_of_children_stay_within_bounds) {
  const std::uint64_t nodes = 600;
  std::vector<std::uint64_t> kept;
  const Bytes bits = written([&](Sink& sink) {
    Degrees<RuleError>::write(
        nodes, [] { return std::uint64_t{2}; }, sink,
        [&](std::uint64_t place) { kept.push_back(place); });
  });
  const Bytes kept_bytes = bytes_of(kept);
  CHECK_THROWS(RuleError, Degrees<RuleError>(bits, kept_bytes, nodes, 2 * nodes + 8));
  CHECK_THROWS(RuleError, Degrees<RuleError>(bits, kept_bytes, nodes * 1000, 2 * nodes));
  CHECK_THROWS(RuleError, Degrees<RuleError>(bits, {}, nodes, 2 * nodes));
  check::Chance chance(5);
  for (int round = 0; round < 200; ++round) {
    Bytes other = bits, other_kept = kept_bytes;
    const std::uint64_t bit = chance.below(3 * nodes + 1);
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    if (round % 2) other_kept[chance.below(other_kept.size())] = 0xff;
    const Degrees<RuleError> made(other, other_kept, nodes, 2 * nodes);
    CHECK_THROWS(RuleError, (made.check(), 0));
    for (std::uint64_t node = 0; node < nodes; ++node) {
      const auto range = made.children(node);
      CHECK(range.begin <= range.end && range.end <= 2 * nodes);
    }
  }
}

TEST(fields_of_rows) {
  check::Chance chance(6);
  for (int round = 0; round < 300; ++round) {
    BitFields fields;
    std::vector<BitFields::Field> field;
    std::vector<std::uint64_t> a, b;
    for (std::uint64_t n = 1 + chance.below(8); n > 0; --n) {
      field.push_back(fields.add(static_cast<int>(chance.below(65))));
      a.push_back(chance.bits(field.back().bits));
      b.push_back(chance.below(2) ? a.back() : chance.bits(field.back().bits));
    }
    const auto row_of = [&](const std::vector<std::uint64_t>& values) {
      std::vector<std::uint64_t> row(static_cast<std::size_t>(fields.words()) + 1);
      for (std::size_t n = 0; n < field.size(); ++n)
        BitFields::put(row.data(), field[n], values[n]);
      for (std::size_t n = 0; n < field.size(); ++n)
        CHECK_EQUAL(BitFields::get(row.data(), field[n]), values[n]);
      return row;
    };
    const auto first = row_of(a), second = row_of(b);
    CHECK_EQUAL(first < second, a < b);  // rows are ordered as their fields are
    for (std::size_t n = 0; n < field.size(); ++n)
      CHECK_EQUAL(BitFields::is_same(first.data(), second.data(), field[n].begin + field[n].bits),
                  std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n) + 1, b.begin()));
  }
}

TEST(numbers_at_any_place) {
  const std::uint8_t bytes[] = {9, 1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_EQUAL(loaded<std::uint64_t>(bytes + 1), 0x0807060504030201ULL);
  CHECK_EQUAL(loaded<std::uint16_t>(bytes + 3), 0x0403);
  CHECK_EQUAL(loaded<std::int8_t>(bytes), 9);
  prefetch_to_read(bytes);  // any address may be asked for: it is only a hint
  prefetch_to_read(nullptr);
  prefetch_to_write(bytes + 1000);
}

}  // namespace bits_tests
