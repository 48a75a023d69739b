// core/util/error.hpp: what kernels throw. bind/ turns each into the class of rosewood.errors.
#pragma once

#include <stdexcept>
#include <string>

namespace rosewood {

/// A forest, or what was asked of it, is not valid.
struct ForestError : std::runtime_error {
  using std::runtime_error::runtime_error;
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
struct MetricError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A corpus, or what was asked of it, is not valid.
struct CorpusError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An alignment, or what was asked of it, is not valid.
struct AlignmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A language model, or what was asked of it, is not valid.
struct LanguageModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rules, or what was asked of them, are not valid.
struct RuleError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A decoder, or what it is to translate, is not valid.
struct DecodingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Settings, candidates or weights that cannot be tuned.
struct TuningError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Pieces of a message, joined: fail<ForestError>("edge ", e, ": …").
template <class E, class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::string message;
  auto add = [&message](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      message += std::to_string(part);
    else
      message += part;
  };
  (add(parts), ...);
  throw E(message);
}

}  // namespace rosewood
