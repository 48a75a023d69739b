// core/forest/kbest.cpp: lazy k-best derivations (Huang & Chiang 2005, algorithm 3), on a stack of
// our own. Each vector of ranks has one parent (its last non-zero rank less one), so no candidate
// is made twice and none has to be remembered.
#include "forest/kbest.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "forest/kernels.hpp"
#include "forest/search.hpp"
#include "util/error.hpp"
#include "util/string_hash.hpp"

namespace rosewood {

namespace {

struct Candidate {
  double score;
  std::int64_t edge;
  Offset ranks;  // ranks of the tails: pool[ranks .. ranks + arity - 1]
};

struct NodeState {
  std::vector<Candidate> found;
  std::vector<Candidate> heap;
  std::vector<StringHash> says;  // of each found derivation, when strings must differ
  std::unordered_set<StringHash, StringHash::Hasher> said;
  bool started = false;
  bool expanding = false;  // the last candidate taken has slots left to advance
  std::size_t slot = 0;    // the next one
  Candidate last{};
};

}  // namespace

class KBest::Search {
 public:
  Search(const ForestView& f, std::span<const double> weight, const YieldView* distinct)
      : f_(f),
        weight_(weight),
        distinct_(distinct),
        state_of_(static_cast<std::size_t>(f.num_nodes()), -1) {
    best_.resize(static_cast<std::size_t>(f.num_nodes()));
    back_.resize(best_.size());
    viterbi(f, weight, best_, back_);
    // Ranks that are all zero are shared by the first candidates of all edges: they stand in front.
    std::size_t widest = 0;
    for (std::int64_t e = 0; e < f.num_edges(); ++e) widest = std::max(widest, f.tails(e).size());
    pool_.assign(widest, 0);
  }

  bool next(std::vector<std::int64_t>& edges, double& score) {
    if (back_[f_.root()] < 0 || !ensure(f_.root(), found_)) return false;
    score = state(f_.root()).found[static_cast<std::size_t>(found_)].score;
    extract(found_++, edges);
    return true;
  }

 private:
  NodeState& state(NodeId v) {
    auto& index = state_of_[v];
    if (index < 0) {
      index = std::ssize(states_);
      states_.push_back(std::make_unique<NodeState>());
    }
    return *states_[static_cast<std::size_t>(index)];
  }

  /// Order of the heap: the better candidate last. Total, so results never depend on the heap.
  bool worse(const Candidate& a, const Candidate& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (a.edge != b.edge) return a.edge > b.edge;
    const auto arity = f_.tails(a.edge).size();
    return std::lexicographical_compare(
        pool_.begin() + b.ranks, pool_.begin() + b.ranks + static_cast<Offset>(arity),
        pool_.begin() + a.ranks, pool_.begin() + a.ranks + static_cast<Offset>(arity));
  }
  auto order() const {
    return [this](const Candidate& a, const Candidate& b) { return worse(a, b); };
  }

  void begin(NodeId v, NodeState& s) {
    s.started = true;
    for (Offset e = f_.edge_start[v]; e < f_.edge_start[v + 1]; ++e) {
      double score = weight_[e];
      const auto tails = f_.tails(e);
      for (const NodeId t : tails) score += best_[t];
      if (score == -std::numeric_limits<double>::infinity()) continue;
      s.heap.push_back({score, e, 0});
    }
    std::make_heap(s.heap.begin(), s.heap.end(), order());
  }

  StringHash say(const Candidate& c) {
    StringHash hash;
    const auto tails = f_.tails(c.edge);
    for (const SymbolId symbol : (*distinct_)[c.edge]) {
      if (symbol >= 0) {
        hash.append(symbol);
      } else {
        const auto slot = static_cast<std::size_t>(-1 - symbol);
        const auto rank = static_cast<std::size_t>(pool_[c.ranks + static_cast<Offset>(slot)]);
        hash.append(state(tails[slot]).says[rank]);
      }
    }
    return hash;
  }

  /// Makes found[rank] of v exist, and of whatever that needs; false where there are fewer.
  bool ensure(NodeId root, std::int64_t rank) {
    struct Frame {
      NodeId node;
      std::size_t want;
    };
    std::vector<Frame> stack{{root, static_cast<std::size_t>(rank)}};
    while (!stack.empty()) {
      const auto [v, want] = stack.back();
      NodeState& s = state(v);
      if (!s.started) begin(v, s);
      if (s.found.size() > want) {
        stack.pop_back();
        continue;
      }
      if (s.expanding) {
        if (const auto missing = expand(s)) {
          stack.push_back({missing->first, missing->second});
          continue;
        }
      }
      if (s.heap.empty()) {
        stack.pop_back();
        continue;
      }
      // What the best candidate says is made of its tails' derivations: they are found already,
      // except the first ones, which nobody has asked for yet.
      if (const auto missing = first_missing(s.heap.front())) {
        stack.push_back({*missing, 0});
        continue;
      }
      std::pop_heap(s.heap.begin(), s.heap.end(), order());
      const Candidate taken = s.heap.back();
      s.heap.pop_back();
      s.last = taken;
      s.expanding = true;
      s.slot = first_slot(taken);
      if (distinct_) {
        const StringHash hash = say(taken);
        if (!s.said.insert(hash).second) continue;
        s.says.push_back(hash);
      }
      s.found.push_back(taken);
    }
    return state(root).found.size() > static_cast<std::size_t>(rank);
  }

