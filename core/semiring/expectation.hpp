// core/semiring/expectation.hpp: first- and second-order expectation semirings over a commutative K
// (Li & Eisner 2009, Tables 1 and 2), with scalar r, s, t. Long vectors go by the lifting trick
// instead: forest/expectation.hpp.
#pragma once

namespace rosewood {

template <class K>
struct Expectation {
  struct Value {
    typename K::Value p, r;
  };
  static Value zero() { return {K::zero(), K::zero()}; }
  static Value one() { return {K::one(), K::zero()}; }
  static bool is_zero(const Value& a) { return K::is_zero(a.p) && K::is_zero(a.r); }
  static Value plus(const Value& a, const Value& b) {
    return {K::plus(a.p, b.p), K::plus(a.r, b.r)};
  }
  static Value times(const Value& a, const Value& b) {
    return {K::times(a.p, b.p), K::plus(K::times(a.p, b.r), K::times(b.p, a.r))};
  }
  static Value normalise(const Value& a) { return {K::normalise(a.p), K::normalise(a.r)}; }
};

template <class K>
struct SecondOrder {
  struct Value {
    typename K::Value p, r, s, t;
  };
  static Value zero() { return {K::zero(), K::zero(), K::zero(), K::zero()}; }
  static Value one() { return {K::one(), K::zero(), K::zero(), K::zero()}; }
  static bool is_zero(const Value& a) {
    return K::is_zero(a.p) && K::is_zero(a.r) && K::is_zero(a.s) && K::is_zero(a.t);
  }
  static Value plus(const Value& a, const Value& b) {
    return {K::plus(a.p, b.p), K::plus(a.r, b.r), K::plus(a.s, b.s), K::plus(a.t, b.t)};
  }
  static Value times(const Value& a, const Value& b) {
    const auto cross = [](const auto& x1, const auto& y2, const auto& x2, const auto& y1) {
      return K::plus(K::times(x1, y2), K::times(x2, y1));
    };
    return {K::times(a.p, b.p), cross(a.p, b.r, b.p, a.r), cross(a.p, b.s, b.p, a.s),
            K::plus(cross(a.p, b.t, b.p, a.t), cross(a.r, b.s, b.r, a.s))};
  }
  static Value normalise(const Value& a) {
    return {K::normalise(a.p), K::normalise(a.r), K::normalise(a.s), K::normalise(a.t)};
  }
};

}  // namespace rosewood
