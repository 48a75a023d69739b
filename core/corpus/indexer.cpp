// core/corpus/indexer.cpp: cutting lines and words, and telling what may not stand in them.
#include "corpus/indexer.hpp"

#include <algorithm>
#include <array>

#include "util/utf8.hpp"

namespace rosewood {

namespace {

enum Kind : unsigned char { letter, gap, control, many };  // many: part of a longer character

constexpr auto kinds = [] {
  std::array<Kind, 256> kind{};
  for (std::size_t c = 0; c < 256; ++c)
    kind[c] = c >= 0x80 ? many : c < 0x20 || c == 0x7f ? control : c == ' ' ? gap : letter;
  kind['\t'] = gap;
  return kind;
}();

std::string control_name(std::uint32_t code) {
  constexpr const char* digits = "0123456789ABCDEF";
  return std::string("U+00") + digits[code >> 4 & 15] + digits[code & 15];
}

std::string place(std::size_t at) { return " at byte " + std::to_string(at + 1) + " of the line"; }

/// Why a character that is not an ASCII letter may not stand here; empty where it may.
Reason objection(std::uint32_t code, std::size_t at) {
  if (code == not_utf8) return {"it is not UTF-8" + place(at), "file.encoding"};
  if (code == '\r')
    return {"a carriage return" + place(at) + ": lines end with a line feed alone",
            "corpus.carriage-return"};
  if (code < 0x20 || (code >= 0x7f && code < 0xa0))
    return {"the control character " + control_name(code) + place(at), "corpus.control-character"};
  if (code == 0xfeff) return {"a byte order mark (U+FEFF)" + place(at), "corpus.byte-order-mark"};
  if (code == 0xfffe || code == 0xffff)
    return {(code & 1 ? "U+FFFF" : "U+FFFE") + place(at) + ", which is no character",
            "corpus.control-character"};
  return {};
}

}  // namespace

void Indexer::know(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::int64_t before = table_.size();
    if (table_.add(lines.substr(0, end)) != before)
      fail<CorpusError>("argument.duplicate", "a known word stands twice: number ", before);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::optional<BadLine> Indexer::feed(std::string_view block) {
  while (!bad_ && !block.empty()) {
    const std::size_t end = block.find('\n');
    const bool is_whole = end != std::string_view::npos;
    const std::string_view piece = block.substr(0, end);
    block.remove_prefix(is_whole ? end + 1 : block.size());
    if (is_dropping_) {
      is_dropping_ = !is_whole;
    } else if (is_whole && waiting_.empty()) {
      add_line(piece);
    } else {
      waiting_ += piece;
      const bool is_endless = static_cast<std::int64_t>(waiting_.size()) > max_bytes_ + 1;
      if (!is_whole && !is_endless) break;
      add_line(waiting_);
      waiting_.clear();
      is_dropping_ = !is_whole;
    }
  }
  return bad_;
}

std::optional<BadLine> Indexer::finish() {
  is_dropping_ = false;
  if (!bad_ && !waiting_.empty()) {
    add_line(waiting_);
    waiting_.clear();
  }
  return bad_;
}

void Indexer::add_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t before = ids_.size();
  if (static_cast<std::int64_t>(line.size()) > max_bytes_)
    refuse({"the line has more than " + std::to_string(max_bytes_) + " bytes", "corpus.too-long"});
  else if (lines_ == 0 && line.starts_with("\xef\xbb\xbf"))
    refuse({"the text begins with a byte order mark", "corpus.byte-order-mark"});
  else
    add_words(line);
  if (bad_) {
    ids_.resize(before);
    if (skip_bad_) skip();
    return;
  }
  tokens_ += static_cast<std::int64_t>(ids_.size() - before);
  ends_.push_back(tokens_);
  ++lines_;
}

void Indexer::skip() {
  constexpr std::size_t most = 5;
  if (examples_.size() < most) examples_.emplace_back(bad_->line, bad_->reason.text);
  bad_.reset();
  ++skipped_;
  ++lines_;
}

void Indexer::add_words(std::string_view line) {
  const auto kind = [&](std::size_t i) { return kinds[static_cast<unsigned char>(line[i])]; };
  std::int64_t words = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (kind(at) == gap) {
      ++at;
      continue;
    }
    if (++words > max_words_) {
      refuse(
          {"the line has more than " + std::to_string(max_words_) + " words", "corpus.too-long"});
      return;
    }
    const std::size_t begin = at;
    for (; at < line.size() && kind(at) != gap;) {
      if (kind(at) == letter) {
        ++at;
        continue;
      }
      const Character found = kind(at) == many
                                  ? character_at(line, at)
                                  : Character{static_cast<unsigned char>(line[at]), std::size_t{1}};
      if (auto reason = objection(found.code, at); !reason.empty()) {
        refuse(std::move(reason));
        return;
      }
      at += found.size;
    }
    const std::int32_t word = table_.add(line.substr(begin, at - begin));
    if (word >= forbidden_first_ && word <= forbidden_last_) {
      refuse(
          {"the word " + std::string(table_[word]) + place(begin) + ", which is no word of a text",
           "lm.sentence-mark"});
      return;
    }
    ids_.push_back(word);
  }
}

}  // namespace rosewood
