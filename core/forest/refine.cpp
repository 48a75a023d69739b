// core/forest/refine.cpp: nodes that know their boundary words (methods for n-gram counts and
// linear BLEU need them; decoders that recombine on minimised language model states drop them).
#include <algorithm>
#include <utility>

#include "forest/transform.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

/// Distinct strings of symbols, numbered.
class StringTable {
 public:
  StringTable(std::vector<Offset>& start, std::vector<SymbolId>& symbol)
      : start_(start), symbol_(symbol) {}

  std::int64_t number(std::span<const SymbolId> string) {
    std::uint64_t hash = string.size() * 0x9e3779b97f4a7c15ULL;
    for (const SymbolId s : string) {
      hash = (hash ^ static_cast<std::uint32_t>(s)) * 0xbf58476d1ce4e5b9ULL;
      hash ^= hash >> 31;
    }
    auto slot = hash & (slots_.size() - 1);
    for (; slots_[slot].number >= 0; slot = (slot + 1) & (slots_.size() - 1))
      if (slots_[slot].hash == hash && std::ranges::equal(string, (*this)[slots_[slot].number]))
        return slots_[slot].number;
    const std::int64_t fresh = std::ssize(start_) - 1;
    symbol_.insert(symbol_.end(), string.begin(), string.end());
    start_.push_back(std::ssize(symbol_));
    slots_[slot] = {hash, fresh};
    if (2 * static_cast<std::size_t>(fresh) + 2 > slots_.size()) grow();
    return fresh;
  }
  std::span<const SymbolId> operator[](std::int64_t i) const {
    return Rows<SymbolId>{start_, symbol_}[i];
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t number = -1;
  };

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& each : old) {
      if (each.number < 0) continue;
      auto slot = each.hash & (slots_.size() - 1);
      while (slots_[slot].number >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = each;
    }
  }

  std::vector<Offset>& start_;
  std::vector<SymbolId>& symbol_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // open addressing, at most half full
};

constexpr SymbolId gap = -1;  // words not known, between the two ends of a long string

/// A word of an edge's string, and whose it is: a slot's, the edge's own, or the sentence
/// boundary's.
struct Token {
  SymbolId word;
  std::int64_t owner;
};
constexpr std::int64_t own = -1;
constexpr std::int64_t sentence_begin = -2;

class Refiner {
 public:
  Refiner(const ForestView& f, const YieldView& yield, int n, SymbolId begin, SymbolId end,
          std::int64_t max_edges)
      : f_(f),
        yield_(yield),
        order_(n),
        ends_(n - 1),
        begin_(begin),
        end_(end),
        max_edges_(max_edges),
        states_(state_start_, state_word_),
        grams_(out_.gram_word_start, out_.gram_word) {}

  Refined run() {
    find_open_sides();
    std::vector<std::pair<NodeId, NodeId>> range(static_cast<std::size_t>(f_.num_nodes()));
    std::vector<std::int64_t> state_of;  // of each new node
    for (std::int64_t v = 0; v < f_.num_nodes(); ++v) {
      const auto first = static_cast<NodeId>(out_.structure.node_map.size());
      build_node(v, range, state_of);
      range[v] = {first, static_cast<NodeId>(out_.structure.node_map.size())};
    }
    for (const std::int64_t state : state_of) {
      // In the table a string is (left end, gap, right end), a short one in the middle is itself.
      const auto words = states_[state];
      const bool whole = std::ranges::find(words, gap) == words.end();
      for (const SymbolId w : words)
        if (w != gap) out_.state_word.push_back(w);
      out_.state_start.push_back(std::ssize(out_.state_word));
      out_.state_whole.push_back(whole);
    }
    return std::move(out_);
  }

 private:
  /// New edges of a node, before they are grouped by state.
  struct Pending {
    std::vector<std::int64_t> state, edge;
    std::vector<std::size_t> tail_end, gram_end;  // of each edge, in:
    std::vector<NodeId> tail;
    std::vector<std::int64_t> gram;

    void clear() {
      for (auto* each : {&state, &edge, &gram}) each->clear();
      for (auto* each : {&tail_end, &gram_end}) each->clear();
      tail.clear();
    }
  };

