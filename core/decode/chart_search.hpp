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

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "decode/chart_language.hpp"
#include "decode/chart_options.hpp"
#include "decode/forest_writer.hpp"
#include "decode/search_report.hpp"

namespace rosewood {

/// 0 is no limit.
struct ChartLimits {
  bool is_full = false;                                   // every point, not cube pruning
  std::uint64_t pop_limit = 0;                            // points of a span
  std::uint64_t cell_size = 0;                            // nodes of a cell
  double beam = std::numeric_limits<double>::infinity();  // below the best of a cell
  std::uint64_t max_pops = 0;                             // points of a sentence
  double seconds = 0;
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
  /// Model and options must outlive it. With a reference, of target words as in the options, only
  /// what says just this is kept, and nothing is pruned.
  /// `beat` is called every now and then, and may throw to end the search.
  ChartSearch(const WeightedHieroModel& model, const ChartOptions& options,
              const ChartLimits& limits, std::function<void()> beat,
              std::optional<std::span<const std::int32_t>> reference = {});

  void run();
  const SearchReport& report() const { return report_; }
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
  /// The points of a match, or of glue.
  struct Grid {
    std::span<const std::int32_t> options;  // best first; empty: glue
    std::vector<std::int32_t> cells;        // of the gaps
    std::int32_t begin, end;
  };
  struct Point {
    std::uint32_t grid;
    std::uint32_t place;  // in places_: of the option, then of the node in each gap
    std::uint32_t value;  // in point_values_
    std::int32_t state = 0;
    std::int32_t position = 0, length = 0;
    double score = 0;
  };
  struct Entry {
    double priority;
    std::uint32_t point;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.point > b.point;
    }
  };
  void set_options();
  void fill_spans();
  void fill_glue();
  void fill(const std::vector<Grid>& grids, std::uint64_t spans_left);
  void fill_all(const std::vector<Grid>& grids);
  void fill_best(const std::vector<Grid>& grids, std::uint64_t limit, bool is_narrowing);
  void look(const std::vector<Grid>& grids, std::uint32_t grid,
            std::span<const std::int32_t> place);
  void look_at_reference(Point point, const Grid& grid, std::span<const std::int32_t> place,
                         std::span<const std::int32_t> symbols);
  void accept(const Grid& grid, const Point& point);
  void close(std::int32_t begin, std::int32_t end, std::int32_t label);
  bool is_out_of_time();
  std::int32_t cell(std::int32_t begin, std::int32_t end, std::int32_t label) const;
  std::int32_t open_cell(std::int32_t begin, std::int32_t end, std::int32_t label);
  std::vector<std::int32_t> final_nodes() const;
  std::int32_t size_of(const Grid& grid, std::size_t dimension) const;
  void tick() {
    if (++ticks_ % ticks_of_beat == 0) beat_();
  }
  std::size_t models() const { return model_.language_models().size(); }

  const WeightedHieroModel& weighted_;
  const HieroModel& model_;
  const ChartOptions& options_;
  ChartLimits limits_;
  std::optional<std::span<const std::int32_t>> reference_;
  static constexpr std::uint64_t ticks_of_beat = 1 << 13;  // some milliseconds
  std::uint64_t ticks_ = 0;
  std::function<void()> beat_;
  SearchReport report_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  ChartLanguage language_;
  std::vector<double> score_;            // of each option, by itself
  std::vector<std::int32_t> order_;      // options; those of a list are best first
  std::vector<std::size_t> word_start_;  // of each option, in lm_words_
  std::vector<std::uint32_t> lm_words_;
  std::vector<std::uint32_t> no_words_;  // of glue: it has gaps alone
  std::vector<Cell> cells_;
  std::vector<std::vector<std::int32_t>> cells_at_;  // of each span
  RowInterner keys_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> tails_;
  std::vector<double> values_;  // of language models, for each edge
  // Of the span that is being filled.
  std::vector<Point> points_;
  std::vector<std::int32_t> places_;
  std::vector<double> point_values_;
  std::vector<Entry> heap_;
  std::vector<std::int32_t> states_;
};

}  // namespace rosewood
