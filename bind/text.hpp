// bind/text.hpp: what the binding files share that take text in blocks of bytes.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "bind.hpp"
#include "corpus/indexer.hpp"

namespace rosewood::bind {

using Bytes = In<std::uint8_t>;

inline std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The line, the reason, its code and what is wrong, as Python takes them.
using Told = std::tuple<std::int64_t, std::string, std::string, std::optional<std::string>>;

inline Told told(const BadLine& bad) {
  const auto& [code, argument, value] = bad.reason.fault;
  return {bad.line, bad.reason.text, code.text,
          *argument ? std::optional<std::string>(argument) : std::nullopt};
}

inline std::optional<Told> told(const std::optional<BadLine>& bad) {
  return bad ? std::optional(told(*bad)) : std::nullopt;
}

/// The next piece of a text that is written block by block.
template <class Writer>
nb::bytes next_block(Writer& writer) {
  std::string text;
  {
    nb::gil_scoped_release release;
    text = writer.next();
  }
  return nb::bytes(text.data(), text.size());
}

/// All words of a table, one behind the other.
inline Array<std::uint8_t> word_bytes(const WordTable& table) {
  const auto bytes = table.bytes();
  return to_numpy(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

/// Where each word begins in the bytes, and where the last one ends.
inline Array<std::int64_t> word_start(const WordTable& table) {
  const auto start = table.start();
  return to_numpy(std::vector<std::int64_t>(start.begin(), start.end()));
}

}  // namespace rosewood::bind