  /// Where other words may come to stand beside a node's string. A sentence's first node never has
  /// any to its left: there is no reason to tell it by its first words.
  void find_open_sides() {
    open_left_.assign(static_cast<std::size_t>(f_.num_nodes()), 0);
    open_right_ = open_left_;
    open_right_[f_.root()] = end_ >= 0;
    for (std::int64_t e = f_.num_edges() - 1; e >= 0; --e) {
      const auto says = yield_[e];
      for (std::size_t i = 0; i < says.size(); ++i) {
        if (says[i] >= 0) continue;
        const NodeId tail = f_.tails(e)[-1 - says[i]];
        open_left_[tail] |= i > 0 || open_left_[f_.head[e]];
        open_right_[tail] |= i + 1 < says.size() || open_right_[f_.head[e]];
      }
    }
  }

  /// Whether an edge is the lowest that surely begins the sentence: `begin` stands before it.
  bool begins(std::int64_t e) const {
    if (begin_ < 0 || open_left_[f_.head[e]]) return false;
    const auto says = yield_[e];
    return says.empty() || says[0] >= 0 || open_left_[f_.tails(e)[-1 - says[0]]];
  }

  /// All edges of v, in all combinations of what its tails became, grouped by their state.
  void build_node(std::int64_t v, const std::vector<std::pair<NodeId, NodeId>>& range,
                  std::vector<std::int64_t>& state_of) {
    const bool root = v == f_.root();
    pending_.clear();
    for (Offset e = f_.edge_start[v]; e < f_.edge_start[v + 1]; ++e) {
      const auto tails = f_.tails(e);
      choice_.resize(tails.size());
      bool possible = true;
      for (std::size_t slot = 0; slot < tails.size(); ++slot) {
        choice_[slot] = range[tails[slot]].first;
        possible = possible && range[tails[slot]].first < range[tails[slot]].second;
      }
      while (possible) {
        if (++edges_ > max_edges_)
          fail<ForestError>({"forest.too-large", "edges", max_edges_}, "refining to n = ", order_,
                            " makes more than ", max_edges_,
                            " edges: prune the forest first, or allow more");
        tokens_of(e, choice_, state_of, root);
        pending_.state.push_back(root ? states_.number({}) : state_number(v));
        pending_.edge.push_back(e);
        pending_.tail.insert(pending_.tail.end(), choice_.begin(), choice_.end());
        pending_.tail_end.push_back(pending_.tail.size());
        complete_grams();
        pending_.gram_end.push_back(pending_.gram.size());
        std::size_t slot = tails.size();
        while (slot > 0 && ++choice_[slot - 1] == range[tails[slot - 1]].second) {
          choice_[slot - 1] = range[tails[slot - 1]].first;
          --slot;
        }
        possible = slot > 0;
      }
    }
    add_groups(v, root, state_of);
  }

