// tests/native/search.cpp: parts of the decoder: sets of words, estimates, orientations, batches,
// forests.
#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "check.hpp"
#include "decode/batch_runner.hpp"
#include "decode/coverage.hpp"
#include "decode/forest_writer.hpp"
#include "decode/future.hpp"
#include "reorder/tracking.hpp"

namespace search_tests {

using namespace rosewood;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST(sets_of_words) {
  check::Chance chance(1);
  for (const std::int32_t words : {0, 1, 31, 32, 33, 64, 100}) {
    Coverages coverages(words);
    std::map<std::set<std::int32_t>, std::int32_t> numbers{{{}, 0}};
    for (int round = 0; round < 100 && words > 0; ++round) {
      std::set<std::int32_t> expected;
      std::int32_t set = 0;
      for (std::uint64_t n = chance.below(6); n > 0; --n) {
        const auto begin =
            static_cast<std::int32_t>(chance.below(static_cast<std::uint64_t>(words)));
        const auto end = std::min(words, begin + 1 + static_cast<std::int32_t>(chance.below(40)));
        for (std::int32_t word = begin; word < end; ++word) expected.insert(word);
        set = coverages.with(set, begin, end);
      }
      CHECK_EQUAL(numbers.emplace(expected, set).first->second, set);  // the same set, one number
      std::vector<bool> in_gap(static_cast<std::size_t>(words));
      std::int32_t last = -1;
      coverages.for_each_gap(set, [&](std::int32_t begin, std::int32_t end) {
        CHECK(last < begin && begin < end && end <= words);
        last = end;
        for (std::int32_t word = begin; word < end; ++word)
          in_gap[static_cast<std::size_t>(word)] = true;
      });
      for (std::int32_t word = 0; word < words; ++word) {
        CHECK_EQUAL(coverages.has(set, word), expected.contains(word));
        CHECK_EQUAL(in_gap[static_cast<std::size_t>(word)], !expected.contains(word));
        std::int32_t gap = word, covered = word;
        while (gap < words && expected.contains(gap)) ++gap;
        while (covered < words && !expected.contains(covered)) ++covered;
        CHECK_EQUAL(coverages.first_gap(set, word), gap);
        CHECK_EQUAL(coverages.first_covered(set, word), covered);
      }
    }
    CHECK_EQUAL(coverages.first_gap(0), 0);
    CHECK_EQUAL(coverages.first_gap(0, words), words);
  }
}

TEST(estimates_are_the_best_of_each_gap) {
  check::Chance chance(2);
  for (int round = 0; round < 200; ++round) {
    const auto words = 1 + static_cast<std::int32_t>(chance.below(8));
    const double weight = chance.below(2) ? chance.unit() : -chance.unit();
    FutureScores future(words, words, weight);
    // best[b][e]: the best way to cover words b .. e-1, by the definition.
    std::vector<std::vector<double>> best(
        static_cast<std::size_t>(words) + 1,
        std::vector<double>(static_cast<std::size_t>(words) + 1, -infinity));
    for (std::size_t n = 0; n < best.size(); ++n) best[n][n] = 0;
    for (std::int32_t begin = words; begin-- > 0;)
      for (std::int32_t end = begin + 1; end <= words; ++end) {
        if (end > begin + 1 && chance.below(2)) continue;
        const double score = -10 * chance.unit();
        future.add(begin, end, score);
        for (std::int32_t to = end; to <= words; ++to) {
          double& here = best[static_cast<std::size_t>(begin)][static_cast<std::size_t>(to)];
          here = std::max(
              here, score + best[static_cast<std::size_t>(end)][static_cast<std::size_t>(to)]);
        }
      }
    Coverages coverages(words);
    const auto from = static_cast<std::int32_t>(chance.below(static_cast<std::uint64_t>(words)));
    const std::int32_t set = coverages.with(0, from, std::min(words, from + 2));
    const std::int32_t begin = coverages.first_gap(set);
    if (begin == words) continue;
    const std::int32_t end = begin + 1, after = coverages.with(set, begin, end);
    double expected = 0;
    std::int32_t at = end, jumps = 0;
    coverages.for_each_gap(after, [&](std::int32_t first, std::int32_t last) {
      expected += best[static_cast<std::size_t>(first)][static_cast<std::size_t>(last)];
      jumps += std::abs(first - at);
      at = last;
    });
    expected -= std::max(weight, 0.0) * jumps;
    CHECK(std::abs(future(coverages, set, begin, end) - expected) < 1e-12);
  }
}

TEST(orientations_of_phrases) {
  const OrientationSlot slots[] = {
      {OrientationKind::phrase, Direction::backward, ClassScheme::mslr, 0}};
  OrientationTracker tracker(slots);
  const auto all = [](std::int32_t) { return true; };
  CHECK(tracker.orientation(slots[0], 0, 0, 2, 0, all) == Orientation::monotone);
  CHECK(tracker.orientation(slots[0], 0, 3, 4, 0, all) == Orientation::right);
  const std::int32_t place = tracker.next(0, 3, 5, 0, all);
  CHECK_EQUAL(tracker.end(place), 5);
  CHECK(tracker.orientation(slots[0], place, 5, 6, 0, all) == Orientation::monotone);
  CHECK(tracker.orientation(slots[0], place, 1, 3, 0, all) == Orientation::swap);
  CHECK(tracker.orientation(slots[0], place, 0, 1, 0, all) == Orientation::left);
  CHECK(tracker.orientation(slots[0], place, 7, 8, 0, all) == Orientation::right);
  CHECK(!tracker.needs_last_links() && !tracker.needs_first_links());
}

TEST(classes_by_distance) {
  const OrientationSlot slot{OrientationKind::phrase, Direction::backward, ClassScheme::distance,
                             0};
  OrientationTracker tracker(std::span(&slot, 1));
  const auto all = [](std::int32_t) { return true; };
  const auto step = [&](std::int32_t place, std::int32_t begin, std::int32_t end) {
    return int{tracker.step_class(slot, place, begin, end, 0, all)};
  };
  CHECK_EQUAL(step(0, 0, 2), 0);
  CHECK_EQUAL(step(0, 2, 4), 5);  // the first phrase counts from the beginning
  CHECK_EQUAL(step(0, 7, 8), 7);
  const std::int32_t place = tracker.next(0, 10, 12, 0, all);
  CHECK_EQUAL(step(place, 12, 13), 0);
  CHECK_EQUAL(step(place, 8, 10), 1);
  CHECK_EQUAL(step(place, 7, 8), 2);
  CHECK_EQUAL(step(place, 5, 7), 3);
  CHECK_EQUAL(step(place, 0, 3), 4);
  CHECK_EQUAL(step(place, 14, 15), 5);
  CHECK_EQUAL(step(place, 15, 16), 6);
  CHECK_EQUAL(step(place, 19, 20), 7);
}

TEST(blocks_of_the_hierarchy_merge) {
  const OrientationSlot slots[] = {
      {OrientationKind::hierarchy, Direction::backward, ClassScheme::msd, 4}};
  OrientationTracker tracker(slots);
  std::set<std::int32_t> covered;
  std::int32_t place = 0;
  const auto step = [&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t word = begin; word < end; ++word) covered.insert(word);
    const auto is_covered = [&](std::int32_t word) {
      return word < 0 || word >= 8 || covered.contains(word);
    };
    const Orientation found = tracker.orientation(slots[0], place, begin, end, 0, is_covered);
    place = tracker.next(place, begin, end, 0, is_covered);
    return found;
  };
  CHECK(step(2, 3) == Orientation::right);
  CHECK(step(1, 2) == Orientation::swap);      // now 1..3 is one block
  CHECK(step(3, 4) == Orientation::monotone);  // behind the block, not behind the last phrase
  CHECK(step(6, 8) == Orientation::right);
  CHECK(step(4, 6) == Orientation::swap);
  CHECK(step(0, 1) == Orientation::swap);  // all the rest is one block by now
  CHECK_EQUAL(slots[0].column(class_of(slots[0].scheme, Orientation::left, 1)), std::size_t{6});
  CHECK_EQUAL(slots[0].column(class_of(slots[0].scheme, Orientation::right, 9)), std::size_t{6});
}

