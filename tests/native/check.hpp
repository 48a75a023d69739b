// tests/native/check.hpp: all that native tests need.
//
//   TEST(name) { CHECK(1 + 1 == 2); CHECK_EQUAL(f(x), 3); CHECK_THROWS(RuleError, g(x)); }
//
// A program runs its tests one after the other, tells every check that failed, and ends with
// code 1 if there was one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}

struct Adder {
  Adder(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void failed(const char* file, int line, const std::string& what) {
  if (++failures() <= 20) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    return text;
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return std::string(std::string_view(value));
  } else {
    return "a value";
  }
}

template <class A, class B>
void equal(const A& found, const B& expected, const char* text, const char* file, int line) {
  if (!(found == expected))
    failed(file, line, std::string(text) + " is " + shown(found) + ", expected " + shown(expected));
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

#define TEST(name)                                         \
  static void name();                                      \
  static const check::Adder adder_of_##name(#name, &name); \
  static void name()

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) check::failed(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_EQUAL(found, expected) check::equal(found, expected, #found, __FILE__, __LINE__)

#define CHECK_THROWS(Kind, expression)                                                       \
  do {                                                                                       \
    bool is_thrown = false;                                                                  \
    try {                                                                                    \
      (void)(expression);                                                                    \
    } catch (const Kind&) {                                                                  \
      is_thrown = true;                                                                      \
    }                                                                                        \
    if (!is_thrown) check::failed(__FILE__, __LINE__, #expression " does not throw " #Kind); \
  } while (false)

int main() {
  for (const check::Test& test : check::tests()) {
    const int before = check::failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      check::failed(test.name, 0, error.what());
    } catch (...) {
      check::failed(test.name, 0, "something was thrown");
    }
    std::printf("%s %s\n", check::failures() == before ? "passed" : "FAILED", test.name);
  }
  return check::failures() != 0;
}
