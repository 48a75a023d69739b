// core/forest/occurrence_spans.hpp: how probable it is that things occur, in forests whose nodes
// cover spans of a sentence. No Python here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "forest/view.hpp"

namespace rosewood {

constexpr std::size_t lanes = 8;  // things at a time: one pass over the edges serves them all
using Lane = std::array<double, lanes>;

/// An edge that has the thing of a lane.
struct Marked {
  std::int64_t edge;
  std::size_t lane;
};

/// The words begin .. end-1.
struct Hull {
  std::int32_t begin, end;
};

/// Nodes of one derivation are within each other or beside each other. So all edges with a thing
/// that lie within some words are below one edge of each derivation: the lowest whose head covers
/// more than these words. Probabilities of such edges add up, and nothing above them is looked at.
class SpanSweep {
 public:
  /// `span` has begin and end of each node; `count` the probability of each edge; `q` as
  /// edge_conditionals() gives it. All must outlive it.
  SpanSweep(const ForestView& f, std::span<const double> q, std::span<const double> count,
            std::span<const std::int32_t> span);

  /// Whether spans of tails lie within those of heads, and beside each other.
  static bool is_nested(const ForestView& f, std::span<const std::int32_t> span);

  /// The words of all heads of these edges; none where one is the root, or covers no words and so
  /// may be anywhere.
  std::optional<Hull> hull(std::span<const std::int64_t> edges) const;

  /// The probability of the thing of each lane, all of whose edges lie within the hull; none where
  /// so much of the forest is above them that it is quicker to look at all of it.
  std::optional<Lane> run(std::span<const Marked> marked, Hull hull);

 private:
  bool is_same(NodeId tail, NodeId head) const;
  bool covers_more(NodeId node, Hull hull) const;
  void reach(NodeId node);
  void use(std::int64_t edge);
  bool climb(Hull hull);
  Lane below(std::int64_t edge) const;

  const ForestView& f_;
  std::span<const double> q_, count_;
  std::span<const std::int32_t> span_;
  std::vector<Offset> parent_start_;
  std::vector<std::int64_t> parent_;  // edges that have each node as a tail
  std::vector<Offset> wider_;         // where those begin whose heads cover more words
  std::vector<double> wider_count_;   // the probability of those together, of each node
  // Of the round: one set of things.
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> node_round_, edge_round_;  // in which they were reached or used
  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> edges_;
  std::vector<std::uint8_t> marks_;  // of each edge that is used: its lanes
  std::vector<Lane> occurs_;         // of each node that is reached: that things occur below it
};

}  // namespace rosewood
