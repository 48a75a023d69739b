// tests/native/check.hpp: all that native tests need.
//
//   TEST(name) {
//     CHECK(1 + 1 == 2);
//     CHECK_EQUAL(f(x), 3);
//     CHECK_NEAR(f(x), 0.5, 1e-12);                    // relative and absolute tolerance
//     CHECK_THROWS(FileError, g(x));
//     CHECK_REFUSED(RuleError, "file.damaged", g(x));  // with that code
//   }
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace check {

/// Where a check or a test is.
struct Place {
  const char* file;
  int line;
};

/// Adds a test to those that the program runs.
struct Adder {
  Adder(Place place, const char* name, void (*body)());
};

/// Prints what failed; the program goes on, and ends with code 1.
void failed(Place place, const std::string& what);
void unequal(Place place, const char* text, const std::string& found, const std::string& expected);
void near(Place place, const char* text, double found, double expected, double tolerance);

std::string shown(double value);
template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else if constexpr (std::is_floating_point_v<T>)
    return shown(static_cast<double>(value));
  else if constexpr (std::is_convertible_v<T, std::string_view>)
    return std::string(std::string_view(value));
  else
    return "a value";
}

template <class A, class B>
void equal(Place place, const char* text, const A& found, const B& expected) {
  if (!(found == expected)) unequal(place, text, shown(found), shown(expected));
}

/// Random numbers (splitmix64), the same in every run and with every library.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits(int width) { return width ? next() >> (64 - width) : 0; }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
    return mixed ^ mixed >> 31;
  }

  std::uint64_t state_;
};

}  // namespace check

#define CHECK_PLACE \
  check::Place { __FILE__, __LINE__ }

#define TEST(name)                                                      \
  static void name();                                                   \
  static const check::Adder adder_of_##name(CHECK_PLACE, #name, &name); \
  static void name()

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) check::failed(CHECK_PLACE, #condition); \
  } while (false)

#define CHECK_EQUAL(found, expected) check::equal(CHECK_PLACE, #found, found, expected)

#define CHECK_NEAR(found, expected, tolerance) \
  check::near(CHECK_PLACE, #found, found, expected, tolerance)

#define CHECK_THROWS(Kind, expression)                                                \
  do {                                                                                \
    bool is_thrown = false;                                                           \
    try {                                                                             \
      (void)(expression);                                                             \
    } catch (const Kind&) {                                                           \
      is_thrown = true;                                                               \
    }                                                                                 \
    if (!is_thrown) check::failed(CHECK_PLACE, #expression " does not throw " #Kind); \
  } while (false)

#define CHECK_REFUSED(Kind, expected_code, expression)                                    \
  do {                                                                                    \
    const char* found_code = "no error";                                                  \
    try {                                                                                 \
      (void)(expression);                                                                 \
    } catch (const Kind& error) {                                                         \
      found_code = error.fault.code.text;                                                 \
    }                                                                                     \
    if (std::string_view(found_code) != expected_code)                                    \
      check::unequal(CHECK_PLACE, "the code of " #expression, found_code, expected_code); \
  } while (false)
