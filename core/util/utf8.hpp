// core/util/utf8.hpp: characters of UTF-8 text, checked. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rosewood {

inline constexpr std::uint32_t not_utf8 = ~std::uint32_t{0};

/// The character that begins somewhere, and how many bytes it has.
struct Character {
  std::uint32_t code;
  std::size_t size;
};

/// The character of several bytes that begins here, as RFC 3629 has it: shortest form, no
/// surrogates, nothing above U+10FFFF.
inline Character character_at(std::string_view text, std::size_t at) {
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

/// Where the first byte stands that is not UTF-8; the text's size where all of them are.
inline std::size_t first_not_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Character found = character_at(text, at);
    if (found.code == not_utf8) break;
    at += found.size;
  }
  return at;
}

/// The beginning of a text for a message: what is not UTF-8 is a question mark.
inline std::string quoted(std::string_view text, std::size_t most = 40) {
  std::string told = "'";
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size() && count < most; ++count) {
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const std::size_t size = is_ascii ? 1 : character_at(text, at).size;
    told += size ? text.substr(at, size) : "?";
    at += size ? size : 1;
  }
  return told + (at < text.size() ? "…'" : "'");
}

}  // namespace rosewood
