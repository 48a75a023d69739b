// core/corpus/word_bigrams.cpp: bigrams are sorted as numbers of 64 bits, a chunk at a time.
#include "corpus/word_bigrams.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "util/error.hpp"

namespace rosewood {
namespace {

using Key = std::uint64_t;  // the first word in the upper half, the second in the lower one

/// Sorts by the lowest `bits` of both halves, 11 bits at a time.
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare, int bits) {
  constexpr int digit = 11;
  constexpr std::size_t buckets = std::size_t{1} << digit;
  spare.resize(keys.size());
  for (const int half : {0, 32}) {
    for (int low = 0; low < bits; low += digit) {
      const auto of = [shift = half + low](Key key) { return (key >> shift) % buckets; };
      std::array<std::size_t, buckets> place{};
      for (const Key key : keys) ++place[of(key)];
      std::size_t begin = 0;
      for (auto& each : place) begin += std::exchange(each, begin);
      for (const Key key : keys) spare[place[of(key)]++] = key;
      keys.swap(spare);
    }
  }
}

struct Counted {
  Key key;
  std::int32_t count;
};

/// Distinct keys with their counts, in order; chunks are added one by one.
class Counter {
 public:
  explicit Counter(std::int64_t numbers) {
    while ((std::int64_t{1} << bits_) < numbers) ++bits_;
  }

  void add(std::int32_t first, std::int32_t second) {
    if (chunk_.size() == most) flush();
    chunk_.push_back(static_cast<Key>(first) << 32 | static_cast<Key>(second));
  }

  std::vector<Counted> finish() {
    flush();
    return std::move(all_);
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 23;

  void flush() {
    sort_keys(chunk_, spare_, bits_);
    std::vector<Counted> merged;
    auto old = all_.cbegin();
    for (auto each = chunk_.cbegin(); each != chunk_.cend();) {
      const Key key = *each;
      const auto next = std::find_if(each, chunk_.cend(), [key](Key k) { return k != key; });
      auto count = static_cast<std::int32_t>(next - each);
      for (; old != all_.cend() && old->key < key; ++old) merged.push_back(*old);
      if (old != all_.cend() && old->key == key) count += old++->count;
      merged.push_back({key, count});
      each = next;
    }
    merged.insert(merged.end(), old, all_.cend());
    all_ = std::move(merged);
    chunk_.clear();
  }

  int bits_ = 0;
  std::vector<Key> chunk_, spare_;
  std::vector<Counted> all_;
};

}  // namespace

WordBigrams::WordBigrams(std::span<const std::int32_t> ids, std::span<const std::int64_t> start,
                         std::span<const std::int32_t> number_of, std::int32_t words)
    : words_(words) {
  if (words < 0 || words > std::numeric_limits<std::int32_t>::max() - 2)
    fail<CorpusError>({"argument.range", "words", words}, "there cannot be ", words, " words");
  for (const auto number : number_of)
    if (number < -1 || number >= words)
      fail<CorpusError>({"argument.range", "number_of", number}, "a word has the number ", number,
                        ", expected -1 to ", words - 1);
  if (start.empty() || start.front() != 0 || start.back() != std::ssize(ids) ||
      !std::is_sorted(start.begin(), start.end()))
    fail<CorpusError>({"argument.value", "start"},
                      "start does not ascend from 0 to the number of ids");
  const std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
  if (std::ssize(ids) + std::ssize(start) > most)
    fail<CorpusError>({"corpus.too-large", "ids", std::ssize(ids)}, "a text of ", ids.size(),
                      " words is too large for word classes: use a part of it");
  const auto units = static_cast<std::size_t>(words) + 2;
  count_.assign(units, 0);
  Counter counter(std::ssize(count_));
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    if (start[k] == start[k + 1]) continue;
    std::int32_t last = boundary();
    for (auto i = start[k]; i < start[k + 1]; ++i) {
      const auto id = ids[static_cast<std::size_t>(i)];
      if (id < 0 || id >= std::ssize(number_of))
        fail<CorpusError>({"argument.range", "ids", id}, "there is no word ", id);
      const auto number = number_of[static_cast<std::size_t>(id)];
      const auto next = number < 0 ? left_out() : number;
      counter.add(last, next);
      ++count_[static_cast<std::size_t>(next)];
      last = next;
    }
    counter.add(last, boundary());
    ++count_[static_cast<std::size_t>(boundary())];
  }
  for (const auto each : count_) total_ += each;

  const auto bigrams = counter.finish();
  before_start_.assign(units + 1, 0);
  after_start_.assign(units + 1, 0);
  for (const auto& [key, count] : bigrams) {
    ++after_start_[(key >> 32) + 1];
    ++before_start_[(key & 0xffffffff) + 1];
  }
  for (std::size_t u = 0; u < units; ++u) {
    after_start_[u + 1] += after_start_[u];
    before_start_[u + 1] += before_start_[u];
  }
  before_.resize(bigrams.size());
  after_.reserve(bigrams.size());
  auto place = before_start_;
  for (const auto& [key, count] : bigrams) {
    const auto first = static_cast<std::int32_t>(key >> 32);
    const auto second = static_cast<std::int32_t>(key & 0xffffffff);
    after_.push_back({second, count});
    before_[static_cast<std::size_t>(place[static_cast<std::size_t>(second)]++)] = {first, count};
  }
}

}  // namespace rosewood
