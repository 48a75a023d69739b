// core/util/sink.hpp: where the bytes of a file go, from front to back. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace rosewood {

/// Collects small pieces into large ones and passes these on.
class Sink {
 public:
  using Take = std::function<void(std::span<const std::uint8_t>)>;

  explicit Sink(Take take) : take_(std::move(take)) { held_.reserve(block); }

  void bytes(const void* from, std::size_t count) {
    const auto* first = static_cast<const std::uint8_t*>(from);
    held_.insert(held_.end(), first, first + count);
    if (held_.size() >= block) flush();
  }
  template <class T>
  void put(const T& value) {
    bytes(&value, sizeof(T));
  }
  void flush() {
    if (!held_.empty()) take_(held_);
    held_.clear();
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 20;

  Take take_;
  std::vector<std::uint8_t> held_;
};

}  // namespace rosewood
