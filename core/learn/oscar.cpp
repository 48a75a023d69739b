// core/learn/oscar.cpp
#include "learn/oscar.hpp"

#include <algorithm>
#include <cmath>

#include "util/prefetch.hpp"
#include "util/radix_sort.hpp"

namespace rosewood {

namespace {

constexpr std::size_t few_nodes = 1 << 16;  // are not worth a search for those nobody needs

constexpr std::size_t near = 2, middling = 5, far = 9;  // rows to prefetch ahead

struct Size {
  double x;  // -|w|: the largest first
  std::int64_t id;
};

}  // namespace

// -- weights --------------------------------------------------------------------------------------

OscarWeights::OscarWeights(const OscarPenalty& penalty, std::span<const double> weight)
    : feature_(weight.size()), order_(penalty) {
  std::vector<Size> sizes, spare;
  for (std::int64_t i = 0; i < std::ssize(weight); ++i)
    if (weight[i] != 0.0) sizes.push_back({-std::abs(weight[i]), i});
  radix_sort(sizes, spare);
  for (std::size_t begin = 0, end = 0; begin < sizes.size(); begin = end) {
    const Node node = fresh_node();
    for (; end < sizes.size() && sizes[end].x == sizes[begin].x; ++end) {
      const std::int64_t id = sizes[end].id;
      feature_[id].node = node;
      feature_[id].sign = weight[id] > 0.0 ? 1.0F : -1.0F;
    }
    order_.append(node, -sizes[begin].x, static_cast<std::int32_t>(end - begin));
  }
  collect_at_ = std::max(few_nodes, 2 * link_.size());
}

OscarWeights::Node OscarWeights::fresh_node() {
  if (!free_.empty()) {
    const Node node = free_.back();
    free_.pop_back();
    link_[node] = {none, 0.0};
    return node;
  }
  link_.push_back({none, 0.0});
  return static_cast<Node>(link_.size() - 1);
}

/// The block of a feature that is not zero, or that was not; none, if its block has reached zero.
OscarWeights::Node OscarWeights::find(Feature& feature) {
  Node node = feature.node;
  while (link_[node].parent >= 0) {
    // Every node on the way comes one nearer to its root.
    Link& link = link_[node];
    const Link& parent = link_[link.parent];
    if (parent.parent < 0) {
      feature.sum += feature.sign * link.sum;
      node = link.parent;
      break;
    }
    link.sum += parent.sum;
    link.parent = parent.parent;
    feature.sum += feature.sign * link.sum;
    node = link.parent;
  }
  feature.node = node;
  if (link_[node].parent == none) return node;
  feature.sum += feature.sign * link_[node].sum;
  feature.node = none;
  return none;
}

BlockOrder::Node OscarWeights::merge(Node first, Node second) {
  // The larger block keeps its node: fewer features are two nodes away from their block.
  const bool keeps_first = order_.features(first) >= order_.features(second);
  const Node kept = keeps_first ? first : second, gone = keeps_first ? second : first;
  link_[gone].parent = kept;
  link_[gone].sum = order_.total(gone) - order_.total(kept);
  return kept;
}

void OscarWeights::end(Node node) {
  link_[node].parent = over;
  link_[node].sum = order_.total(node);
}

void OscarWeights::add(std::int64_t id, double change) {
  Feature& feature = feature_[id];
  const Node root = feature.node == none ? none : find(feature);
  const double before = root == none ? 0.0 : feature.sign * order_.size(root);
  const double after = before + change;
  if (root == none) {
    if (after == 0.0) return;
    const Node fresh = fresh_node();
    feature.node = order_.enter(std::abs(after), fresh);
    if (feature.node != fresh) free_.push_back(fresh);
  } else {
    feature.sum += feature.sign * order_.total(root);
    const bool was_alone = order_.features(root) == 1;
    if (after == 0.0) {
      order_.leave(root);
      feature.node = none;
    } else {
      const Node fresh = fresh_node();
      feature.node = order_.move(root, std::abs(after), fresh);
      if (feature.node != fresh) free_.push_back(fresh);
    }
    // Nobody else leads to a block of one feature.
    if (was_alone && feature.node != root) free_.push_back(root);
  }
  if (feature.node != none) {
    feature.sign = after > 0.0 ? 1.0F : -1.0F;
    feature.sum -= feature.sign * order_.total(feature.node);
  }
  if (free_.empty() && link_.size() >= collect_at_) collect();
}

/// Nodes of merged and ended blocks that no feature leads to any more are free again.
void OscarWeights::collect() {
  std::vector<bool> is_used(link_.size(), false);
  for (Feature& feature : feature_)
    if (feature.node != none && find(feature) != none) is_used[feature.node] = true;
  for (auto node = static_cast<Node>(link_.size() - 1); node >= 0; --node)
    if (!is_used[node]) free_.push_back(node);
  collect_at_ = std::max(collect_at_, 2 * (link_.size() - free_.size()));
}

void OscarWeights::write(std::span<double> weight, std::span<double> sum) {
  for (std::int64_t id = 0; id < size(); ++id) {
    Feature& feature = feature_[id];
    const Node root = feature.node == none ? none : find(feature);
    weight[id] = root == none ? 0.0 : feature.sign * order_.size(root);
    sum[id] = feature.sum + (root == none ? 0.0 : feature.sign * order_.total(root));
  }
}

void OscarWeights::add(std::span<const std::int64_t> id, std::span<const double> change) {
  // All features are looked up first: what they wait for in memory, they wait for together.
  double read = 0.0;
  for (const auto each : id) read += weight(each);
  [[maybe_unused]] const volatile double kept = read;  // so that no compiler leaves them out
  for (std::size_t i = 0; i < id.size(); ++i) add(id[i], change[i]);
}

// -- passes ---------------------------------------------------------------------------------------

OscarPass::OscarPass(const OscarSettings& settings, std::int64_t dense, const OscarState& start)
    : settings_(settings),
      dense_(start.weight.begin(), start.weight.begin() + dense),
      late_(static_cast<std::size_t>(dense), 0.0),
      sum_(start.sum),
      sparse_(settings.penalty, std::span(start.weight).subspan(static_cast<std::size_t>(dense))),
      half_steps_(start.half_steps),
      steps_before_(start.steps) {}

double OscarPass::run(const FeatureView& difference, std::span<const std::int64_t> order) {
  const auto width = difference.width;
  const auto& sparse = difference.sparse;
  double total = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    // Rows and features lie anywhere in memory: they are asked for some steps ahead.
    if (k + far < order.size()) {
      const auto ahead = order[k + far];
      prefetch_to_read(&sparse.start[ahead]);
      prefetch_to_read(difference.dense.data() + ahead * width);
    }
    if (k + middling < order.size()) {
      const Offset first = sparse.start[order[k + middling]];
      prefetch_to_read(sparse.id.data() + first);
      prefetch_to_read(sparse.value.data() + first);
    }
    if (k + near < order.size()) {
      const auto ahead = order[k + near];
      for (Offset i = sparse.start[ahead]; i < sparse.start[ahead + 1]; ++i)
        sparse_.prefetch(sparse.id[i]);
    }
    const auto row = order[k];
    const double* values = difference.dense.data() + row * width;
    double margin = dense_dot(dense_.data(), values, width);
    for (Offset i = sparse.start[row]; i < sparse.start[row + 1]; ++i)
      margin += sparse_.weight(sparse.id[i]) * sparse.value[i];
    const double eta = 1.0 / static_cast<double>(++half_steps_);
    if (margin < 1.0) {
      total += 1.0 - margin;
      for (std::int64_t d = 0; d < width; ++d) {
        dense_[d] += eta * values[d];
        late_[d] += eta * values[d] * static_cast<double>(steps_);
      }
      for (Offset i = sparse.start[row]; i < sparse.start[row + 1]; ++i)
        sparse_.add(sparse.id[i], eta * sparse.value[i]);
    }
    pending_ += eta;
    if (++in_batch_ == settings_.batch) shrink();
  }
  return total;
}

void OscarPass::shrink() {
  sparse_.shrink(pending_);
  ++steps_;
  in_batch_ = 0;
  pending_ = 0.0;
}

OscarState OscarPass::finish() {
  if (in_batch_ > 0) shrink();
  const std::size_t width = dense_.size();
  OscarState state{std::vector<double>(sum_.size()), sum_, half_steps_, steps_before_ + steps_};
  std::vector<double> sum(sum_.size());
  sparse_.write(std::span(state.weight).subspan(width), std::span(sum).subspan(width));
  for (std::size_t d = 0; d < width; ++d) {
    state.weight[d] = dense_[d];
    sum[d] = dense_[d] * static_cast<double>(steps_) - late_[d];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) state.sum[i] += sum[i];
  return state;
}

}  // namespace rosewood
