// core/lm/arpa_writer.hpp: a table of n-grams as the text of an ARPA file, block by block. No
// Python here.
//
// Numbers are the shortest that are read back as the same ones. N-grams stand in suffix order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lm/table.hpp"

namespace rosewood {

class ArpaWriter {
 public:
  /// Word w is word_bytes[word_start[w] .. word_start[w+1]-1]; table and words must stay.
  ArpaWriter(const NgramTable& table, std::span<const std::uint8_t> word_bytes,
             std::span<const std::int64_t> word_start, int threads);

  /// The next piece of the file; empty behind the last one.
  std::string next();

 private:
  struct Level {  // the n-gram of an order that the walk stands on
    SpoolReader<std::uint32_t> words;
    std::optional<SpoolReader<std::uint32_t>> children;
    std::uint32_t left = 0;  // of its children
  };

  void begin_order();
  void step();
  void gather();
  void format(std::size_t begin, std::size_t end, std::string& out) const;
  std::string_view word(std::uint32_t number) const {
    return {reinterpret_cast<const char*>(word_bytes_.data()) + word_start_[number],
            static_cast<std::size_t>(word_start_[number + 1] - word_start_[number])};
  }

  const NgramTable& table_;
  std::span<const std::uint8_t> word_bytes_;
  std::span<const std::int64_t> word_start_;
  int threads_;
  int n_ = 0;  // the order that is written; 0 before the first
  std::vector<Level> levels_;
  std::vector<std::uint32_t> current_;  // the words of the n-gram, the last one first
  std::optional<SpoolReader<float>> probabilities_, backoffs_;
  // What is formatted next: n-grams, n words each.
  std::vector<std::uint32_t> words_;
  std::vector<float> probability_, backoff_;
};

}  // namespace rosewood
