// tests/native/numbers.cpp: scaled numbers, plain semirings, logarithms, sorting by doubles, text.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "check.hpp"
#include "semiring/scaled.hpp"
#include "semiring/standard.hpp"
#include "util/clones.hpp"
#include "util/log10.hpp"
#include "util/number.hpp"
#include "util/radix_sort.hpp"
#include "util/utf8.hpp"

namespace numbers_tests {

using namespace rosewood;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_near(double found, double expected, double tolerance = 1e-14) {
  return found == expected || std::abs(found - expected) <= tolerance * std::abs(expected);
}

ROSEWOOD_INLINE double product(double a, double b) { return a * b; }

ROSEWOOD_CLONES void multiply_and_add(const double* a, const double* b, double* sum, int size) {
  for (int n = 0; n < size; ++n) sum[n] += product(a[n], b[n]);
}

double value_of(const Scaled& a) { return a.mantissa * std::pow(2.0, a.exponent); }

}  // namespace

TEST(scaled_numbers_are_a_semiring_of_reals) {
  using K = ScaledReal;
  check::Chance chance(1);
  const auto any = [&] {
    const double size = std::pow(2.0, 40.0 * chance.unit() - 20.0);
    return chance.below(10) ? (chance.below(2) ? size : -size) : 0.0;
  };
  for (int round = 0; round < 5000; ++round) {
    const double a = any(), b = any();
    const Scaled x = normalised({a, 0}), y = normalised({b, 0});
    CHECK_EQUAL(value_of(x), a);
    CHECK(a == 0 || (std::abs(x.mantissa) >= 0.5 && std::abs(x.mantissa) < 1));
    CHECK_EQUAL(K::is_zero(x), a == 0);
    CHECK(is_near(value_of(K::times(x, y)), a * b));
    CHECK_EQUAL(value_of(K::plus(x, y)), a + b);
    CHECK_EQUAL(value_of(K::plus(x, K::zero())), a);
    CHECK_EQUAL(value_of(K::times(x, K::one())), a);
    CHECK(K::is_zero(K::times(x, K::zero())));
    if (a != 0) CHECK(is_near(log_magnitude(x), std::log(std::abs(a)), 1e-12));
  }
}

TEST(scaled_numbers_far_out) {
  using K = ScaledReal;
  const Scaled huge{0.5, 1e15}, tiny{0.5, -1e15};
  CHECK_EQUAL(K::plus(huge, tiny).exponent, 1e15);
  CHECK_EQUAL(K::plus(tiny, huge).mantissa, 0.5);
  CHECK_EQUAL(K::times(huge, tiny).exponent, 0.0);
  CHECK_EQUAL(log_magnitude(K::zero()), -infinity);
  const Scaled subnormal = normalised({0x1p-1070, 3.0});
  CHECK_EQUAL(subnormal.mantissa, 0.5);
  CHECK_EQUAL(subnormal.exponent, -1066.0);
  CHECK_EQUAL(power_of_two(-1022), 0x1p-1022);
  CHECK_EQUAL(power_of_two(-1023), 0.0);
  CHECK_EQUAL(power_of_two(0), 1.0);
  CHECK_EQUAL(power_of_two(std::nan("")), 0.0);
}

TEST(exponentials_one_and_many_at_a_time) {
  check::Chance chance(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> x(chance.below(40));
    for (double& each : x) each = (chance.unit() - 0.5) * std::pow(10.0, 5 * chance.unit());
    std::vector<double> mantissa(x.size()), exponent(x.size());
    CHECK(scaled_exp_block(x, mantissa.data(), exponent.data()));
    for (std::size_t n = 0; n < x.size(); ++n) {
      const Scaled one = scaled_exp(x[n]);
      CHECK_EQUAL(exponent[n], one.exponent);
      CHECK(is_near(mantissa[n], one.mantissa, 4e-16));
      CHECK(std::abs(log_magnitude(one) - x[n]) <= 1e-15 * (1 + std::abs(x[n])));
    }
  }
  double out[2];
  for (const double strange : {infinity, -infinity, std::nan(""), 0x1p41})
    CHECK(!scaled_exp_block(std::vector{0.0, strange}, out, out));
  CHECK(ScaledReal::is_zero(scaled_exp(-infinity)));
  CHECK(std::isfinite(scaled_exp(-1e300).mantissa));
}

TEST(wide_vectors_change_no_bit) {
  check::Chance chance(5);
  double a[37], b[37], sum[37];
  for (int n = 0; n < 37; ++n) a[n] = chance.unit(), b[n] = chance.unit(), sum[n] = chance.unit();
  std::vector<double> expected(sum, sum + 37);
  for (int n = 0; n < 37; ++n) {
    volatile double rounded = a[n] * b[n];  // products and sums are rounded one by one
    expected[static_cast<std::size_t>(n)] += rounded;
  }
  multiply_and_add(a, b, sum, 37);
  for (int n = 0; n < 37; ++n) CHECK_EQUAL(sum[n], expected[static_cast<std::size_t>(n)]);
}

