// core/lm/arpa_line.hpp: one line of an ARPA file: its fields, its numbers, what is wrong with
// them. No Python here.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/indexer.hpp"
#include "util/number.hpp"
#include "util/utf8.hpp"

namespace rosewood {

inline constexpr float log_zero = -99.0F;  // how SRILM writes the logarithm of nothing
inline constexpr float missing_word = -100.0F;
inline constexpr float rounding = 1e-4F;  // a log probability may exceed 0 by this much

/// What was mended on the way, and how often.
struct ArpaRepairs {
  std::int64_t infinite = 0;  // -inf became -99
  std::int64_t positive = 0;  // a little more than 0 became 0

  ArpaRepairs& operator+=(const ArpaRepairs& other) {
    infinite += other.infinite;
    positive += other.positive;
    return *this;
  }
};

/// Without spaces and tabs around it, and without a carriage return.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view gaps = " \t\r";
  const std::size_t begin = text.find_first_not_of(gaps);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(gaps) - begin + 1);
}

/// Cuts a line at spaces and tabs; other white space belongs to words. Says what is wrong.
inline Reason line_fields(std::string_view line, std::int64_t max_bytes,
                          std::vector<std::string_view>& fields) {
  const auto is_gap = [](char c) { return c == ' ' || c == '\t'; };
  fields.clear();
  if (static_cast<std::int64_t>(line.size()) > max_bytes)
    return {"the line has more than " + std::to_string(max_bytes) + " bytes", "corpus.too-long"};
  if (line.ends_with('\r')) line.remove_suffix(1);
  const char *at = line.data(), *end = at + line.size();
  while (at != end) {
    if (is_gap(*at)) {
      ++at;
      continue;
    }
    const char* begin = at;
    while (at != end && !is_gap(*at)) ++at;
    fields.emplace_back(begin, static_cast<std::size_t>(at - begin));
  }
  return {};
}

/// Reads log10 probabilities and back-offs; what is wrong is told, nothing is thrown.
inline Reason read_probability(std::string_view text, float& value, ArpaRepairs& repairs) {
  value = parse_number<float>(text) + 0.0F;  // never -0
  if (std::isnan(value))
    return {"the log10 probability is " + quoted(text) + ", expected a number", "line.number"};
  if (value > rounding)
    return "the log10 probability is " + quoted(text) + ", expected one that is not positive";
  if (value > 0) {
    value = 0;
    ++repairs.positive;
  }
  if (std::isinf(value)) {
    value = log_zero;
    ++repairs.infinite;
  }
  return {};
}

inline Reason read_backoff(std::string_view text, float& value, ArpaRepairs& repairs) {
  value = parse_number<float>(text) + 0.0F;
  if (std::isnan(value) || value == INFINITY)
    return {"the back-off weight is " + quoted(text) + ", expected a number", "line.number"};
  if (std::isinf(value)) {
    value = log_zero;
    ++repairs.infinite;
  }
  return {};
}

/// The numbers of a line that has been cut into fields; its n words are fields 1 .. n.
inline Reason read_weights(const std::vector<std::string_view>& fields, int n, bool is_highest,
                           float& probability, float& backoff, ArpaRepairs& repairs) {
  const auto words = static_cast<std::size_t>(n);
  if (fields.size() != words + 1 && fields.size() != words + 2)
    return {"it has " + std::to_string(fields.size()) + " fields, expected a log10 probability, " +
                std::to_string(n) + (n == 1 ? " word" : " words") +
                " and perhaps a back-off weight",
            "line.fields"};
  backoff = 0;
  Reason reason = read_probability(fields[0], probability, repairs);
  if (reason.empty() && fields.size() == words + 2)
    reason = read_backoff(fields.back(), backoff, repairs);
  if (reason.empty() && is_highest && backoff != 0)
    reason = Reason("a back-off weight, " + quoted(fields.back()) + ", in the highest order");
  return reason;
}

}  // namespace rosewood
