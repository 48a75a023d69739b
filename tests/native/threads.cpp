// tests/native/threads.cpp: ranges and blocks on several threads.
#include <algorithm>
#include <atomic>

#include "check.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace threads_tests {

using namespace rosewood;

TEST(every_item_belongs_to_one_piece) {
  for (const std::int64_t n : {0, 1, 2, 7, 100, 1001})
    for (const int threads : {0, 1, 2, 5, 16})
      for (const std::int64_t grain : {0, 1, 10, 5000}) {
        std::vector<int> seen(static_cast<std::size_t>(n));
        std::atomic<int> pieces{0}, too_short{0};
        parallel_for(n, threads, grain, [&](std::int64_t begin, std::int64_t end) {
          ++pieces;
          if (end - begin < grain && (begin != 0 || end != n)) ++too_short;
          for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        });
        CHECK_EQUAL(too_short.load(), 0);
        CHECK(pieces <= std::max(1, threads));
        for (const int count : seen) CHECK_EQUAL(count, 1);
      }
}

TEST(the_first_exception_of_a_range) {
  for (int round = 0; round < 20; ++round) {
    try {
      parallel_for(100, 4, 1, [](std::int64_t begin, std::int64_t) {
        fail<TuningError>("argument.value", "piece at ", begin);
      });
      CHECK(false);
    } catch (const TuningError& error) {
      CHECK_EQUAL(std::string(error.what()), "piece at 0");
    }
  }
}

TEST(every_block_is_done_once) {
  for (const std::int64_t blocks : {0, 1, 3, 200})
    for (const int threads : {1, 2, 8}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(blocks));
      std::atomic<int> states{0};
      parallel_blocks(
          blocks, threads, [&] { return ++states; },
          [&](int& state, std::int64_t block) {
            CHECK(state >= 1);
            ++seen[static_cast<std::size_t>(block)];
          });
      CHECK(states >= 1 && states <= threads);
      for (const auto& count : seen) CHECK_EQUAL(count.load(), 1);
    }
}

TEST(the_first_block_that_failed) {
  for (int round = 0; round < 50; ++round) {
    try {
      parallel_blocks(
          1000, 8, [] { return 0; },
          [](int&, std::int64_t block) {
            if (block >= 3) fail<TuningError>("argument.value", "block ", block);
          });
      CHECK(false);
    } catch (const TuningError& error) {
      CHECK_EQUAL(std::string(error.what()), "block 3");
    }
  }
}

}  // namespace threads_tests
