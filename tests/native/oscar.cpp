// tests/native/oscar.cpp: ordered blocks of OSCAR against the proximal step from scratch.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "learn/oscar_order.hpp"
#include "learn/oscar_prox.hpp"

namespace oscar_tests {

using namespace rosewood;

namespace {

/// Features by block; a block that ends has none.
struct Members final : BlockOrder::Owner {
  explicit Members(std::size_t blocks) : of(blocks) {
    for (std::size_t i = 0; i < blocks; ++i) of[i].push_back(i);
  }
  BlockOrder::Node merge(BlockOrder::Node first, BlockOrder::Node second) override {
    auto& kept = of[static_cast<std::size_t>(first)];
    auto& gone = of[static_cast<std::size_t>(second)];
    kept.insert(kept.end(), gone.begin(), gone.end());
    gone.clear();
    return first;
  }
  void end(BlockOrder::Node node) override { of[static_cast<std::size_t>(node)].clear(); }

  std::vector<std::vector<std::size_t>> of;
};

}  // namespace

TEST(blocks_shrink_as_the_proximal_step_says) {
  constexpr std::size_t size = 100;  // several chunks
  const OscarPenalty penalty{0.01, 0.0005, 300.0};
  BlockOrder order(penalty);
  std::vector<double> weight(size);
  for (std::size_t i = 0; i < size; ++i) {
    weight[i] = 2.0 / static_cast<double>(1 + i);
    order.append(static_cast<BlockOrder::Node>(i), weight[i], 1);
  }
  Members members(size);
  std::vector<double> twice(size);
  for (int step = 1; step <= 12; ++step) {
    for (std::size_t i = 0; i < size; ++i) twice[i] = 2.0 * weight[i];
    oscar_prox(twice, step, penalty, weight);
    order.shrink(1.0 / step, members);
    std::vector<double> found(size, 0.0);
    std::int64_t blocks = 0;
    for (std::size_t b = 0; b < size; ++b) {
      if (members.of[b].empty()) continue;
      ++blocks;
      const auto node = static_cast<BlockOrder::Node>(b);
      CHECK_EQUAL(order.features(node), static_cast<std::int32_t>(members.of[b].size()));
      for (const auto i : members.of[b]) found[i] = order.size(node);
    }
    CHECK_EQUAL(order.blocks(), blocks);
    for (std::size_t i = 0; i < size; ++i) CHECK(std::abs(found[i] - weight[i]) < 1e-12);
  }
  CHECK(weight.front() > 0.0);
  CHECK_EQUAL(weight.back(), 0.0);  // some have ended, others have met
  CHECK(order.blocks() < 50);
}

TEST(features_move_between_blocks) {
  BlockOrder order({0.1, 0.0, 10.0});
  order.append(0, 3.0, 1);
  order.append(1, 1.0, 2);
  CHECK_EQUAL(order.enter(1.0, 5), 1);  // the block of that size
  CHECK_EQUAL(order.features(1), 3);
  CHECK_EQUAL(order.enter(2.0, 2), 2);
  CHECK_EQUAL(order.move(1, 3.0, 6), 0);
  CHECK_EQUAL(order.features(0), 2);
  order.leave(1);
  CHECK_EQUAL(order.features(1), 1);
  CHECK_EQUAL(order.blocks(), std::int64_t{3});
  Members members(3);
  order.shrink(1.0, members);
  CHECK(std::abs(order.size(2) - 1.9) < 1e-12);
  CHECK(std::abs(order.total(2) - 1.9) < 1e-12);
  CHECK(std::abs(order.now() - 1.0) < 1e-12);
}

}  // namespace oscar_tests
