// core/util/number.hpp: numbers in text, strictly. No Python here.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace rosewood {

/// A whole number without a sign; negative if it is none.
inline std::int64_t parse_count(std::string_view text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value >= 0 ? value : -1;
}

/// A number, perhaps an infinite one; NaN if it is none or too large. So small that it is nothing:
/// then it is 0.
template <class T>
T parse_number(std::string_view text) {
  constexpr T none = std::numeric_limits<T>::quiet_NaN();
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* last = text.data() + text.size();
  T value = none;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last) return none;
  if (error == std::errc::result_out_of_range) {
    if constexpr (std::is_same_v<T, float>) {
      return std::abs(parse_number<double>(text)) < 1 ? T{0} : none;
    } else {
      const std::size_t exponent = text.find_first_of("eE");
      return exponent != text.npos && text.substr(exponent + 1).starts_with('-') ? T{0} : none;
    }
  }
  return error == std::errc() ? value : none;
}

}  // namespace rosewood