TEST(a_batch_does_every_sentence_once) {
  for (const int threads : {1, 2, 8}) {
    std::vector<std::atomic<int>> seen(200);
    run_batch(
        seen.size(), 1, threads, [] {},
        [&](std::size_t n, Interruption& interruption) {
          interruption();
          ++seen[n];
        });
    for (const auto& count : seen) CHECK_EQUAL(count.load(), 1);
  }
}

TEST(a_batch_tells_its_first_error_with_the_sentence) {
  for (const int threads : {1, 4}) {
    try {
      run_batch(
          100, 1000, threads, [] {},
          [](std::size_t n, Interruption&) {
            if (n >= 5) fail<DecodingError>({"decoding.score", "weights"}, "it is bad");
          });
      CHECK(false);
    } catch (const DecodingError& error) {
      CHECK_EQUAL(std::string(error.what()), "sentence 1005: it is bad");
      CHECK_EQUAL(std::string(error.fault.code.text), "decoding.score");
      CHECK_EQUAL(std::string(error.fault.argument), "weights");
    }
  }
}

TEST(a_batch_is_interrupted_by_the_caller) {
  struct Stop {};
  for (const int threads : {1, 4}) {
    std::atomic<int> done{0};
    std::atomic<bool> is_elsewhere{false}, is_stopped{false};
    const auto caller = std::this_thread::get_id();
    const auto check = [&] {
      if (std::this_thread::get_id() != caller) is_elsewhere = true;
      if (done <= 100) return;
      is_stopped = true;
      throw Stop{};
    };
    const auto body = [&](std::size_t, Interruption& interruption) {
      // Errors of sentences give way to the exception of the caller.
      if (is_stopped) fail<DecodingError>("decoding.score", "it is bad");
      ++done;
      interruption();
    };
    CHECK_THROWS(Stop, (run_batch(std::size_t{1} << 40, 1, threads, check, body), 0));
    CHECK(is_stopped);
    CHECK(!is_elsewhere);
  }
}

