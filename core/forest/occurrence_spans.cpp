// core/forest/occurrence_spans.cpp: how probable it is that things occur, by spans.
#include "forest/occurrence_spans.hpp"

#include <algorithm>
#include <numeric>

namespace rosewood {

SpanSweep::SpanSweep(const ForestView& f, std::span<const double> q, std::span<const double> count,
                     std::span<const std::int32_t> span)
    : f_(f),
      q_(q),
      count_(count),
      span_(span),
      parent_start_(static_cast<std::size_t>(f.num_nodes()) + 1),
      parent_(f.tail.size()),
      wider_count_(static_cast<std::size_t>(f.num_nodes())),
      node_round_(static_cast<std::size_t>(f.num_nodes())),
      edge_round_(f.head.size()),
      marks_(f.head.size()),
      occurs_(static_cast<std::size_t>(f.num_nodes())) {
  for (const NodeId tail : f.tail) ++parent_start_[tail + 1];
  std::partial_sum(parent_start_.begin(), parent_start_.end(), parent_start_.begin());
  std::vector<Offset> next(parent_start_.begin(), parent_start_.end() - 1);
  // First the edges whose heads cover the same words.
  for (const bool wants_same : {true, false}) {
    for (std::int64_t e = 0; e < f.num_edges(); ++e) {
      for (const NodeId tail : f.tails(e)) {
        if (is_same(tail, f.head[e]) != wants_same) continue;
        parent_[next[tail]++] = e;
        if (!wants_same) wider_count_[tail] += count_[e];
      }
    }
    if (wants_same) wider_ = next;
  }
}

bool SpanSweep::is_same(NodeId tail, NodeId head) const {
  return head != f_.root() && span_[2 * tail] == span_[2 * head] &&
         span_[2 * tail + 1] == span_[2 * head + 1];
}

bool SpanSweep::is_nested(const ForestView& f, std::span<const std::int32_t> span) {
  std::vector<Hull> tails;
  for (std::int64_t e = 0; e < f.num_edges(); ++e) {
    const NodeId head = f.head[e];
    tails.clear();
    for (const NodeId tail : f.tails(e)) {
      const Hull own{span[2 * tail], span[2 * tail + 1]};
      if (own.begin < span[2 * head] || own.end > span[2 * head + 1]) return false;
      if (own.begin < own.end) tails.push_back(own);
    }
    std::ranges::sort(tails, {}, &Hull::begin);
    for (std::size_t i = 1; i < tails.size(); ++i)
      if (tails[i].begin < tails[i - 1].end) return false;
  }
  return true;
}

std::optional<Hull> SpanSweep::hull(std::span<const std::int64_t> edges) const {
  const NodeId root = f_.root();
  Hull found{span_[2 * root + 1], span_[2 * root]};
  for (const std::int64_t e : edges) {
    const NodeId head = f_.head[e];
    const Hull own{span_[2 * head], span_[2 * head + 1]};
    if (own.begin == own.end || head == root) return {};
    found = {std::min(found.begin, own.begin), std::max(found.end, own.end)};
  }
  return found;
}

bool SpanSweep::covers_more(NodeId node, Hull hull) const {
  const Hull own{span_[2 * node], span_[2 * node + 1]};
  const bool is_wider = own.begin < hull.begin || own.end > hull.end;
  return node == f_.root() || (is_wider && own.begin <= hull.begin && own.end >= hull.end);
}

void SpanSweep::reach(NodeId node) {
  if (node_round_[node] == round_) return;
  node_round_[node] = round_;
  occurs_[node] = {};
  nodes_.push_back(node);
}

void SpanSweep::use(std::int64_t edge) {
  if (edge_round_[edge] == round_) return;
  edge_round_[edge] = round_;
  marks_[edge] = 0;
  edges_.push_back(edge);
}

/// Uses all edges above nodes that are reached, up to those that cover more than the hull; no if
/// there are too many.
bool SpanSweep::climb(Hull hull) {
  const std::size_t most = q_.size() / 8;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeId node = nodes_[i];
    const bool is_hull = span_[2 * node] == hull.begin && span_[2 * node + 1] == hull.end;
    const Offset last = is_hull ? wider_[node] : parent_start_[node + 1];
    for (Offset k = parent_start_[node]; k < last; ++k) {
      const std::int64_t e = parent_[k];
      use(e);
      if (!covers_more(f_.head[e], hull)) reach(f_.head[e]);
    }
    if (edges_.size() > most) return false;
  }
  return true;
}

std::optional<Lane> SpanSweep::run(std::span<const Marked> marked, Hull hull) {
  ++round_;
  nodes_.clear();
  edges_.clear();
  for (const Marked& m : marked) {
    use(m.edge);
    marks_[m.edge] |= static_cast<std::uint8_t>(1U << m.lane);
    reach(f_.head[m.edge]);
  }
  if (!climb(hull)) return {};
  std::ranges::sort(edges_);  // bottom-up: edges are grouped by head
  Lane total{};
  for (const std::int64_t e : edges_) {
    Lane here = below(e);
    for (std::size_t i = 0; i < lanes; ++i)
      if (marks_[e] >> i & 1U) here[i] = 1.0;
    const NodeId head = f_.head[e];
    const bool is_reached = node_round_[head] == round_;
    Lane& sum = is_reached ? occurs_[head] : total;
    const double share = is_reached ? q_[e] : count_[e];
    for (std::size_t i = 0; i < lanes; ++i) sum[i] += share * here[i];
  }
  for (const NodeId node : nodes_) {
    if (span_[2 * node] != hull.begin || span_[2 * node + 1] != hull.end) continue;
    for (std::size_t i = 0; i < lanes; ++i) total[i] += wider_count_[node] * occurs_[node][i];
  }
  return total;
}

/// That it occurs under some tail: there are no differences, so that small numbers stay exact.
Lane SpanSweep::below(std::int64_t edge) const {
  Lane any{};
  for (const NodeId tail : f_.tails(edge)) {
    if (node_round_[tail] != round_) continue;
    for (std::size_t i = 0; i < lanes; ++i) any[i] += occurs_[tail][i] * (1.0 - any[i]);
  }
  return any;
}

}  // namespace rosewood