  std::optional<NodeId> first_missing(const Candidate& c) {
    if (!distinct_) return std::nullopt;
    for (const NodeId t : f_.tails(c.edge))
      if (state(t).found.empty()) return t;
    return std::nullopt;
  }

  std::size_t first_slot(const Candidate& c) const {
    std::size_t slot = f_.tails(c.edge).size();
    while (slot > 0 && pool_[c.ranks + static_cast<Offset>(slot) - 1] == 0) --slot;
    return slot > 0 ? slot - 1 : 0;
  }

  /// Pushes what follows the last candidate: one rank advanced at a time. Returns the node and rank
  /// it needs first, or nothing when it is done.
  std::optional<std::pair<NodeId, std::size_t>> expand(NodeState& s) {
    const auto tails = f_.tails(s.last.edge);
    for (; s.slot < tails.size(); ++s.slot) {
      const auto at = s.last.ranks + static_cast<Offset>(s.slot);
      const auto next = static_cast<std::size_t>(pool_[at]) + 1;
      NodeState& below = state(tails[s.slot]);
      if (below.found.size() <= next) {
        const bool exhausted = below.started && below.heap.empty() && !below.expanding;
        if (!exhausted) return std::pair{tails[s.slot], next};
        continue;
      }
      const auto ranks = std::ssize(pool_);
      for (std::size_t i = 0; i < tails.size(); ++i)
        pool_.push_back(pool_[s.last.ranks + static_cast<Offset>(i)]);
      pool_[ranks + static_cast<Offset>(s.slot)] = static_cast<std::int32_t>(next);
      double score = weight_[s.last.edge];
      for (std::size_t i = 0; i < tails.size(); ++i) {
        const auto rank = static_cast<std::size_t>(pool_[ranks + static_cast<Offset>(i)]);
        score += rank == 0 ? best_[tails[i]] : state(tails[i]).found[rank].score;
      }
      if (score == -std::numeric_limits<double>::infinity()) continue;  // it left the doubles
      s.heap.push_back({score, s.last.edge, ranks});
      std::push_heap(s.heap.begin(), s.heap.end(), order());
    }
    s.expanding = false;
    return std::nullopt;
  }

  /// Appends the edges of the root's derivation of this rank, in pre-order.
  void extract(std::int64_t rank, std::vector<std::int64_t>& out) {
    struct Item {
      NodeId node;
      std::int64_t rank;
    };
    std::vector<Item> stack{{f_.root(), rank}};
    ListLimit limit(f_);
    while (!stack.empty()) {
      const auto [v, r] = stack.back();
      stack.pop_back();
      limit.check(out.size() + stack.size());
      // A node that was never opened has been used for its best derivation only.
      const auto index = state_of_[v];
      const bool opened = index >= 0 && static_cast<std::size_t>(r) <
                                            states_[static_cast<std::size_t>(index)]->found.size();
      if (!opened) {
        out.push_back(back_[v]);
        const auto tails = f_.tails(back_[v]);
        for (std::size_t slot = tails.size(); slot-- > 0;) stack.push_back({tails[slot], 0});
        continue;
      }
      const Candidate c =
          states_[static_cast<std::size_t>(index)]->found[static_cast<std::size_t>(r)];
      out.push_back(c.edge);
      const auto tails = f_.tails(c.edge);
      for (std::size_t slot = tails.size(); slot-- > 0;)
        stack.push_back({tails[slot], pool_[c.ranks + static_cast<Offset>(slot)]});
    }
  }

  ForestView f_;
  std::span<const double> weight_;
  const YieldView* distinct_;
  std::vector<std::int64_t> state_of_;
  std::vector<std::unique_ptr<NodeState>> states_;
  std::vector<double> best_;
  std::vector<std::int64_t> back_;
  std::vector<std::int32_t> pool_;
  std::int64_t found_ = 0;
};

KBest::KBest(const ForestView& f, std::span<const double> weight, const YieldView* distinct)
    : search_(std::make_unique<Search>(f, weight, distinct)) {}
KBest::~KBest() = default;
KBest::KBest(KBest&&) noexcept = default;

bool KBest::next(std::vector<std::int64_t>& edges, double& score) {
  return search_->next(edges, score);
}

Derivations k_best(const ForestView& f, std::span<const double> weight, std::int64_t k,
                   const YieldView* distinct) {
  KBest search(f, weight, distinct);
  Derivations result;
  double score = 0.0;
  while (std::ssize(result.score) < k && search.next(result.edge, score)) {
    result.score.push_back(score);
    result.start.push_back(std::ssize(result.edge));
  }
  return result;
}

}  // namespace rosewood