namespace {

/// A search: nodes 0 1 2 3; node 1 leads nowhere; the root has two edges, the second is best.
struct Search {
  struct Edge {
    std::int32_t head;
    std::vector<std::int32_t> tails, yield;
  };
  std::vector<Edge> all{
      {3, {2, 0}, {-1, 7, -2}}, {0, {}, {5}}, {1, {0}, {-1}}, {2, {0}, {6, -1}}, {3, {2}, {-1}}};
  std::vector<std::int32_t> best{1, 2, 3, 4};

  std::int32_t nodes() const { return 4; }
  std::size_t edges() const { return all.size(); }
  std::size_t features() const { return 2; }
  std::int32_t root() const { return 3; }
  std::int32_t head(std::int32_t edge) const { return all[static_cast<std::size_t>(edge)].head; }
  std::span<const std::int32_t> tails(std::int32_t edge) const {
    return all[static_cast<std::size_t>(edge)].tails;
  }
  std::int32_t best_edge(std::int32_t node) const { return best[static_cast<std::size_t>(node)]; }
  std::int32_t label(std::int32_t edge) const { return 10 * edge; }
  void append_yield(std::int32_t edge, std::vector<std::int32_t>& out) const {
    const auto& yield = all[static_cast<std::size_t>(edge)].yield;
    out.insert(out.end(), yield.begin(), yield.end());
  }
  void write_features(std::int32_t edge, std::span<double> row) const { row[1] = edge; }
};

}  // namespace

TEST(a_search_becomes_a_forest) {
  Search search;
  const ForestArrays made = ForestWriter(search).write();
  CHECK(made.edge_start == (std::vector<std::int64_t>{0, 1, 2, 4}));
  CHECK(made.tail == (std::vector<std::int32_t>{0, 1, 0, 1}));  // node 2 is 1 by now
  CHECK(made.tail_start == (std::vector<std::int64_t>{0, 0, 1, 3, 4}));
  CHECK(made.edge_label == (std::vector<std::int32_t>{10, 30, 0, 40}));
  CHECK(made.yield_symbol == (std::vector<std::int32_t>{5, 6, -1, -1, 7, -2, -1}));
  CHECK(made.dense == (std::vector<double>{0, 1, 0, 3, 0, 0, 0, 4}));
  CHECK(made.best_edges == (std::vector<std::int64_t>{3, 1, 0}));
}

TEST(searches_that_are_no_forests) {
  Search cyclic;
  cyclic.all[3].tails = {3};
  CHECK_THROWS(ForestError, ForestWriter(cyclic).write());
  Search astray;
  astray.best[3] = 1;
  CHECK_THROWS(ForestError, ForestWriter(astray).write());
}

}  // namespace search_tests
