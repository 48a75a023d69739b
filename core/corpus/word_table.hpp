// core/corpus/word_table.hpp: distinct words numbered in order of arrival. No Python here.
//
// All words lie in one arena of bytes; the slots of the table (open addressing) hold numbers and a
// piece of the hash, so that nearly every comparison of bytes is one that succeeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "util/error.hpp"

namespace rosewood {

class WordTable {
 public:
  WordTable() : slots_(1024) {}

  /// The number of the word, which is given the next one if it is new.
  std::int32_t add(std::string_view word) {
    const std::uint64_t hash = hash_of(word);
    const std::size_t place = place_of(word, hash);
    return slots_[place].number >= 0 ? slots_[place].number : insert(word, place, tag_of(hash));
  }
  /// The number of the word; negative if it has none.
  std::int32_t find(std::string_view word) const {
    return slots_[place_of(word, hash_of(word))].number;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(start_.size()) - 1; }
  std::string_view operator[](std::int64_t number) const {
    return {bytes_.data() + start_[number],
            static_cast<std::size_t>(start_[number + 1] - start_[number])};
  }
  /// Word w is bytes()[start()[w] .. start()[w+1]-1].
  std::span<const char> bytes() const { return bytes_; }
  std::span<const std::int64_t> start() const { return start_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t number = -1;
  };

  static std::uint64_t hash_of(std::string_view word) {
    std::uint64_t hash = word.size() * 0x9e3779b97f4a7c15ULL;
    const char* at = word.data();
    std::size_t left = word.size();
    for (; left > 8; at += 8, left -= 8) hash = mixed(hash, loaded<std::uint64_t>(at));
    if (left) hash = mixed(hash, few_bytes(at, left));
    return hash ^ (hash >> 29);
  }
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t piece) {
    hash = (hash ^ piece) * 0xbf58476d1ce4e5b9ULL;
    return hash ^ (hash >> 31);
  }
  /// Most words are short: comparing them is two numbers, not a call.
  static bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.size() > 8 || a.empty()) return a == b;
    return few_bytes(a.data(), a.size()) == few_bytes(b.data(), b.size());
  }
  /// From 1 to 8 bytes as a number, which differs where they do.
  static std::uint64_t few_bytes(const char* at, std::size_t size) {
    if (size >= 4)
      return loaded<std::uint32_t>(at) | std::uint64_t{loaded<std::uint32_t>(at + size - 4)} << 32;
    const auto byte = [&](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(at[i])};
    };
    return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
  }
  template <class T>
  static T loaded(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  /// Where the word stands, or would.
  std::size_t place_of(std::string_view word, std::uint64_t hash) const {
    std::size_t place = hash & (slots_.size() - 1);
    for (; slots_[place].number >= 0; place = (place + 1) & (slots_.size() - 1))
      if (slots_[place].tag == tag_of(hash) && is_same((*this)[slots_[place].number], word)) break;
    return place;
  }

  std::int32_t insert(std::string_view word, std::size_t place, std::uint32_t tag) {
    if (size() == std::numeric_limits<std::int32_t>::max())
      fail<CorpusError>("corpus.too-large", "there are more than ", size(), " distinct words");
    const auto number = static_cast<std::int32_t>(size());
    bytes_.insert(bytes_.end(), word.begin(), word.end());
    start_.push_back(static_cast<std::int64_t>(bytes_.size()));
    slots_[place] = {tag, number};
    if (start_.size() * 2 > slots_.size()) grow();
    return number;
  }

  void grow() {
    std::vector<Slot> wider(slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.number < 0) continue;
      std::size_t place = hash_of((*this)[slot.number]) & (wider.size() - 1);
      while (wider[place].number >= 0) place = (place + 1) & (wider.size() - 1);
      wider[place] = slot;
    }
    slots_.swap(wider);
  }

  std::vector<Slot> slots_;
  std::vector<char> bytes_;
  std::vector<std::int64_t> start_{0};
};

}  // namespace rosewood
