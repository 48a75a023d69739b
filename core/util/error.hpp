// core/util/error.hpp: what kernels throw. bind/ turns each into the class of rosewood.errors.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rosewood {

/// A code of docs/errors.md such as `argument.range`; the compiler refuses any other text.
struct Code {
  const char* text;

  consteval Code(const char* code) : text(code) {
    int dots = 0;
    for (const char c : std::string_view(code)) {
      if (c == '.')
        ++dots;
      else if (c != '-' && (c < 'a' || c > 'z'))
        throw "a code has lower-case letters, hyphens and one dot";
    }
    if (dots != 1) throw "a code has two parts";
  }
};

/// The kind of a fault, the argument that is wrong, and the number of the edge, rule, sentence, …
/// that is wrong, where there are such.
struct Fault {
  Code code;
  const char* argument = "";
  std::optional<std::int64_t> value;

  consteval Fault(const char* code) : code(code) {}
  constexpr Fault(Code code, const char* argument) : code(code), argument(argument) {}
  template <std::integral N>
  constexpr Fault(Code code, N value) : Fault(code, "", value) {}
  template <std::integral N>
  constexpr Fault(Code code, const char* argument, N value)
      : code(code), argument(argument), value(static_cast<std::int64_t>(value)) {}
};

/// Why something cannot be read or written; empty where it can.
struct Reason {
  Reason() = default;
  Reason(std::string why, Fault kind = "line.value") : text(std::move(why)), fault(kind) {}
  bool empty() const { return text.empty(); }

  std::string text;
  Fault fault = "line.value";
};

/// Base of all errors: a fault and a message.
struct Error : std::runtime_error {
  Error(Fault kind, const std::string& message) : std::runtime_error(message), fault(kind) {}

  Fault fault;
};

/// A forest, or what was asked of it, is not valid.
struct ForestError : Error {
  using Error::Error;
};

/// A cycle where there may be none.
struct CycleError : ForestError {
  using ForestError::ForestError;
};

/// A distribution was asked of a forest whose derivations all have weight zero.
struct EmptyForestError : ForestError {
  using ForestError::ForestError;
};

/// A metric, or what is to be scored, is not valid.
struct MetricError : Error {
  using Error::Error;
};

/// A corpus, or what was asked of it, is not valid.
struct CorpusError : Error {
  using Error::Error;
};

/// An alignment, or what was asked of it, is not valid.
struct AlignmentError : Error {
  using Error::Error;
};

/// A language model, or what was asked of it, is not valid.
struct LanguageModelError : Error {
  using Error::Error;
};

/// Rules, or what was asked of them, are not valid.
struct RuleError : Error {
  using Error::Error;
};

/// Examples, or a classifier of orientations, are not valid.
struct ReorderingError : Error {
  using Error::Error;
};

/// A decoder, or what it is to translate, is not valid.
struct DecodingError : Error {
  using Error::Error;
};

/// Settings, candidates or weights that cannot be tuned.
struct TuningError : Error {
  using Error::Error;
};

/// Pieces of a message, joined; numbers as decimal text.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string message;
  auto add = [&message](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      message += std::to_string(part);
    else
      message += part;
  };
  (add(parts), ...);
  return message;
}

/// fail<ForestError>("forest.order", "edge ", e, ": …"), or with an argument's name and a number:
/// fail<ForestError>({"argument.range", "tail", e}, …). Names must outlive the error: literals do.
template <class E, class... Parts>
[[noreturn]] void fail(Fault fault, const Parts&... parts) {
  throw E(fault, joined(parts...));
}

/// The same error of a sentence or forest, whose number is the value.
template <class E>
E restated(const E& error, const char* what, std::integral auto number) {
  const Fault fault(error.fault.code, error.fault.argument, number);
  return E(fault, joined(what, " ", number, ": ", error.what()));
}

}  // namespace rosewood
