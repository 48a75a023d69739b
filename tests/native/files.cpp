// tests/native/files.cpp: files, sinks, spools, numbers of few bytes, and rows sorted in memory and
// on disk.
#include <algorithm>
#include <filesystem>
#include <span>

#include "check.hpp"
#include "folder.hpp"
#include "util/big_vector.hpp"
#include "util/row_sort.hpp"
#include "util/sink.hpp"
#include "util/spool.hpp"
#include "util/varint.hpp"

namespace files_tests {

using namespace rosewood;

TEST(what_fails_names_the_file) {
  const Folder folder;
  try {
    File(folder / "missing", "rb");
    CHECK(false);
  } catch (const FileError& error) {
    CHECK_EQUAL(error.code, ENOENT);
    CHECK_EQUAL(error.path, folder / "missing");
  }
}

TEST(spools_in_memory_and_on_disk) {
  const Folder folder;
  for (const std::size_t size : {0, 1, 1000, 200'000})
    for (const bool is_on_disk : {false, true}) {
      Spool<std::uint64_t> spool(is_on_disk ? folder / "spool" : std::string());
      std::vector<std::uint64_t> expected(size);
      for (std::size_t n = 0; n < size; ++n) expected[n] = n * n;
      for (std::size_t n = 0; n < size / 2; ++n) spool.push(expected[n]);
      spool.append(std::span(expected).subspan(size / 2));  // large pieces go past the buffer
      spool.close();
      CHECK_EQUAL(spool.size(), size);
      CHECK_EQUAL(spool.is_in_memory(), !is_on_disk);
      CHECK(spool.copied() == expected);
      auto reader = spool.read(size / 3);
      for (std::size_t n = size / 3; n < size; ++n) {
        CHECK_EQUAL(reader.peek(), expected[n]);
        CHECK_EQUAL(reader.next(), expected[n]);
      }
      CHECK(reader.is_done());
      if (is_on_disk) CHECK(Spool<std::uint64_t>::written(spool.path(), size).copied() == expected);
      spool.discard();
      CHECK(folder.is_empty());
    }
}

TEST(a_spool_that_was_cut_short) {
  const Folder folder;
  Spool<std::uint32_t> spool(folder / "spool");
  for (std::uint32_t n = 0; n < 100; ++n) spool.push(n);
  spool.close();
  std::filesystem::resize_file(spool.path(), 399);
  CHECK_THROWS(FileError, spool.copied());
}

TEST(pieces_of_a_spool_are_written_to_their_places) {
  Spool<std::int32_t> spool = Spool<std::int32_t>::sized(4);
  PlacedSink<std::int32_t> second(spool, 2), first(spool, 0);
  for (const std::int32_t n : {2, 3}) second.push(n);
  for (const std::int32_t n : {0, 1}) first.push(n);
  CHECK(spool.copied() == std::vector<std::int32_t>({0, 1, 2, 3}));
  const Folder folder;
  Spool<std::int32_t> file(folder / "spool");
  PlacedSink<std::int32_t> only(file, 0);
  for (const std::int32_t n : {0, 1, 2}) only.push(n);
  file.close();
  CHECK(file.copied() == std::vector<std::int32_t>({0, 1, 2}));
}

TEST(a_sink_hands_on_large_pieces_in_order) {
  std::vector<std::uint8_t> all, expected;
  std::size_t pieces = 0;
  Sink sink([&](std::span<const std::uint8_t> piece) {
    CHECK(!piece.empty());
    ++pieces;
    all.insert(all.end(), piece.begin(), piece.end());
  });
  sink.flush();
  CHECK_EQUAL(pieces, std::size_t{0});  // nothing is no piece
  for (std::uint32_t n = 0; n < 400'000; ++n) {
    sink.put(n);
    for (int byte = 0; byte < 4; ++byte)
      expected.push_back(static_cast<std::uint8_t>(n >> 8 * byte));
  }
  sink.flush();
  sink.flush();
  CHECK(all == expected);
  CHECK(pieces > 1 && pieces < 10);
  const std::vector<std::uint8_t> large(3'000'000, 7);
  sink.bytes(large.data(), large.size());
  sink.bytes(large.data(), 0);
  sink.flush();
  CHECK_EQUAL(all.size(), expected.size() + large.size());
}

TEST(large_vectors_give_their_memory_back) {
  BigVector<std::uint64_t> numbers(3, 7);
  CHECK(numbers == BigVector<std::uint64_t>({7, 7, 7}));
  numbers.resize(1000);  // those that are added have no value yet
  CHECK_EQUAL(numbers[2], 7U);
  release(numbers);
  CHECK(numbers.empty());
  CHECK_EQUAL(numbers.capacity(), std::size_t{0});
  BigVector<std::string> words(2);  // what has a constructor is constructed
  CHECK_EQUAL(words[1], "");
}

TEST(numbers_of_few_bytes) {
  std::vector<std::uint64_t> numbers{0, 1, 127, 128, 16383, 16384, ~std::uint64_t{0}};
  for (int bit = 0; bit < 64; ++bit) numbers.push_back(std::uint64_t{1} << bit);
  Spool<std::uint8_t> spool;
  for (const auto number : numbers) push_varint(spool, number);
  spool.close();
  auto reader = spool.read();
  for (const auto number : numbers) CHECK_EQUAL(next_varint(reader), number);
  CHECK(reader.is_done());
}

TEST(rows_in_memory) {
  check::Chance chance(1);
  for (const std::size_t count : {0, 1, 2, 100, 5000, 70'000})
    for (const int width : {1, 3})
      for (int keys = 1; keys <= width; ++keys)
        for (const int threads : {1, 3}) {
          if (count > 10'000 && (threads == 1 || keys != width)) continue;  // one is enough
          const auto w = static_cast<std::size_t>(width);
          std::vector<std::uint64_t> rows(count * w), spare(count * w);
          for (auto& number : rows) number = chance.below(4) ? chance.below(50) : chance.bits(64);
          std::vector<std::vector<std::uint64_t>> expected;
          for (std::size_t n = 0; n < count; ++n)
            expected.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(n * w),
                                  rows.begin() + static_cast<std::ptrdiff_t>((n + 1) * w));
          std::ranges::stable_sort(expected, [&](const auto& a, const auto& b) {
            return std::lexicographical_compare(a.begin(), a.begin() + keys, b.begin(),
                                                b.begin() + keys);
          });
          sort_rows(rows.data(), spare.data(), count, width, keys, threads);
          bool is_same = true;
          for (std::size_t n = 0; n < count; ++n)
            is_same = is_same && std::equal(expected[n].begin(), expected[n].end(),
                                            rows.begin() + static_cast<std::ptrdiff_t>(n * w));
          CHECK(is_same);
        }
}

TEST(rows_on_disk_are_sorted_as_in_memory) {
  const Folder folder;
  for (const std::uint64_t count : {0, 1, 1000, 60'000}) {
    std::vector<std::vector<std::uint64_t>> found;
    for (const bool is_on_disk : {false, true}) {
      SortRoom room;
      if (is_on_disk) room = {folder.path.string(), std::size_t{1} << 16, 2};
      check::Chance chance(7);
      RowSorter sorter(2, 1, room, "rows");
      for (std::uint64_t n = 0; n < count; ++n) {
        std::uint64_t* row = sorter.add();
        row[0] = chance.below(count / 10 + 1);  // many are equal: the order they came in stays
        row[1] = n;
      }
      sorter.finish();
      CHECK_EQUAL(sorter.size(), count);
      std::vector<std::uint64_t> all;
      while (const std::uint64_t* row = sorter.next()) all.insert(all.end(), row, row + 2);
      found.push_back(all);
    }
    CHECK_EQUAL(found[0].size(), 2 * count);
    CHECK(found[0] == found[1]);
    for (std::size_t n = 2; n < found[0].size(); n += 2)
      CHECK(found[0][n - 2] < found[0][n] ||
            (found[0][n - 2] == found[0][n] && found[0][n - 1] < found[0][n + 1]));
    CHECK(folder.is_empty());
  }
}

}  // namespace files_tests
