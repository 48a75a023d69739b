// core/corpus/segmenter.cpp: the shortest code of a word, given those of all others.
#include "corpus/segmenter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "util/error.hpp"
#include "util/utf8.hpp"

namespace rosewood {

namespace {

constexpr std::size_t longest_piece = 24;  // characters: longer words are cut in any case
constexpr double unknown_factor = 1e9;     // how much rarer than any morpheme an unknown one is

/// Where the characters of a word begin, and its end. Bytes that are not UTF-8 are characters.
void find_characters(std::string_view word, std::vector<std::size_t>& out) {
  out.clear();
  for (std::size_t at = 0; at < word.size();) {
    out.push_back(at);
    const bool is_ascii = static_cast<unsigned char>(word[at]) < 0x80;
    at += is_ascii ? 1 : std::max<std::size_t>(1, character_at(word, at).size);
  }
  out.push_back(word.size());
}

/// The cheapest cut of a word: pieces are given by places of characters. cost(begin, end) is that
/// of a piece. Room is kept from call to call.
class BestCut {
 public:
  template <class Cost>
  void find(std::size_t characters, std::size_t longest, std::vector<std::size_t>& ends,
            Cost&& cost) {
    best_.assign(characters + 1, std::numeric_limits<double>::infinity());
    from_.assign(characters + 1, 0);
    best_[0] = 0;
    for (std::size_t end = 1; end <= characters; ++end)
      for (std::size_t begin = end > longest ? end - longest : 0; begin < end; ++begin) {
        const double sum = best_[begin] + cost(begin, end);
        if (sum < best_[end]) best_[end] = sum, from_[end] = begin;
      }
    ends.clear();
    for (std::size_t at = characters; at > 0; at = from_[at]) ends.push_back(at);
    std::reverse(ends.begin(), ends.end());
  }

 private:
  std::vector<double> best_;
  std::vector<std::size_t> from_;
};

/// Code lengths of characters by their frequencies in a list of words.
class Spelling {
 public:
  explicit Spelling(std::span<const std::string_view> words) {
    std::vector<std::size_t> places;
    std::size_t total = words.size();
    std::unordered_map<std::string_view, std::size_t> counts;
    for (const std::string_view word : words) {
      find_characters(word, places);
      total += places.size() - 1;
      for (std::size_t i = 0; i + 1 < places.size(); ++i)
        ++counts[word.substr(places[i], places[i + 1] - places[i])];
    }
    const double log_total = std::log(static_cast<double>(total));
    end_ = log_total - std::log(static_cast<double>(std::max<std::size_t>(1, words.size())));
    for (const auto& [character, count] : counts)
      costs_[character] = log_total - std::log(static_cast<double>(count));
  }

  double end() const { return end_; }
  double of(std::string_view character) const { return costs_.at(character); }

 private:
  std::unordered_map<std::string_view, double> costs_;
  double end_ = 0;
};

}  // namespace

Segmenter::Segmenter(std::vector<std::string> morphemes, std::vector<std::int64_t> counts)
    : morphemes_(std::move(morphemes)), counts_(std::move(counts)) {
  if (morphemes_.size() != counts_.size())
    fail<CorpusError>({"argument.shape", "counts", counts_.size()}, "there are ", counts_.size(),
                      " counts for ", morphemes_.size(), " morphemes");
  double total = 0;
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < morphemes_.size(); ++n) {
    if (morphemes_[n].empty() || counts_[n] < 1)
      fail<CorpusError>({"argument.value", "morphemes", n}, "morpheme ", n,
                        " is empty, or its count is below 1");
    if (!numbers_.emplace(morphemes_[n], static_cast<std::int32_t>(n)).second)
      fail<CorpusError>({"argument.duplicate", "morphemes", n}, "morpheme ", n, " occurs twice");
    total += static_cast<double>(counts_[n]);
    find_characters(morphemes_[n], places);
    longest_ = std::max(longest_, places.size() - 1);
  }
  const double log_total = std::log(std::max(1.0, total));
  for (const std::int64_t count : counts_)
    costs_.push_back(piece_cost + log_total - std::log(static_cast<double>(count)));
  unknown_cost_ = piece_cost + log_total + std::log(unknown_factor);
}

