// core/decode/phrase_search.hpp: the search for the best translations of one sentence. No Python
// here.
//
// Stack s has the nodes that have translated s source words. A node is all hypotheses that cannot
// be told apart by what is still to come; edges lead to it from nodes of earlier stacks, one for
// each hypothesis, and all of them are kept. Nodes of a stack with the same coverage and place make
// a group. From a group to an option list of a span there is a grid: its rows are the nodes, its
// columns the options, each best first; only what language models say of a cell is not the sum of
// its row and column. Stacks are filled from the grids that lead to them, one after the other: by
// cube pruning (Huang & Chiang 2007), the best cell of all grids first, up to a limit; or with all
// cells.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decode/coverage.hpp"
#include "decode/forest_writer.hpp"
#include "decode/future.hpp"
#include "decode/language_states.hpp"
#include "decode/options.hpp"
#include "decode/search_control.hpp"
#include "reorder/tracking.hpp"

namespace rosewood {

struct SearchLimits : CommonLimits {
  std::uint64_t stack_size = 0;        // nodes of a stack; 0: any number
  std::int32_t distortion_limit = -1;  // -1: none
};

/// The best translation: its options in the order of the target, what they are, and its features.
struct BestPath {
  std::vector<std::int32_t> options;
  std::vector<std::int32_t> begin, end;  // source words
  std::vector<std::int64_t> rule;        // ids; -1: none
  std::vector<std::uint8_t> origin;
  std::vector<std::int64_t> target_start{0};
  std::vector<std::int32_t> target;
  std::vector<double> features;
  double score = 0;
};

class PhraseSearch {
 public:
  /// Model and options must outlive it. With a reference, of target words as in the options, only
  /// what says just this is kept, and nothing is pruned.
  /// `beat` is called every now and then, and may throw to end the search.
  PhraseSearch(const WeightedPhraseModel& model, const SentenceOptions& options,
               const SearchLimits& limits, std::function<void()> beat, Reference reference = {});

  void run();
  const SearchReport& report() const { return control_.report(); }
  /// Empty, with is_reachable false, where there is none.
  BestPath best();
  /// All of it; words are numbers as in the options, labels are options. Empty where there is none.
  ForestArrays forest();

 private:
  class Graph;
  struct Node {
    std::int32_t coverage, place, language;
    std::int32_t forward_row;  // forward orientations of the last option: the next step adds them
    std::int32_t position;     // in the reference
    std::int32_t best_edge;
    double score, total;  // without and with the estimate of what is to come
  };
  struct Edge {
    std::int32_t head, from, option;
  };
  /// Nodes of a group or options of a list, begin .. end-1 of rows_ or columns_, best first when a
  /// step has the classes of the code. All those of a group or list that occurred are a chain.
  struct Order {
    std::uint64_t code;
    std::int32_t begin, end, next;
    std::uint32_t first_class, last_class;  // columns of orientations that a step has, in classes_
    std::int32_t size() const { return end - begin; }
  };
  struct Row {
    std::int32_t node;
    double score;
  };
  struct Column {
    std::int32_t option;
    double score, estimate;
  };
  struct Group {
    std::int32_t coverage, place;
    std::span<const std::int32_t> nodes;
    std::int32_t first_order = -1;
  };
  /// Options of a span that all look the same to reordering models.
  struct OptionList {
    std::int32_t begin, end;
    EdgeLinks links;
    std::vector<std::int32_t> options;
    std::int32_t first_order = -1;
    // What is to come behind it, after the coverage that was looked at last: that of the next group
    // often is the same.
    std::int32_t last_coverage = -1;
    double future = 0;
  };
  struct Grid {
    std::int32_t rows, columns;    // orders
    std::int32_t list;             // of the options
    std::int32_t coverage, place;  // of the nodes it comes from; of those it leads to, if is_made
    bool is_made;
    double step, future;  // distortion; what is to come
  };
  /// A hypothesis before it is made: what it costs, and the state of the language models.
  struct Cell {
    std::uint32_t grid;
    std::int32_t row, column;  // of rows_ and columns_
    std::int32_t language;     // -1: it does not go on with the reference
    double score;
  };
  struct Entry {
    double priority;
    std::uint32_t cell;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.cell > b.cell;
    }
  };
  /// Classes of a step for all slots, those of each direction as one number.
  struct Codes {
    std::uint64_t backward = 0, forward = 0;
  };

