#include "memory/fuzzy_index.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

#include "util/error.hpp"

namespace rosewood {

namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t few = 16;       // sentences that are compared rather than sifted further
constexpr std::size_t long_list = 8;  // a list this many times longer is not worth reading

/// A sentence with some of the words asked for.
struct Candidate {
  std::int32_t row;
  std::int32_t count;  // of the words seen so far; it may have fewer, if one occurs several times
  std::int32_t need;   // words in common without which it cannot reach the score
};

/// The piece of an array between two offsets, which are checked.
template <class T>
std::span<const T> piece(std::span<const T> values, std::span<const std::int64_t> start,
                         std::size_t number, const char* what) {
  const std::int64_t begin = start[number], end = start[number + 1];
  if (begin < 0 || begin > end || static_cast<std::size_t>(end) > values.size())
    fail<CorpusError>({"file.damaged", what}, "the translation memory is damaged: ", what, " ",
                      static_cast<std::int64_t>(number), " is not among its bytes");
  return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void check_start(std::span<const std::int64_t> start, const char* what) {
  if (start.empty())
    fail<CorpusError>({"file.damaged", what}, "the translation memory is damaged: no ", what);
}

/// The least number of equal words with which a pair of this longer length has the score.
std::int64_t needed(std::int64_t longer, double least) {
  auto equal = static_cast<std::int64_t>(least * static_cast<double>(longer));
  const auto reaches = [&](std::int64_t some) {
    return static_cast<double>(some) / static_cast<double>(longer) >= least;
  };
  while (equal > 0 && reaches(equal - 1)) --equal;  // the product may be rounded either way
  while (equal <= longer && !reaches(equal)) ++equal;
  return equal;
}

bool is_better(const FuzzyHit& one, const FuzzyHit& other) {
  const double left = one.score(), right = other.score();
  return left != right ? left > right : one.row < other.row;
}

}  // namespace

EditDistance::EditDistance(std::span<const std::int32_t> pattern)
    : pattern_(pattern.begin(), pattern.end()) {
  if (pattern_.size() > word_bits) return;
  slots_.resize(std::bit_ceil(2 * pattern_.size() + 1));
  for (std::size_t place = 0; place < pattern_.size(); ++place) {
    if (pattern_[place] < 0) continue;
    std::size_t at = static_cast<std::uint32_t>(pattern_[place]) & (slots_.size() - 1);
    while (slots_[at].word >= 0 && slots_[at].word != pattern_[place])
      at = (at + 1) & (slots_.size() - 1);
    slots_[at].word = pattern_[place];
    slots_[at].mask |= std::uint64_t{1} << place;
  }
}

std::uint64_t EditDistance::mask_of(std::int32_t word) const {
  std::size_t at = static_cast<std::uint32_t>(word) & (slots_.size() - 1);
  while (slots_[at].word >= 0) {
    if (slots_[at].word == word) return slots_[at].mask;
    at = (at + 1) & (slots_.size() - 1);
  }
  return 0;
}

std::int32_t EditDistance::operator()(std::span<const std::int32_t> text) {
  if (pattern_.empty()) return static_cast<std::int32_t>(text.size());
  return pattern_.size() <= word_bits ? bit_parallel(text) : by_rows(text);
}

/// Myers (1999): the differences between neighbours of a column are bits of two words.
std::int32_t EditDistance::bit_parallel(std::span<const std::int32_t> text) const {
  const std::size_t length = pattern_.size();
  const std::uint64_t last = std::uint64_t{1} << (length - 1);
  std::uint64_t up = ~std::uint64_t{0}, down = 0;
  auto distance = static_cast<std::int32_t>(length);
  for (const std::int32_t word : text) {
    const std::uint64_t equal = mask_of(word);
    const std::uint64_t vertical = equal | down;
    const std::uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
    std::uint64_t plus = down | ~(diagonal | up);
    std::uint64_t minus = up & diagonal;
    if (plus & last) ++distance;
    if (minus & last) --distance;
    plus = (plus << 1) | 1;
    minus <<= 1;
    up = minus | ~(vertical | plus);
    down = plus & vertical;
  }
  return distance;
}

std::int32_t EditDistance::by_rows(std::span<const std::int32_t> text) {
  row_.resize(pattern_.size() + 1);
  std::iota(row_.begin(), row_.end(), 0);
  for (const std::int32_t word : text) {
    std::int32_t diagonal = row_[0]++;
    for (std::size_t place = 0; place < pattern_.size(); ++place) {
      const std::int32_t substituted = diagonal + (pattern_[place] == word ? 0 : 1);
      diagonal = row_[place + 1];
      row_[place + 1] = std::min({substituted, diagonal + 1, row_[place] + 1});
    }
  }
  return row_.back();
}

FuzzyIndex::FuzzyIndex(const FuzzyArrays& arrays) : arrays_(arrays) {
  check_start(arrays.word_start, "word_start");
  check_start(arrays.id_start, "id_start");
  if (arrays.posting_start.size() != arrays.word_start.size())
    fail<CorpusError>({"file.damaged", "posting_start"},
                      "the translation memory is damaged: it has ", arrays.word_start.size(),
                      " word offsets and ", arrays.posting_start.size(), " of postings");
}

std::int32_t FuzzyIndex::word_id(std::string_view word) const {
  std::size_t low = 0, high = arrays_.word_start.size() - 1;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const auto bytes = piece(arrays_.words, arrays_.word_start, middle, "word");
    const std::string_view here(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (here == word) return static_cast<std::int32_t>(middle);
    if (here < word)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

std::span<const std::int32_t> FuzzyIndex::words_of(std::int32_t row) const {
  if (row < 0 || row >= size())
    fail<CorpusError>({"file.damaged", "postings", row},
                      "the translation memory is damaged: there is no sentence ", row);
  return piece(arrays_.ids, arrays_.id_start, static_cast<std::size_t>(row), "sentence");
}

std::span<const std::int32_t> FuzzyIndex::rows_of(std::int32_t word) const {
  return piece(arrays_.postings, arrays_.posting_start, static_cast<std::size_t>(word), "postings");
}

std::vector<FuzzyIndex::Group> FuzzyIndex::groups_of(std::span<const std::int32_t> pattern) const {
  std::vector<std::int32_t> sorted(pattern.begin(), pattern.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Group> groups;
  for (const std::int32_t word : sorted) {
    if (!groups.empty() && groups.back().word == word)
      ++groups.back().count;
    else
      groups.push_back({word < 0 ? 0 : rows_of(word).size(), word, 1});
  }
  std::sort(groups.begin(), groups.end(), [](const Group& one, const Group& other) {
    return one.rows != other.rows ? one.rows < other.rows : one.word < other.word;
  });
  return groups;
}

// With c words in common, as a multiset, at most c can be equal: distance >= longer - c.  A
// sentence of n words so has needed(max(m, n)) of the m words asked for, which is no less than
// needed(m).  Words are gone through from the rarest on.  A sentence that has `count` of those seen
// so far has at most count + left in common, `left` being the words that follow; where that is too
// few, it is dropped, and no sentence is new any more as soon as left < needed(m).  What remains is
// compared, those first that have the most in common; the score that must be reached rises as soon
// as there are `most` hits.  Sentences that only equal it may come first by their row.
std::vector<FuzzyHit> FuzzyIndex::find(std::span<const std::string_view> words, double least,
                                       std::size_t most) const {
  std::vector<FuzzyHit> hits;
  if (words.empty() || most == 0) return hits;
  std::vector<std::int32_t> pattern(words.size());
  for (std::size_t place = 0; place < words.size(); ++place) pattern[place] = word_id(words[place]);
  const auto length = static_cast<std::int64_t>(words.size());
  std::vector<std::int32_t> need;  // words in common, by the length of the sentence
  for (std::int64_t other = 0;; ++other) {
    const std::int64_t equal = needed(std::max(length, other), least);
    if (other > length && equal > length) break;
    need.push_back(static_cast<std::int32_t>(equal));
  }

  auto left = static_cast<std::int32_t>(length);
  const std::int32_t fewest = need.front();
  std::vector<Candidate> found, merged;
  for (const Group& group : groups_of(pattern)) {
    const bool adds = left >= fewest;
    if (!adds && (found.size() <= few || group.rows > long_list * found.size())) break;
    left -= group.count;
    if (group.word < 0) continue;
    merged.clear();
    auto old = found.begin();
    const auto keep = [&](const Candidate& each) {
      if (each.count + left >= each.need) merged.push_back(each);
    };
    for (const std::int32_t row : rows_of(group.word)) {
      while (old != found.end() && old->row < row) keep(*old++);
      if (old != found.end() && old->row == row) {
        keep({row, old->count + group.count, old->need});
        ++old;
      } else if (adds) {
        const std::size_t other = words_of(row).size();
        if (other < need.size() && static_cast<std::int32_t>(other) >= need[other])
          keep({row, group.count, need[other]});
      }
    }
    while (old != found.end()) keep(*old++);
    found.swap(merged);
  }

  std::sort(found.begin(), found.end(), [](const Candidate& one, const Candidate& other) {
    return one.count != other.count ? one.count > other.count : one.row < other.row;
  });
  EditDistance distance(pattern);
  for (const Candidate& each : found) {
    const auto text = words_of(each.row);
    const auto longer =
        static_cast<std::int32_t>(std::max(length, static_cast<std::int64_t>(text.size())));
    if (FuzzyHit{each.row, longer - std::min(longer, each.count + left), longer}.score() < least)
      continue;
    const FuzzyHit hit{each.row, distance(text), longer};
    if (!(hit.score() >= least)) continue;
    const auto place = std::lower_bound(hits.begin(), hits.end(), hit, is_better);
    if (static_cast<std::size_t>(place - hits.begin()) >= most) continue;
    hits.insert(place, hit);
    if (hits.size() > most) hits.pop_back();
    if (hits.size() == most) least = std::max(least, hits.back().score());
  }
  return hits;
}

}  // namespace rosewood
