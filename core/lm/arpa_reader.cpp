// core/lm/arpa_reader.cpp: the parts of an ARPA file in turn; n-grams of a block in several
// threads.
#include "lm/arpa_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t grain = 1 << 16;  // bytes that are worth a thread

std::string heading(int order) { return std::string("\\") + std::to_string(order) + "-grams:"; }

}  // namespace

ArpaReader::ArpaReader(SortRoom room, std::int64_t max_bytes)
    : room_(std::move(room)), max_bytes_(max_bytes) {
  for (const char* special : {"<unk>", "<s>", "</s>"}) words_.add(special);
  probability_ = {missing_word, log_zero, missing_word};
  backoff_.assign(3, 0.0F);
  is_there_.assign(3, false);
}

std::optional<BadLine> ArpaReader::feed(std::string_view block) {
  if (bad_ || part_ == Part::behind) return bad_;
  if (!waiting_.empty() && !block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size() - 1) + 1;
    waiting_ += block.substr(0, end);
    block.remove_prefix(end);
    if (waiting_.ends_with('\n')) {
      read_lines(waiting_);
      waiting_.clear();
    }
  }
  const std::size_t whole = block.rfind('\n') + 1;  // 0 where there is none
  read_lines(block.substr(0, whole));
  if (part_ != Part::behind) waiting_ += block.substr(whole);
  if (!bad_ && static_cast<std::int64_t>(waiting_.size()) > max_bytes_ + 1)
    read_lines(waiting_ + "\n");
  return bad_;
}

std::optional<BadLine> ArpaReader::finish() {
  if (!bad_ && !waiting_.empty()) read_lines(waiting_ + "\n");
  waiting_.clear();
  if (!bad_ && part_ != Part::behind)
    refuse(std::max<std::int64_t>(lines_, 1),
           part_ == Part::before ? Reason("there is no \\data\\ in it: no ARPA file", "file.kind")
                                 : Reason("it ends without \\end\\", "file.damaged"));
  if (!bad_) closed_ = close_table(keys_, probability_, backoff_, rows_, room_);
  return bad_;
}

void ArpaReader::read_lines(std::string_view text) {
  while (!bad_ && !text.empty() && part_ != Part::behind) {
    std::size_t end = 0;
    if (part_ == Part::ngrams && text[0] != '\\') {  // up to the next heading
      end = std::min(text.find("\n\\"), text.size() - 1) + 1;
      if (section_ == 1)
        read_unigrams(text.substr(0, end));
      else
        read_ngrams(text.substr(0, end));
    } else {
      end = text.find('\n') + 1;
      ++lines_;
      if (static_cast<std::int64_t>(end) - 1 > max_bytes_)
        refuse(lines_, {"the line has more than " + std::to_string(max_bytes_) + " bytes",
                        "corpus.too-long"});
      else
        read_line(trimmed(text.substr(0, end - 1)));
    }
    text.remove_prefix(end);
  }
}

/// A line that is no n-gram.
void ArpaReader::read_line(std::string_view line) {
  if (part_ == Part::before) {
    if (lines_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line == "\\data\\") part_ = Part::counts;
    return;
  }
  if (line.empty()) return;
  if (part_ == Part::counts && line.starts_with("ngram")) return read_count(line);
  if (!line.starts_with('\\'))
    return refuse(lines_,
                  {quoted(line) + " among the counts, expected `ngram N=COUNT`", "line.fields"});
  end_section();
  if (bad_) return;
  if (announced_.empty()) return refuse(lines_, {"\\data\\ announces no n-grams", "file.empty"});
  std::int64_t next = -1;
  if (line == "\\end\\")
    next = order() + 1;
  else if (line.ends_with("-grams:"))
    next = parse_count(line.substr(1, line.size() - 8));
  if (next < 0)
    return refuse(lines_, {quoted(line) + " is no heading of an ARPA file", "line.unknown"});
  begin_section(next, line);
}

void ArpaReader::read_count(std::string_view line) {
  const std::size_t equals = line.find('=');
  const std::int64_t n =
      equals == line.npos ? -1 : parse_count(trimmed(line.substr(5, equals - 5)));
  const std::int64_t count = n < 0 ? -1 : parse_count(trimmed(line.substr(equals + 1)));
  if (count < 0)
    return refuse(lines_,
                  {quoted(line) + " among the counts, expected `ngram N=COUNT`", "line.fields"});
  if (n != order() + 1)
    return refuse(lines_,
                  {quoted(line) + " where order " + std::to_string(order() + 1) + " should stand",
                   "line.order"});
  if (n == 1 && count == 0) return refuse(lines_, {"a model without words", "file.empty"});
  announced_.push_back(count);
}