  /// States in order of first appearance, edges of one state in order.
  void add_groups(std::int64_t v, bool root, std::vector<std::int64_t>& state_of) {
    group_of_.resize(std::max(group_of_.size(), state_start_.size()), {-1, 0});
    groups_.clear();
    order_of_.resize(pending_.state.size());
    for (const std::int64_t state : pending_.state) {
      auto& [node, group] = group_of_[static_cast<std::size_t>(state)];
      if (node != v) {
        node = v;
        group = groups_.size();
        groups_.push_back({state, 0});
      }
      ++groups_[group].place;
    }
    std::size_t edges = 0;
    for (Group& each : groups_) each.place = edges += each.place;
    for (std::size_t i = pending_.state.size(); i-- > 0;) {
      const auto group = group_of_[static_cast<std::size_t>(pending_.state[i])].second;
      order_of_[--groups_[group].place] = i;
    }
    if (root && groups_.empty()) groups_.push_back({states_.number({}), 0});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t end = g + 1 < groups_.size() ? groups_[g + 1].place : pending_.state.size();
      for (std::size_t k = groups_[g].place; k < end; ++k) add_edge(order_of_[k]);
      out_.structure.end_node(static_cast<NodeId>(v));
      state_of.push_back(groups_[g].state);
    }
  }

  void add_edge(std::size_t i) {
    const std::size_t tail = i == 0 ? 0 : pending_.tail_end[i - 1];
    const std::size_t gram = i == 0 ? 0 : pending_.gram_end[i - 1];
    const auto grams = std::span(pending_.gram).subspan(gram, pending_.gram_end[i] - gram);
    out_.structure.add_edge(pending_.edge[i],
                            std::span(pending_.tail).subspan(tail, pending_.tail_end[i] - tail));
    out_.gram.insert(out_.gram.end(), grams.begin(), grams.end());
    out_.gram_start.push_back(std::ssize(out_.gram));
  }

  /// The edge's string as far as it is known: its own words and the ends of its tails.
  void tokens_of(std::int64_t e, std::span<const NodeId> choice,
                 const std::vector<std::int64_t>& state_of, bool root) {
    tokens_.clear();
    if (begins(e)) tokens_.push_back({begin_, sentence_begin});
    for (const SymbolId symbol : yield_[e]) {
      if (symbol >= 0) {
        tokens_.push_back({symbol, own});
      } else {
        const auto slot = -1 - symbol;
        for (const SymbolId word : states_[state_of[static_cast<std::size_t>(choice[slot])]])
          tokens_.push_back({word, slot});
      }
    }
    if (root && end_ >= 0) tokens_.push_back({end_, own});
  }

  std::int64_t state_number(std::int64_t v) {
    const auto is_gap = [](const Token& t) { return t.word == gap; };
    const auto before = std::ranges::find_if(tokens_, is_gap) - tokens_.begin();
    const auto after = std::find_if(tokens_.rbegin(), tokens_.rend(), is_gap) - tokens_.rbegin();
    const auto left = open_left_[v] ? std::min(before, ends_) : 0;
    const auto right = open_right_[v] ? std::min(after, ends_) : 0;
    const auto all = std::ssize(tokens_);
    string_.clear();
    if (open_left_[v] && open_right_[v] && before == all && all < ends_) {
      for (const Token& t : tokens_) string_.push_back(t.word);
    } else {
      for (std::ptrdiff_t i = 0; i < left; ++i) string_.push_back(tokens_[i].word);
      string_.push_back(gap);
      for (std::ptrdiff_t i = all - right; i < all; ++i) string_.push_back(tokens_[i].word);
    }
    return states_.number(string_);
  }

  /// N-grams that do not lie inside one tail: this edge is where they come together.
  void complete_grams() {
    const auto longest = static_cast<std::size_t>(order_);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      string_.clear();
      for (std::size_t j = i; j < tokens_.size() && j - i < longest; ++j) {
        if (tokens_[j].word == gap) break;
        string_.push_back(tokens_[j].word);
        if (tokens_[i].owner == tokens_[j].owner && tokens_[i].owner != own) continue;
        pending_.gram.push_back(grams_.number(string_));
        if (std::ssize(out_.gram_word) / 16 > max_edges_)
          fail<ForestError>({"forest.too-large", "n", order_}, "refining to n = ", order_,
                            " meets too many n-grams: take a smaller n");
      }
    }
  }

  const ForestView& f_;
  const YieldView& yield_;
  int order_;
  std::ptrdiff_t ends_;
  SymbolId begin_, end_;
  std::int64_t max_edges_;
  std::int64_t edges_ = 0;
  Refined out_;
  std::vector<std::uint8_t> open_left_, open_right_;  // of each old node
  std::vector<Offset> state_start_{0};
  std::vector<SymbolId> state_word_;
  StringTable states_;
  StringTable grams_;
  struct Group {
    std::int64_t state;
    std::size_t
        place;  // how many edges it has; then their end, and at last their begin in order_of_
  };
  Pending pending_;
  std::vector<NodeId> choice_;
  std::vector<std::pair<std::int64_t, std::size_t>> group_of_;  // of each state: node and group
  std::vector<Group> groups_;
  std::vector<std::size_t> order_of_;
  std::vector<Token> tokens_;
  std::vector<SymbolId> string_;
};

}  // namespace

Refined refine(const ForestView& f, const YieldView& yield, int n, SymbolId begin, SymbolId end,
               std::int64_t max_edges) {
  if (n < 1) fail<ForestError>({"argument.range", "n"}, "refine: n must be at least 1, not ", n);
  return Refiner(f, yield, n, begin, end, max_edges).run();
}

}  // namespace rosewood
