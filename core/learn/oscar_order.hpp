// core/learn/oscar_order.hpp: blocks of equal weights, ordered by size, that all shrink. No Python
// here.
//
// A block at mean rank r loses (λ1 + λ2 (d − r))·η in a proximal step of size η: with H the sum of
// all η so far, its size is a line in H. Three facts make a step cost little:
//   * Two neighbours of m and n features come nearer by λ2 (m + n)/2 for each unit of H, whatever
//     happens above or below them: when they meet is known until one of them changes.
//   * Blocks never split by themselves, and only the last one can reach zero.
//   * A feature that moves changes the ranks, and so the lines, of the blocks that it passes, and
//   of
//     no others. New features are small: few blocks are below them.
// Blocks lie in chunks. What all blocks of a chunk have in common is added to the chunk's `Shared`.
//
// Sums of a block's sizes after each step are kept, too, for averages: after N steps, with S the
// sum of H over them, the sum is offset + line·N + slope·S.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "learn/oscar_prox.hpp"

namespace rosewood {

class BlockOrder {
 public:
  using Node = std::int32_t;  // a block, by a number that the caller chooses

  /// Who has the features of the blocks.
  struct Owner {
    /// Two blocks become one. Returns which of the two it is from now on: its sum goes on.
    virtual Node merge(Node first, Node second) = 0;
    /// A block has reached zero.
    virtual void end(Node node) = 0;

   protected:
    ~Owner() = default;
  };

  explicit BlockOrder(const OscarPenalty& penalty) : penalty_(penalty) {}

  /// A block of many features behind all others: how an order is built.
  void append(Node node, double size, std::int32_t features);

  double size(Node node) const { return value(home(node)); }
  /// The sum of sizes after each step.
  double total(Node node) const { return total(home(node)); }
  std::int32_t features(Node node) const {
    const Home h = home(node);
    return h.chunk->count[h.at];
  }
  std::int64_t blocks() const { return blocks_; }
  /// The sum of all step sizes.
  double now() const { return now_; }

  /// A feature more, of this size: in the block that has this size, else in a new block `fresh`,
  /// whose sum is 0. Returns the block.
  Node enter(double size, Node fresh);
  /// A feature of a block gets another size: it goes to the block of this size, or to `fresh`, or
  /// moves with its block, if it is alone there and passes no other. Returns its block. An old
  /// block without features is gone, and its number free.
  Node move(Node node, double size, Node fresh);
  /// A feature of a block becomes zero.
  void leave(Node node);

  /// The proximal step: all blocks shrink, those that meet become one, those that reach zero end.
  void shrink(double eta, Owner& owner);

 private:
  struct Chunk {
    static constexpr std::int32_t most = 32;
    std::array<double, most> line, rank, offset;  // beside what is shared
    std::array<double, most> meeting;             // H at which a block meets the next one
    std::array<std::int32_t, most> count;         // features
    std::array<Node, most> node;
    std::int32_t size = 0;
    std::int32_t order = 0;  // the number of this chunk
  };
  struct Shared {
    double line = 0.0, rank = 0.0, offset = 0.0;
  };
  struct Home {
    Chunk* chunk;
    std::int32_t at;
  };

  /// Where a block is. Its chunk is known; its place there may have changed.
  Home home(Node node) const {
    Home& h = homes_[node];
    const auto& nodes = h.chunk->node;
    if (nodes[h.at] != node)
      h.at = static_cast<std::int32_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
    return h;
  }
  const Shared& shared(Home h) const { return shared_[h.chunk->order]; }
  double line(Home h) const { return h.chunk->line[h.at] + shared(h).line; }
  double rank(Home h) const { return h.chunk->rank[h.at] + shared(h).rank; }
  double value(Home h) const { return line(h) - penalty_.rate(rank(h)) * now_; }
  double total(Home h) const {
    return h.chunk->offset[h.at] + shared(h).offset + line(h) * steps_ -
           penalty_.rate(rank(h)) * sum_;
  }
  double last_value(std::size_t c) const { return value({chunks_[c].get(), chunks_[c]->size - 1}); }
  bool is_last(Home h) const {
    return h.at + 1 == h.chunk->size && h.chunk->order + 1 == std::ssize(chunks_);
  }
  bool is_first(Home h) const { return h.at == 0 && h.chunk->order == 0; }
  Home next(Home h) const {
    return h.at + 1 < h.chunk->size ? Home{h.chunk, h.at + 1}
                                    : Home{chunks_[h.chunk->order + 1].get(), 0};
  }
  Home previous(Home h) const {
    if (h.at > 0) return {h.chunk, h.at - 1};
    Chunk* before = chunks_[h.chunk->order - 1].get();
    return {before, before->size - 1};
  }

  // Places between blocks: a block is to come before `h`, which may be the end of a chunk.
  static Home after(Home h) { return {h.chunk, h.at + 1}; }
  static bool is_there(Home h) { return h.at < h.chunk->size; }
  static bool is_not_below(Home a, Home b) {
    return a.chunk == b.chunk ? a.at <= b.at : a.chunk->order < b.chunk->order;
  }
  Home end() const { return {chunks_.back().get(), chunks_.back()->size}; }
  Home back() const { return {chunks_.back().get(), chunks_.back()->size - 1}; }

  Home find(double size, const Chunk* hint) const;
  double rank_at(Home place) const;
  void create(Home place, Node node, double size, double rank, std::int32_t features);
  void close(Node node);
  Home merge(Home first, Owner& owner);
  void pool(Owner& owner);

  void rotate(Home h, std::int32_t to, double size, double rank);
  void set(Home h, double size, double rank, double total);
  void shift(Home first, Home last, double ranks);
  void shift_one(Home h, double ranks) { shift(h, after(h), ranks); }
  void watch(Home h);
  void watch_around(Home h);

  Home open(Home place);
  void erase(Home h);
  Chunk& add_chunk(std::size_t c);
  void drop_chunk(std::size_t c);
  void move_blocks(Chunk& from, std::int32_t first, Chunk& to);

  OscarPenalty penalty_;
  double now_ = 0.0;    // H
  double steps_ = 0.0;  // N
  double sum_ = 0.0;    // S
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Shared> shared_;       // by chunk
  std::vector<double> bound_;        // by chunk: none of its blocks meets the next one before this
  double first_meeting_ = 0.0;       // at most the least bound
  mutable std::vector<Home> homes_;  // by node
  Node entered_ = 0;                 // the last block that a feature entered
  std::vector<Node> due_;            // blocks that may have met the next one
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::int64_t blocks_ = 0;
};

}  // namespace rosewood
