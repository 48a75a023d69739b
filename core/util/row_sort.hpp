// core/util/row_sort.hpp: sorting rows of 64-bit numbers by their first numbers, in memory and in
// runs on disk. Sorting is stable, so the result has one order. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "util/spool.hpp"

namespace rosewood {

/// Memory that sorters use one after the other: new memory costs time, too.
struct SortMemory {
  BigVector<std::uint64_t> rows, spare;
};

/// Where and how large work may be that does not fit: runs are written to files in `folder`.
struct SortRoom {
  std::string folder;           // empty: everything stays in memory, however large it is
  std::size_t bytes = 1 << 30;  // memory to use
  int threads = 1;
  SortMemory* memory = nullptr;  // what was used before, for one sorter at a time
};

/// Sorts `count` rows of `width` numbers by their first `keys` numbers; equal ones stay in order.
/// `spare` is room of the same size.
void sort_rows(std::uint64_t* rows, std::uint64_t* spare, std::size_t count, int width, int keys,
               int threads);

/// Walks several sorted runs as one; of equal rows, those of earlier runs come first.
class RunMerger {
 public:
  RunMerger(const std::vector<Spool<std::uint64_t>>& runs, int width, int keys);
  /// The next row, valid until the next call; null behind the last one.
  const std::uint64_t* next();

 private:
  struct Run {
    SpoolReader<std::uint64_t> reader;
    std::vector<std::uint64_t> row;
  };
  bool is_before(std::size_t a, std::size_t b) const;
  bool advance(Run& run);
  void sink(std::size_t at);

  int width_, keys_;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;
  bool is_first_ = true;
};

/// Merges sorted runs until there are few enough to be open at a time; equal rows stay in order.
void merge_down(std::vector<Spool<std::uint64_t>>& runs, int width, int keys,
                const std::string& name);

/// Takes any number of rows, then gives them back sorted.
class RowSorter {
 public:
  /// `name` is how its files are called.
  RowSorter(int width, int keys, SortRoom room, std::string name);
  ~RowSorter();
  RowSorter(const RowSorter&) = delete;
  RowSorter& operator=(const RowSorter&) = delete;

  /// Room for one more row, to be filled in before the next call.
  std::uint64_t* add() {
    if (used_ == rows_.size()) make_room();
    std::uint64_t* row = rows_.data() + used_;
    used_ += static_cast<std::size_t>(width_);
    return row;
  }
  /// Room for this many rows at once, instead of add(); null where they do not fit into memory.
  std::uint64_t* add_all(std::uint64_t count);
  /// No more rows: sorts.
  void finish();
  /// The next row in order, valid until the next call; null behind the last one.
  const std::uint64_t* next();
  std::uint64_t size() const { return size_; }
  /// All rows, sorted, if they fit into memory; null otherwise. After finish().
  const std::uint64_t* all() const { return runs_.empty() ? rows_.data() : nullptr; }

 private:
  void make_room();
  void spill();
  void sort();

  int width_, keys_;
  SortRoom room_;
  std::string name_;
  std::size_t most_;  // numbers that may be held
  BigVector<std::uint64_t> rows_, spare_;
  std::size_t used_ = 0;  // numbers
  std::uint64_t size_ = 0;
  std::vector<Spool<std::uint64_t>> runs_;
  std::vector<RunMerger> merger_;  // one, once rows are given back
  std::size_t at_ = 0;
};

}  // namespace rosewood