void ArpaReader::begin_section(std::int64_t next, std::string_view line) {
  int wanted = section_ + 1;  // orders of no n-grams need no section
  while (wanted > 1 && wanted < next && wanted <= order() && announced_[wanted - 1] == 0) {
    rows_.emplace_back();
    ++wanted;
  }
  if (next != wanted || (wanted > order() && line != "\\end\\"))
    return refuse(lines_, {quoted(line) + " where " +
                               (wanted > order() ? "\\end\\" : heading(wanted)) + " should stand",
                           "line.order"});
  section_ = wanted;
  section_line_ = lines_;
  found_ = 0;
  part_ = wanted > order() ? Part::behind : Part::ngrams;
  if (part_ == Part::behind || wanted == 1) return;
  const int size = keys_.size(wanted);
  const SortRoom half{room_.folder, room_.bytes / 2, room_.threads};
  sorter_ = std::make_unique<RowSorter>(size + 1, size, half, "read." + std::to_string(wanted));
}

void ArpaReader::end_section() {
  if (section_ == 0) return;
  const std::int64_t announced = announced_[section_ - 1];
  if (found_ != announced)
    return refuse(section_line_, {heading(section_) + " has " + std::to_string(found_) +
                                      " n-grams, \\data\\ announces " + std::to_string(announced),
                                  "lm.ngrams"});
  if (section_ == 1)
    end_unigrams();
  else
    end_ngrams();
}

/// All words are known now, and so are the sizes of what comes.
void ArpaReader::end_unigrams() {
  for (int special = 0; special < 3; ++special)
    if (!is_there_[special]) missing_.emplace_back(words_[special]);
  keys_ = NgramKeys(words_.size());
  double bytes = 0;
  for (int n = 2; n <= order(); ++n)
    bytes += static_cast<double>(announced_[n - 1]) * (keys_.size(n) + 1) * sizeof(std::uint64_t);
  // Rows, as many again for sorting, and the table that is made of them.
  if (bytes * 3 <= static_cast<double>(room_.bytes)) room_.folder.clear();
}

void ArpaReader::end_ngrams() {
  const auto size = static_cast<std::size_t>(keys_.size(section_));
  const std::string file =
      room_.folder.empty() ? "" : room_.folder + "/rows." + std::to_string(section_);
  NgramRows rows(file);
  std::vector<std::uint64_t> before;  // the key before; none at first
  sorter_->finish();
  while (const std::uint64_t* row = sorter_->next()) {
    if (!before.empty() && std::equal(before.begin(), before.end(), row)) {
      std::vector<std::uint32_t> words(static_cast<std::size_t>(section_));
      keys_.unpack(row, section_, words.data());
      std::string told;
      for (const std::uint32_t word : words) {
        if (!told.empty()) told += ' ';
        told += words_[word];
      }
      return refuse(section_line_,
                    {std::to_string(section_) + "-gram " + quoted(told, 200) + " stands twice",
                     "line.duplicate"});
    }
    before.assign(row, row + size);
    rows.append({row, size + 1});
  }
  rows.close();
  rows_.push_back(std::move(rows));
  sorter_.reset();
}

/// Told where the section begins: a block may end anywhere.
bool ArpaReader::has_too_many() {
  const std::int64_t announced = announced_[section_ - 1];
  if (found_ > announced)
    refuse(section_line_, {heading(section_) + " has more n-grams than the " +
                               std::to_string(announced) + " that \\data\\ announces",
                           "lm.ngrams"});
  return found_ > announced;
}

void ArpaReader::read_unigrams(std::string_view text) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    ++lines_;
    Reason reason = line_fields(text.substr(0, end), max_bytes_, fields);
    if (reason.empty() && !fields.empty()) reason = read_unigram(fields);
    if (!reason.empty()) return refuse(lines_, std::move(reason));
    if (!fields.empty()) ++found_;
    if (has_too_many()) return;
    text.remove_prefix(end + 1);
  }
}

