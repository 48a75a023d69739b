// tests/native/errors.cpp: what kernels throw.
#include <cstring>

#include "check.hpp"
#include "util/error.hpp"

namespace errors_tests {

using namespace rosewood;

TEST(an_error_has_a_code_an_argument_a_number_and_a_message) {
  try {
    fail<CycleError>({"argument.range", "tail", 3}, "edge ", 3, " has tail ", std::string("x"));
  } catch (const ForestError& error) {
    CHECK_EQUAL(std::string(error.fault.code.text), "argument.range");
    CHECK_EQUAL(std::string(error.fault.argument), "tail");
    CHECK(error.fault.value == 3);
    CHECK_EQUAL(std::string(error.what()), "edge 3 has tail x");
    return;
  }
  CHECK(false);
}

TEST(more_in_front_of_a_message) {
  const RuleError error("file.damaged", "it is cut short");
  const RuleError other = restated(error, "sentence", 7);
  CHECK_EQUAL(std::string(other.what()), "sentence 7: it is cut short");
  CHECK_EQUAL(std::string(other.fault.code.text), "file.damaged");
  CHECK_EQUAL(std::strlen(other.fault.argument), std::size_t{0});
  CHECK(!error.fault.value && other.fault.value == 7);
}

}  // namespace errors_tests