TEST(counts_that_saturate) {
  using K = SaturatingCount;
  const auto most = K::too_large;
  CHECK_EQUAL(K::plus(most - 1, 1), most);
  CHECK_EQUAL(K::plus(most - 2, 1), most - 1);
  CHECK_EQUAL(K::plus(most, most), most);
  CHECK_EQUAL(K::times(most, 0), std::uint64_t{0});
  CHECK_EQUAL(K::times(most, 1), most);
  CHECK_EQUAL(K::times(std::uint64_t{1} << 32, std::uint64_t{1} << 31), std::uint64_t{1} << 63);
  CHECK_EQUAL(K::times(std::uint64_t{1} << 32, std::uint64_t{1} << 32), most);
}

TEST(logarithms_of_base_ten) {
  check::Chance chance(3);
  for (int round = 0; round < 20'000; ++round) {
    const double x = std::pow(10.0, 600 * chance.unit() - 300);
    CHECK(std::abs(log10_of(x) - std::log10(x)) <= 2e-15 * (1 + std::abs(std::log10(x))));
  }
  CHECK_EQUAL(log10_of(1.0), 0.0);
}

TEST(doubles_are_sorted_digit_by_digit) {
  struct Item {
    double x;
    std::size_t number;
  };
  check::Chance chance(4);
  for (const std::size_t count : {0, 1, 255, 256, 3000}) {
    std::vector<Item> items(count), spare;
    for (std::size_t n = 0; n < count; ++n) {
      const double size = std::pow(10.0, 20 * chance.unit() - 10);
      const double some[] = {0.0, -0.0, infinity, -infinity, 1.0, size, -size};
      items[n] = {some[chance.below(7)], n};
    }
    auto expected = items;
    std::ranges::stable_sort(expected, {}, &Item::x);
    radix_sort(items, spare);
    for (std::size_t n = 0; n < count; ++n) CHECK_EQUAL(items[n].number, expected[n].number);
  }
}

TEST(numbers_in_text) {
  CHECK_EQUAL(parse_count("0"), 0);
  CHECK_EQUAL(parse_count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1.0", "9223372036854775808", "x"})
    CHECK_EQUAL(parse_count(bad), -1);
  CHECK_EQUAL(parse_number<double>("-1.5e3"), -1500.0);
  CHECK_EQUAL(parse_number<double>("+2"), 2.0);
  CHECK_EQUAL(parse_number<double>("-inf"), -infinity);
  CHECK_EQUAL(parse_number<double>("1e-400"), 0.0);
  CHECK_EQUAL(parse_number<float>("1e-60"), 0.0F);
  for (const char* bad : {"", "+", "+-1", "1e", "1,5", "0x1", "1 ", "nan", "1e400", "one"})
    CHECK(std::isnan(parse_number<double>(bad)));
  CHECK(std::isnan(parse_number<float>("1e60")));
}

TEST(characters_of_utf8) {
  using namespace std::string_view_literals;
  for (const auto& [text, code] : {std::pair{"\xc2\x80"sv, 0x80U},
                                   {"\xdf\xbf"sv, 0x7ffU},
                                   {"\xe0\xa0\x80"sv, 0x800U},
                                   {"\xed\x9f\xbf"sv, 0xd7ffU},
                                   {"\xee\x80\x80"sv, 0xe000U},
                                   {"\xef\xbf\xbf"sv, 0xffffU},
                                   {"\xf0\x90\x80\x80"sv, 0x10000U},
                                   {"\xf4\x8f\xbf\xbf"sv, 0x10ffffU}}) {
    CHECK_EQUAL(character_at(text, 0).code, code);
    CHECK_EQUAL(character_at(text, 0).size, text.size());
    CHECK_EQUAL(first_not_utf8(text), text.size());
    CHECK_EQUAL(character_at(text.substr(0, text.size() - 1), 0).code, not_utf8);
  }
  for (const auto bad : {"\x80"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv,
                         "\xf0\x8f\xbf\xbf"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv,
                         "\xe2\x28\xa1"sv}) {
    CHECK_EQUAL(character_at(bad, 0).code, not_utf8);
    CHECK_EQUAL(first_not_utf8("ab" + std::string(bad)), std::size_t{2});
  }
  CHECK_EQUAL(quoted("h\xc3\xa9\xff!"), "'h\xc3\xa9?!'");
  CHECK_EQUAL(quoted("abcdef", 3), "'abc\xe2\x80\xa6'");
}

}  // namespace numbers_tests