void Segmenter::segment(std::string_view word, std::vector<Piece>& out) const {
  out.clear();
  std::vector<std::size_t> places, ends;
  find_characters(word, places);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return word.substr(places[begin], places[end] - places[begin]);
  };
  const auto number = [&](std::size_t begin, std::size_t end) {
    const auto found = numbers_.find(piece(begin, end));
    return found == numbers_.end() ? -1 : found->second;
  };
  BestCut cut;
  cut.find(places.size() - 1, std::max<std::size_t>(1, longest_), ends,
           [&](std::size_t begin, std::size_t end) {
             const std::int32_t known = number(begin, end);
             if (known >= 0) return costs_[static_cast<std::size_t>(known)];
             return end == begin + 1 ? unknown_cost_ : std::numeric_limits<double>::infinity();
           });
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    out.push_back({places[begin], places[end], number(begin, end)});
    begin = end;
  }
}

Segmenter::Numbers Segmenter::numbers(std::span<const std::string_view> words) const {
  Numbers found{{}, {0}};
  std::vector<Piece> pieces;
  for (const std::string_view word : words) {
    segment(word, pieces);
    for (const Piece& piece : pieces) found.number.push_back(piece.number);
    found.start.push_back(static_cast<std::int64_t>(found.number.size()));
  }
  return found;
}

Segmenter Segmenter::learn(std::span<const std::string_view> words,
                           std::span<const std::int64_t> occurrences, int rounds) {
  if (occurrences.size() != words.size())
    fail<CorpusError>({"argument.shape", "counts", occurrences.size()}, "there are ",
                      occurrences.size(), " counts for ", words.size(), " words");
  std::vector<std::int64_t> weights;
  for (std::size_t n = 0; n < words.size(); ++n) {
    if (words[n].empty() || first_not_utf8(words[n]) < words[n].size())
      fail<CorpusError>({"argument.value", "words", n}, "word ", n, " is empty or not UTF-8");
    if (occurrences[n] < 1)
      fail<CorpusError>({"argument.range", "counts", n}, "word ", n, " has a count below 1");
    weights.push_back(std::bit_width(static_cast<std::uint64_t>(occurrences[n])));
  }
  const Spelling spelling(words);
  std::unordered_map<std::string_view, std::int64_t> counts;
  std::vector<std::vector<std::size_t>> cuts(words.size());  // ends of pieces, in characters
  std::vector<std::size_t> places, ends;
  std::int64_t total = 0;
  const auto add = [&](std::string_view word, std::span<const std::size_t> cut,
                       std::int64_t change) {
    std::size_t begin = 0;
    for (const std::size_t end : cut) {
      counts[word.substr(places[begin], places[end] - places[begin])] += change;
      total += change;
      begin = end;
    }
  };
  for (std::size_t n = 0; n < words.size(); ++n) {
    find_characters(words[n], places);
    cuts[n] = {places.size() - 1};
    add(words[n], cuts[n], weights[n]);
  }
  BestCut best;
  std::vector<double> spelled;  // code lengths of the characters before each place
  for (int round = 0; round < rounds; ++round) {
    bool is_changed = false;
    for (std::size_t n = 0; n < words.size(); ++n) {
      const std::string_view word = words[n];
      find_characters(word, places);
      spelled.assign(1, 0);
      for (std::size_t i = 0; i + 1 < places.size(); ++i)
        spelled.push_back(spelled.back() +
                          spelling.of(word.substr(places[i], places[i + 1] - places[i])));
      add(word, cuts[n], -weights[n]);
      const auto weight = static_cast<double>(weights[n]);
      const double most = piece_cost + std::log(static_cast<double>(total) + weight);
      best.find(places.size() - 1, longest_piece, ends, [&](std::size_t begin, std::size_t end) {
        const auto found = counts.find(word.substr(places[begin], places[end] - places[begin]));
        if (found != counts.end() && found->second > 0)
          return weight * (most - std::log(static_cast<double>(found->second)));
        return weight * (most - std::log(weight)) + spelled[end] - spelled[begin] + spelling.end();
      });
      add(word, ends, weights[n]);
      if (ends != cuts[n]) {
        cuts[n] = ends;
        is_changed = true;
      }
    }
    if (!is_changed) break;
  }
  std::vector<std::pair<std::int64_t, std::string_view>> kept;
  for (const auto& [morpheme, count] : counts)
    if (count > 0) kept.emplace_back(-count, morpheme);
  std::ranges::sort(kept);
  std::vector<std::string> morphemes;
  std::vector<std::int64_t> kept_counts;
  for (const auto& [count, morpheme] : kept) {
    morphemes.emplace_back(morpheme);
    kept_counts.push_back(-count);
  }
  return Segmenter(std::move(morphemes), std::move(kept_counts));
}

}  // namespace rosewood
