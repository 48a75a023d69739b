// core/corpus/indexer.hpp: text into word numbers, block by block. No Python here.
//
// Lines end at line feeds, words at spaces and tabs. A block may end anywhere, even within a
// character: what stands behind its last line feed waits for the next block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/word_table.hpp"
#include "util/error.hpp"

namespace rosewood {

/// What is wrong with a line, counted from 1.
struct BadLine {
  std::int64_t line;
  Reason reason;
};

class Indexer {
 public:
  /// Longer lines are bad ones: a file without line feeds must not fill the memory. Bad lines end
  /// the text, or are skipped and counted.
  Indexer(std::int64_t max_words, std::int64_t max_bytes, bool skip_bad)
      : max_words_(max_words), max_bytes_(max_bytes), skip_bad_(skip_bad) {}

  /// Gives these words, each of which is one line of the text, the first numbers.
  void know(std::string_view lines);
  /// Of the known words, these may not stand in the text: they have a meaning of their own.
  void forbid(std::int32_t first, std::int32_t last) {
    forbidden_first_ = first, forbidden_last_ = last;
  }

  /// Takes the next bytes of the text. Stops at the first bad line, and stays there.
  std::optional<BadLine> feed(std::string_view block);
  /// The text has ended: what waits is its last line.
  std::optional<BadLine> finish();

  /// Another text follows, behind finish(): its lines are counted from 1 again.
  void next_text() { lines_ = 0; }

  /// Bad lines that were skipped, and the first few of them.
  std::int64_t skipped() const { return skipped_; }
  using Example = std::pair<std::int64_t, std::string>;  // line and reason
  const std::vector<Example>& examples() const { return examples_; }

  /// Word numbers since the last `take`, and where the lines that they are of end in the whole.
  std::vector<std::int32_t> take_ids() { return std::exchange(ids_, {}); }
  std::vector<std::int64_t> take_ends() { return std::exchange(ends_, {}); }

  std::int64_t lines() const { return lines_; }
  const WordTable& table() const { return table_; }

 private:
  void add_line(std::string_view line);
  void add_words(std::string_view line);
  void refuse(Reason reason) { bad_ = BadLine{lines_ + 1, std::move(reason)}; }
  void skip();

  std::int64_t max_words_, max_bytes_;
  bool skip_bad_;
  bool is_dropping_ = false;  // the rest of a line that was too long
  std::int32_t forbidden_first_ = 0, forbidden_last_ = -1;
  std::int64_t lines_ = 0, tokens_ = 0, skipped_ = 0;
  std::vector<Example> examples_;
  WordTable table_;
  std::string waiting_;
  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> ends_;
  std::optional<BadLine> bad_;
};

}  // namespace rosewood