Reason ArpaReader::read_unigram(const std::vector<std::string_view>& fields) {
  float probability = 0, backoff = 0;
  Reason reason = read_weights(fields, 1, order() == 1, probability, backoff, repairs_);
  if (!reason.empty()) return reason;
  std::string_view word = fields[1];
  if (const std::size_t bad = first_not_utf8(word); bad < word.size())
    return {"it is not UTF-8 at byte " + std::to_string(bad + 1) + " of the word", "file.encoding"};
  // <UNK> is the unknown word, unless there is <unk>, too: then it is a word like others.
  if (word == "<UNK>") {
    if (is_upper_unknown_) return {"word " + quoted(word) + " stands twice", "line.duplicate"};
    is_upper_unknown_ = !is_there_[unknown_word];
    if (is_upper_unknown_) word = "<unk>";
  } else if (word == "<unk>" && std::exchange(is_upper_unknown_, false)) {
    words_.add("<UNK>");
    probability_.push_back(probability_[unknown_word]);
    backoff_.push_back(backoff_[unknown_word]);
    is_there_.push_back(true);
    is_there_[unknown_word] = false;
  }
  const auto number = static_cast<std::size_t>(words_.add(word));
  if (number == is_there_.size()) {
    probability_.push_back(0);
    backoff_.push_back(0);
    is_there_.push_back(false);
  }
  if (is_there_[number]) return {"word " + quoted(word) + " stands twice", "line.duplicate"};
  is_there_[number] = true;
  probability_[number] = probability;
  backoff_[number] = backoff;
  return {};
}

void ArpaReader::read_ngrams(std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t most = std::clamp<std::int64_t>(size / grain, 1, room_.threads);
  std::vector<std::size_t> cuts{0};
  for (std::int64_t k = 1; k <= most; ++k) {
    const auto near = static_cast<std::size_t>(size * k / most - 1);
    cuts.push_back(std::max(cuts.back(), text.find('\n', near) + 1));
  }
  std::vector<Piece> pieces(static_cast<std::size_t>(most));
  parallel_for(most, room_.threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
      read_piece(text.substr(cuts[k], cuts[k + 1] - cuts[k]), pieces[k]);
  });
  const auto width = static_cast<std::size_t>(keys_.size(section_)) + 1;
  for (Piece& piece : pieces) {
    found_ += static_cast<std::int64_t>(piece.rows.size() / width);
    lines_ += piece.lines;
    repairs_ += piece.repairs;
    if (has_too_many()) return;
    if (!piece.reason.empty()) return refuse(lines_, std::move(piece.reason));
    for (std::size_t at = 0; at < piece.rows.size(); at += width)
      std::copy_n(piece.rows.data() + at, width, sorter_->add());
  }
}

void ArpaReader::read_piece(std::string_view text, Piece& piece) const {
  std::vector<std::string_view> fields;
  piece.said.resize(static_cast<std::size_t>(section_));
  piece.words.resize(static_cast<std::size_t>(section_));
  while (!text.empty() && piece.reason.empty()) {
    const std::size_t end = text.find('\n');
    ++piece.lines;
    piece.reason = line_fields(text.substr(0, end), max_bytes_, fields);
    if (piece.reason.empty() && !fields.empty()) piece.reason = read_ngram(fields, piece);
    text.remove_prefix(end + 1);
  }
}

Reason ArpaReader::read_ngram(const std::vector<std::string_view>& fields, Piece& piece) const {
  float probability = 0, backoff = 0;
  Reason reason =
      read_weights(fields, section_, section_ == order(), probability, backoff, piece.repairs);
  if (!reason.empty()) return reason;
  for (int i = 0; i < section_; ++i) {
    const std::string_view word = fields[i + 1];
    if (word == piece.said[i]) continue;
    std::int32_t number = words_.find(word);
    if (is_upper_unknown_ && word == "<UNK>") number = unknown_word;
    if (number < 0 || !is_there_[number])
      return {"word " + quoted(word) + " is not among the unigrams", "line.unknown"};
    piece.said[i] = word;
    piece.words[i] = static_cast<std::uint32_t>(number);
  }
  const auto size = static_cast<std::size_t>(keys_.size(section_));
  const std::size_t at = piece.rows.size();
  piece.rows.resize(at + size + 1);
  keys_.pack(piece.words.data(), section_, piece.rows.data() + at);
  piece.rows[at + size] = pack_weights(probability, backoff);
  return {};
}

}  // namespace rosewood
