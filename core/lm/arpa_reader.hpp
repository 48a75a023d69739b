// core/lm/arpa_reader.hpp: ARPA files into tables of n-grams, block by block. No Python here.
//
// What stands before \data\ and behind \end\ is passed over; fields are cut at spaces and tabs; a
// back-off that is not there is 0. The words <unk>, <s> and </s> are added where they are missing,
// and so are prefixes and suffixes of n-grams (arpa_close.hpp). Everything else is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/indexer.hpp"
#include "corpus/word_table.hpp"
#include "lm/arpa_close.hpp"
#include "lm/arpa_line.hpp"
#include "lm/table.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

class ArpaReader {
 public:
  /// `room` is where n-grams go that do not fit; longer lines than `max_bytes` are bad ones.
  ArpaReader(SortRoom room, std::int64_t max_bytes);

  /// Takes the next bytes of the file. Stops at the first bad line, and stays there.
  std::optional<BadLine> feed(std::string_view block);
  /// The file has ended: puts the table together.
  std::optional<BadLine> finish();

  /// The table, once, after `finish`.
  NgramTable take_table() { return std::move(closed_.table); }
  const WordTable& words() const { return words_; }
  /// How many n-grams the file has, and how many more were needed, of each order.
  const std::vector<std::int64_t>& counts() const { return announced_; }
  const std::vector<std::int64_t>& added() const { return closed_.added; }
  /// Of <unk>, <s> and </s>, those that the file does not have.
  const std::vector<std::string>& missing() const { return missing_; }
  const ArpaRepairs& repairs() const { return repairs_; }

 private:
  enum class Part { before, counts, ngrams, behind };
  struct Piece {  // of a block, read by one thread
    std::vector<std::uint64_t> rows;
    std::int64_t lines = 0;
    Reason reason;
    ArpaRepairs repairs;
    std::vector<std::string_view> said;  // the words of the n-gram before, and their numbers:
    std::vector<std::uint32_t> words;    // most of them come again in the next line
  };

  void read_lines(std::string_view text);
  void read_line(std::string_view line);
  void read_count(std::string_view line);
  void begin_section(std::int64_t order, std::string_view heading);
  void end_section();
  void end_unigrams();
  void end_ngrams();
  void read_unigrams(std::string_view text);
  Reason read_unigram(const std::vector<std::string_view>& fields);
  void read_ngrams(std::string_view text);
  void read_piece(std::string_view text, Piece& piece) const;
  Reason read_ngram(const std::vector<std::string_view>& fields, Piece& piece) const;
  bool has_too_many();
  int order() const { return static_cast<int>(announced_.size()); }
  void refuse(std::int64_t line, Reason reason) { bad_ = BadLine{line, std::move(reason)}; }

  SortRoom room_;
  std::int64_t max_bytes_;
  std::optional<BadLine> bad_;
  Part part_ = Part::before;
  std::string waiting_;
  std::int64_t lines_ = 0;         // that were read
  int section_ = 0;                // the order of the n-grams that are read
  std::int64_t section_line_ = 0;  // of its heading
  std::int64_t found_ = 0;         // n-grams of the section
  std::vector<std::int64_t> announced_;
  WordTable words_;
  std::vector<float> probability_, backoff_;  // of words
  std::vector<bool> is_there_;
  bool is_upper_unknown_ = false;  // the unknown word is written <UNK>
  std::vector<std::string> missing_;
  ArpaRepairs repairs_;
  NgramKeys keys_;
  std::unique_ptr<RowSorter> sorter_;
  std::vector<NgramRows> rows_;  // by order, from 2 on
  ClosedTable closed_;
};

}  // namespace rosewood
