// core/corpus/indexer.cpp: cutting lines and words, and telling what may not stand in them.
#include "corpus/indexer.hpp"

#include <algorithm>
#include <array>

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

constexpr std::uint32_t not_utf8 = ~std::uint32_t{0};

/// The character of several bytes that begins here, and how long it is.
struct Character {
  std::uint32_t code;
  std::size_t size;
};

/// As RFC 3629 has it: shortest form, no surrogates, nothing above U+10FFFF.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const std::uint32_t first = byte(0);
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || first > 0xf4) return {not_utf8, 0};
  std::uint32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {not_utf8, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_longer_than_needed = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (is_longer_than_needed || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
    return {not_utf8, 0};
  return {code, size};
}

std::string control_name(std::uint32_t code) {
  constexpr const char* digits = "0123456789ABCDEF";
  return std::string("U+00") + digits[code >> 4 & 15] + digits[code & 15];
}

std::string place(std::size_t at) { return " at byte " + std::to_string(at + 1) + " of the line"; }

/// Why a character that is not an ASCII letter may not stand here; empty where it may.
std::string objection(std::uint32_t code, std::size_t at) {
  if (code == not_utf8) return "it is not UTF-8" + place(at);
  if (code == '\r') return "a carriage return" + place(at) + ": lines end with a line feed alone";
  if (code < 0x20 || (code >= 0x7f && code < 0xa0))
    return "the control character " + control_name(code) + place(at);
  if (code == 0xfeff) return "a byte order mark (U+FEFF)" + place(at);
  if (code == 0xfffe || code == 0xffff)
    return (code & 1 ? "U+FFFF" : "U+FFFE") + place(at) + ", which is no character";
  return {};
}

}  // namespace

void Indexer::know(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::int64_t before = table_.size();
    if (table_.add(lines.substr(0, end)) != before)
      fail<CorpusError>("a known word stands twice: number ", before);
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
    refuse("the line has more than " + std::to_string(max_bytes_) + " bytes");
  else if (lines_ == 0 && line.starts_with("\xef\xbb\xbf"))
    refuse("the text begins with a byte order mark");
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
  if (examples_.size() < most) examples_.push_back(*bad_);
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
      refuse("the line has more than " + std::to_string(max_words_) + " words");
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
      refuse("the word " + std::string(table_[word]) + place(begin) +
             ", which is no word of a text");
      return;
    }
    ids_.push_back(word);
  }
}

}  // namespace rosewood