  void set_options();
  void set_future();
  void set_forward_rows();
  void fill(std::size_t stack);
  void fill_all(std::vector<Grid>& grids);
  void fill_best(std::vector<Grid>& grids, const SearchControl::Share& share);
  std::vector<std::int32_t> pruned(std::int32_t first);
  void branch(std::size_t stack, std::vector<std::int32_t>& nodes);
  void add_grids(std::size_t stack, Group& group);
  void add_grid(std::size_t stack, Group& group, std::int32_t list);
  Cell looked_at(const std::vector<Grid>& grids, std::uint32_t grid, std::int32_t row,
                 std::int32_t column);
  void accept(Grid& grid, const Cell& cell);
  bool fits(const Node& node, std::int32_t option) const;

  double distortion(std::int32_t place, std::int32_t begin) const;
  Codes codes(std::int32_t place, const OptionList& list, std::int32_t coverage) const;
  template <class Body>
  void for_each_class(const Codes& codes, Body&& body) const;
  Order begin_order(const Codes& codes, std::size_t first, std::int32_t next);
  /// The values of an option for the classes of a step.
  template <class Body>
  void for_each_orientation(const Order& order, std::int32_t option, Body&& body) const;
  double orientation_score(std::int32_t option, const Order& order) const;
  std::int32_t find_order(std::int32_t first, std::uint64_t code) const;
  std::int32_t rows_of(Group& group, std::uint64_t code);
  std::int32_t columns_of(OptionList& list, std::uint64_t code);
  std::vector<std::int32_t> final_nodes() const;
  std::int32_t best_node();
  void write_features(const Edge& edge, std::span<double> out);
  const double* option_row(std::int32_t option) const {
    return options_.features.data() + static_cast<std::size_t>(option) * model_.stateless();
  }
  std::optional<LanguageStates::Trees> language_trees() const;
  double tree_score(TreeStage stage, std::int32_t option);
  double tree_score(TreeStage stage, std::int32_t option, const Order& order, std::int32_t owner);
  void set_tree_orientations(std::int32_t owner, const Order& order);
  void clear_tree_orientations(const Order& order);
  double tree_step(const Grid& grid, const Node& from, std::int32_t option,
                   const LanguageStates::Step& step);
  double end_score(std::int32_t node);

  const WeightedPhraseModel& weighted_;
  const PhraseModel& model_;
  const SentenceOptions& options_;
  SearchLimits limits_;
  Reference reference_;
  SearchControl control_;

  TargetPhrases phrases_;
  LanguageStates language_;
  OrientationTracker tracker_;
  Coverages coverages_;
  FutureScores future_;

  std::vector<std::int32_t> phrase_;       // of each option, its target
  std::vector<double> score_, estimate_;   // of each option
  std::vector<std::int32_t> forward_row_;  // of each option: the number of its forward orientations
  std::vector<std::int32_t> forward_row_option_;  // of each row, an option that has it; -1: none
  std::vector<OptionList> lists_;
  std::vector<std::vector<std::int32_t>> lists_at_;  // by where they begin, then end
  RowInterner keys_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Order> orders_;
  std::vector<std::uint32_t> classes_;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::vector<Cell> cells_;  // of the stack that is being filled
  std::vector<Entry> heap_;
  std::vector<std::vector<Grid>> grids_;  // by the stack they lead to
  // Trees that look at more than the option: features behind those of options, some of which are
  // set before trees that look at them are asked; and what was computed last, by step of the
  // language models and by option.
  struct KnownStep {
    std::int32_t option = -1, order = -1;
    double value = 0;
  };
  struct KnownJump {
    double distortion = 0;
    std::int32_t order = -1;
    double value = 0;
  };
  std::vector<double> tree_rest_;
  std::vector<KnownStep> trees_of_step_;
  std::vector<KnownJump> trees_of_jump_;
  bool has_step_trees_ = false;  // whether a step has trees that neither row nor column has
  std::int32_t last_first_ = 0;  // the first node of the last stack
};

/// Calls body(slot, class) for the slots of each direction that say something of a step.
template <class Body>
void PhraseSearch::for_each_class(const Codes& codes, Body&& body) const {
  Codes left = codes;
  for (std::size_t i = model_.slots().size(); i-- > 0;) {
    const OrientationSlot& slot = model_.slots()[i];
    std::uint64_t& code = slot.direction == Direction::forward ? left.forward : left.backward;
    if (code % slot.codes()) body(slot, code % slot.codes() - 1);
    code /= slot.codes();
  }
}

/// Calls body(column, value) for each class of an order.
template <class Body>
void PhraseSearch::for_each_orientation(const Order& order, std::int32_t option,
                                        Body&& body) const {
  const double* row = options_.orientations.data() +
                      static_cast<std::size_t>(option) * model_.orientation_columns().size();
  for (auto i = order.first_class; i < order.last_class; ++i) body(classes_[i], row[classes_[i]]);
}

}  // namespace rosewood
