// tests/native/check.cpp: runs all tests, or those whose file or name has one of the arguments in
// it.
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace check {

namespace {

struct Test {
  std::string name;  // file and name
  void (*body)();
};

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

int failures = 0;

}  // namespace

Adder::Adder(Place place, const char* name, void (*body)()) {
  std::string file(place.file);
  file.erase(0, file.find_last_of("/\\") + 1);
  tests().push_back({file + ": " + name, body});
}

void failed(Place place, const std::string& what) {
  if (++failures <= 20) std::printf("%s:%d: %s\n", place.file, place.line, what.c_str());
}

void unequal(Place place, const char* text, const std::string& found, const std::string& expected) {
  failed(place, std::string(text) + " is " + found + ", expected " + expected);
}

void near(Place place, const char* text, double found, double expected, double tolerance) {
  const double allowed = tolerance * (1 + std::abs(expected));
  if (!(found == expected || std::abs(found - expected) <= allowed))
    unequal(place, text, shown(found), shown(expected));
}

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace check

int main(int count, char** arguments) {
  const std::vector<std::string> chosen(arguments + 1, arguments + count);
  for (const check::Test& test : check::tests()) {
    const auto has = [&](const std::string& part) {
      return test.name.find(part) != test.name.npos;
    };
    if (!chosen.empty() && std::none_of(chosen.begin(), chosen.end(), has)) continue;
    const int before = check::failures;
    try {
      test.body();
    } catch (const std::exception& error) {
      check::failed({test.name.c_str(), 0}, error.what());
    } catch (...) {
      check::failed({test.name.c_str(), 0}, "an exception of another type");
    }
    std::printf("%s %s\n", check::failures == before ? "passed" : "FAILED", test.name.c_str());
  }
  return check::failures != 0;
}
