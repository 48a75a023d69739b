// core/decode/chart_search.hpp: the search for the best translations of one sentence with rules
// that have gaps. No Python here.
//
// A cell has the nodes of a span and a label. A node is all translations of its span that cannot be
// told apart by what may stand around them; edges lead to it from the nodes in the gaps of a rule,
// and all of them are kept. Cells are filled by length, each from the matches of its span. A match
// is a grid: rules, best first, by the nodes of each gap, best first. By cube pruning (Chiang 2007)
// the best point of all grids comes first, up to a limit; or all points are taken.
//
// Spans that are longer than rules may be are covered by glue: nodes that begin the sentence. The
// first is over no words; each other is one of them and a node of any label behind it. What a
// language model says of the beginning of the sentence is known there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decode/chart_language.hpp"
#include "decode/chart_options.hpp"
#include "decode/forest_writer.hpp"
#include "decode/search_control.hpp"

namespace rosewood {

struct ChartLimits : CommonLimits {
  std::uint64_t cell_size = 0;  // nodes of a cell; 0: any number
};

/// A forest with the source span and the label of each node; a label of -1: the beginning of the
/// sentence, or all of it.
struct ChartForest {
  ForestArrays arrays;
  std::vector<std::int32_t> begin, end, label;
  double score = 0;  // of the best derivation
};

class ChartSearch {
 public:
  /// Model and options must outlive it. With a reference only what says just this is kept, and
  /// nothing is pruned, unless a limit for the whole sentence is reached.
  ChartSearch(const WeightedHieroModel& model, const ChartOptions& options,
              const ChartLimits& limits, std::function<void()> beat, Reference reference = {});

  void run();
  const SearchReport& report() const { return control_.report(); }
  /// All translations, or the best one alone; words are numbers as in the options, edge labels are
  /// options. Empty where there is none.
  ChartForest forest(bool is_best_alone);

 private:
  class Graph;
  static constexpr std::int32_t glue_label = -1;
  struct Node {
    std::int32_t cell, state;
    std::int32_t position, length;  // in the reference
    std::int32_t best_edge;
    std::int32_t previous;  // made before, with the same state; -1: none
    double score;
  };
  struct Edge {
    std::int32_t head, option, tail;  // first of its tails; option -1: glue
    std::int32_t tails;
  };
  struct Cell {
    std::int32_t begin, end, label;
    std::vector<std::int32_t> nodes;  // best first, when it is complete
  };
  using Nodes = std::span<const std::int32_t>;
  /// The points of a match, or of glue. Those of a span are in `grids_` until it is filled.
  struct Grid {
    std::span<const std::int32_t> options;  // best first; empty: glue
    std::uint32_t gap, gaps;                // the first of its gaps, in gap_nodes_; how many
  };
  struct Point {
    std::uint32_t grid;
    std::uint32_t place;  // in places_: of the option, then of the node in each gap
    std::uint32_t value;  // in point_values_
    std::int32_t state = 0;
    std::int32_t position = 0, length = 0;
    double score = 0;
  };
  struct Seen {
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};
    std::uint32_t grid = 0, place = nothing;
    std::uint64_t hash = 0;
  };
  struct Entry {
    double priority;
    std::uint32_t point;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.point > b.point;
    }
  };
  // chart_setup.cpp
  void set_options();
  // chart_search.cpp
  void fill_spans();
  void fill_glue();
  void add_grid(const ChartMatch& match);
  void begin_span(std::int32_t begin, std::int32_t end);
  void close(std::int32_t cell);
  std::int32_t cell(std::int32_t begin, std::int32_t end, std::int32_t label) const;
  std::int32_t open_cell(std::int32_t label);
  std::vector<std::int32_t> final_nodes() const;
  // chart_points.cpp
  void fill(std::uint64_t spans_left);
  void fill_all(const SearchControl::Share& share);
  void fill_best(const SearchControl::Share& share);
  std::uint64_t points_of_grids() const;
  void clear_points();
  bool is_new_place(std::uint32_t grid, std::uint32_t place);
  void look(std::uint32_t grid, std::uint32_t place);
  void fit_reference(const Grid& grid, Point point, std::span<const std::int32_t> symbols);
  void accept(const Point& point);
  std::int32_t find_node(std::int32_t cell, const Point& point) const;
  std::int32_t add_node(std::int32_t cell, const Point& point);
  std::int32_t size_of(const Grid& grid, std::size_t dimension) const;
  /// The node in a gap, at a place.
  std::int32_t node_at(const Grid& grid, std::uint32_t place, std::size_t gap) const {
    return gap_nodes_[grid.gap + gap][static_cast<std::size_t>(places_[place + 1 + gap])];
  }
  std::int32_t option_at(const Grid& grid, std::uint32_t place) const {
    return grid.options.empty() ? -1 : grid.options[static_cast<std::size_t>(places_[place])];
  }
  std::size_t models() const { return model_.language_models().size(); }
  double tree_score(std::int32_t option, double glue, std::span<const double> values);

  const WeightedHieroModel& weighted_;
  const HieroModel& model_;
  const ChartOptions& options_;
  ChartLimits limits_;
  Reference reference_;
  SearchControl control_;

  ChartLanguage language_;
  std::vector<double> score_;            // of each option, by itself
  std::vector<std::int32_t> order_;      // options; those of a list are best first
  std::vector<std::size_t> word_start_;  // of each option, in lm_words_
  std::vector<std::uint32_t> lm_words_;
  std::vector<std::int32_t> run_;        // of each option: the words that its target begins with
  std::vector<std::uint32_t> no_words_;  // of glue: it has gaps alone
  std::vector<Cell> cells_;              // those of a span follow each other
  struct CellRange {
    std::int32_t first = 0, last = 0;
  };
  std::vector<std::vector<CellRange>> spans_;  // by beginning and length
  std::vector<std::int32_t> glue_cells_;       // by end
  std::vector<std::int32_t> last_of_state_;    // of each state, the last node that has it; -1: none
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> tails_;
  std::vector<double> values_;  // of language models, for each edge
  // Of the span that is being filled.
  std::int32_t begin_ = 0, end_ = 0, first_cell_ = 0;
  std::vector<Grid> grids_;
  std::vector<Nodes> gap_nodes_;
  std::vector<Point> points_;
  std::vector<std::int32_t> places_;
  std::vector<double> point_values_;
  std::vector<Entry> heap_;
  std::vector<Seen> seen_;  // places that more than one point leads to, by their hashes
  std::size_t seen_places_ = 0;
  std::vector<std::int32_t> states_;
  std::vector<double> tree_row_;   // features of an edge without an option
  std::vector<double> tree_rest_;  // features behind those of an option; empty: no tree needs them
};

}  // namespace rosewood
