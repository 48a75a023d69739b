// core/lm/vocabulary.hpp: words and their numbers, mapped: nothing is read when a model is opened.
// No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "lm/hash_table.hpp"
#include "lm/table.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

using WordHashes = HashTable<4>;  // of each word, its number

class WordList {
 public:
  WordList() = default;
  /// Word w is bytes[start[w] .. start[w+1]-1]; nothing is believed of the offsets.
  WordList(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> start)
      : bytes_(bytes), start_(start.data()), size_(start.size() / 8 - (start.size() >= 8)) {
    if (start.size() % 8 || start.size() < 8 * 4 || size_ > 0xffffffffULL)
      fail<LanguageModelError>({"file.damaged", "words"}, "a list of words has offsets of ",
                               start.size(), " bytes");
  }

  std::uint64_t size() const { return size_; }
  /// Empty where the offsets make no sense.
  std::string_view operator[](std::uint64_t number) const {
    const std::uint64_t begin = loaded<std::uint64_t>(start_ + 8 * number);
    const std::uint64_t end = loaded<std::uint64_t>(start_ + 8 * (number + 1));
    if (begin > end || end > bytes_.size()) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + begin,
            static_cast<std::size_t>(end - begin)};
  }
  /// Whether that is the word of the number.
  bool is(std::uint64_t number, const Piece& word) const {
    const std::string_view known = (*this)[number];
    if (known.size() != word.size) return false;
    if (word.size > 8) return known == word.view();
    const char* end = reinterpret_cast<const char*>(bytes_.data()) + bytes_.size();
    return first_bytes(known.data(), known.size(), end) ==
           first_bytes(word.data, word.size, word.limit);
  }
  void prefetch(std::uint64_t number) const { prefetch_to_read(start_ + 8 * number); }
  /// Refuses offsets that do not ascend from 0 to the end, and other words at the front.
  void check() const {
    std::uint64_t last = 0;
    for (std::uint64_t w = 0; w <= size_; ++w) {
      const std::uint64_t here = loaded<std::uint64_t>(start_ + 8 * w);
      if (here < last || (w == 0 && here) || (w == size_ && here != bytes_.size()))
        fail<LanguageModelError>({"file.damaged", "words"},
                                 "the offsets of its words do not ascend to ", bytes_.size());
      last = here;
    }
    if ((*this)[unknown_word] != "<unk>" || (*this)[begin_word] != "<s>" ||
        (*this)[end_word] != "</s>")
      fail<LanguageModelError>({"file.damaged", "words"},
                               "its first words are others, expected <unk>, <s> and </s>");
  }

 private:
  std::span<const std::uint8_t> bytes_;
  const std::uint8_t* start_ = nullptr;
  std::uint64_t size_ = 0;
};

class ModelVocabulary {
 public:
  ModelVocabulary() = default;
  ModelVocabulary(WordList words, std::span<const std::uint8_t> hashes, std::uint64_t seed)
      : words_(words), hashes_(hashes, words.size()), seed_(seed) {}

  std::uint64_t size() const { return words_.size(); }
  const WordList& words() const { return words_; }

  /// A search in two steps, so that many can be under way: the hash, then the number.
  std::uint64_t aim(const Piece& word) const {
    const std::uint64_t hash = hash_of_word(word, seed_);
    prefetch_to_read(hashes_.home(hash));
    return hash;
  }
  /// A number whose word has this hash, or that of the unknown word.
  std::uint32_t likely(std::uint64_t hash) const {
    const std::uint8_t* found = hashes_.find(hash, hashes_.home(hash));
    const std::uint32_t number = found ? loaded<std::uint32_t>(found) : unknown_word;
    return number < words_.size() ? number : unknown_word;
  }
  /// The number, if that is the word; otherwise that of the unknown word.
  std::uint32_t sure(std::uint32_t number, const Piece& word) const {
    return words_.is(number, word) ? number : unknown_word;
  }
  std::uint32_t find(const Piece& word) const { return sure(likely(aim(word)), word); }

  void check() const {
    words_.check();
    const std::uint64_t count = hashes_.check([&](std::uint64_t hash, const std::uint8_t* payload) {
      const auto number = loaded<std::uint32_t>(payload);
      if (number >= words_.size() || hash_of_word(Piece(words_[number]), seed_) != hash)
        fail<LanguageModelError>({"file.damaged", "hashes"},
                                 "a word has the wrong number in its hash table");
    });
    if (count != words_.size())
      fail<LanguageModelError>({"file.damaged", "hashes"}, "the hash table of its words has ",
                               count, " of ", words_.size());
  }

 private:
  WordList words_;
  WordHashes hashes_;
  std::uint64_t seed_ = 0;
};

/// The hash table of the words; false if two have the same hash with this seed.
inline bool write_word_hashes(const WordList& words, std::uint64_t seed, const SortRoom& room,
                              Sink& sink) {
  RowSorter sorter(2, 1, room, "words");
  for (std::uint64_t w = 0; w < words.size(); ++w) {
    std::uint64_t* row = sorter.add();
    row[0] = hash_of_word(Piece(words[w]), seed);
    row[1] = w;
  }
  sorter.finish();
  std::uint64_t last_hash = 0, last = 0;
  const auto next = [&] {
    const std::uint64_t* row = sorter.next();
    if (row && row[0] == last_hash && words[row[1]] == words[last])
      fail<LanguageModelError>({"argument.duplicate", "words"}, "the word '",
                               std::string(words[last]), "' has two numbers: ", last, " and ",
                               row[1]);
    if (row) {
      last_hash = row[0];
      last = row[1];
    }
    return row;
  };
  return WordHashes::write(words.size(), next, sink);
}

}  // namespace rosewood
