#include "align/lexicon.hpp"

#include <algorithm>
#include <vector>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

// Source words are taken together as long as they occur this often: the list of the sentences they
// are in is what is held beside the lexicon.
constexpr std::int64_t most_occurrences = std::int64_t{1} << 24;
constexpr std::int64_t words_of_block = 16;

/// Source words [begin, end) and the sentences each of them is in, one after the other.
struct Postings {
  std::int32_t begin = 0, end = 0;
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> sentence;
};

std::vector<std::int64_t> occurrences(const TextView& text) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(text.words), 0);
  for (const std::int32_t word : text.ids) ++count[static_cast<std::size_t>(word)];
  return count;
}

Postings postings_from(const TextView& text, std::span<const std::int64_t> count,
                       std::int32_t begin) {
  Postings found;
  found.begin = found.end = begin;
  found.start.push_back(0);
  while (found.end < text.words) {
    const std::int64_t more = count[static_cast<std::size_t>(found.end)];
    if (found.end > begin && found.start.back() + more > most_occurrences) break;
    found.start.push_back(found.start.back() + more);
    ++found.end;
  }
  found.sentence.resize(static_cast<std::size_t>(found.start.back()));
  std::vector<std::int64_t> next(found.start.begin(), found.start.end() - 1);
  for (std::int64_t k = 0; k < text.size(); ++k)
    for (const std::int32_t word : text.sentence(k))
      if (word >= found.begin && word < found.end)
        found.sentence[static_cast<std::size_t>(next[static_cast<std::size_t>(word - begin)]++)] =
            static_cast<std::int32_t>(k);
  return found;
}

/// The distinct target words that occur with one source word.
class Partners {
 public:
  explicit Partners(const TextView& target)
      : target_(target), seen_(static_cast<std::size_t>(target.words), -1) {}

  std::span<const std::int32_t> of(std::int32_t source, std::span<const std::int32_t> sentences) {
    found_.clear();
    std::int32_t last = -1;
    for (const std::int32_t k : sentences) {
      if (k == last) continue;
      last = k;
      for (const std::int32_t word : target_.sentence(k)) {
        auto& seen = seen_[static_cast<std::size_t>(word)];
        if (seen == source) continue;
        seen = source;
        found_.push_back(word);
      }
    }
    return found_;
  }

 private:
  const TextView& target_;
  std::vector<std::int32_t> seen_;  // the source word that met this target word last
  std::vector<std::int32_t> found_;
};

/// body(source word, its distinct target words in the order of the corpus) for every source word.
template <class Body>
void each_row(const BitextView& bitext, int threads, Body&& body) {
  const auto count = occurrences(bitext.source);
  for (std::int32_t next = 0; next < bitext.source.words;) {
    const Postings postings = postings_from(bitext.source, count, next);
    const std::int64_t size = postings.end - postings.begin;
    const std::int64_t blocks = (size + words_of_block - 1) / words_of_block;
    parallel_blocks(
        blocks, threads, [&] { return Partners(bitext.target); },
        [&](Partners& partners, std::int64_t block) {
          const std::int64_t end = std::min(size, (block + 1) * words_of_block);
          for (std::int64_t w = block * words_of_block; w < end; ++w) {
            const auto first =
                static_cast<std::size_t>(postings.start[static_cast<std::size_t>(w)]);
            const auto last =
                static_cast<std::size_t>(postings.start[static_cast<std::size_t>(w) + 1]);
            const auto source = static_cast<std::int32_t>(postings.begin + w);
            body(source,
                 partners.of(source, std::span(postings.sentence).subspan(first, last - first)));
          }
        });
    next = postings.end;
  }
}

void check_text(const char* side, const TextView& text) {
  if (text.start.empty() || text.start[0] != 0 ||
      text.start.back() != static_cast<std::int64_t>(text.ids.size()))
    fail<AlignmentError>({"argument.shape", side}, "the ", side,
                         " text's offsets do not fit its words");
  for (std::size_t k = 1; k < text.start.size(); ++k)
    if (text.start[k] < text.start[k - 1])
      fail<AlignmentError>({"argument.value", side}, "the ", side,
                           " text's offsets go down at sentence ", k - 1);
  for (const std::int32_t word : text.ids)
    if (word < 0 || word >= text.words)
      fail<AlignmentError>({"argument.range", side}, "the ", side, " text has word ", word,
                           ", there are ", text.words);
}

}  // namespace

void check_bitext(const BitextView& bitext) {
  check_text("source", bitext.source);
  check_text("target", bitext.target);
  if (bitext.source.size() != bitext.target.size())
    fail<AlignmentError>("argument.shape", "there are ", bitext.source.size(),
                         " source sentences and ", bitext.target.size(), " target sentences");
  if (bitext.size() > INT32_MAX)
    fail<AlignmentError>("alignment.too-large", "there are too many sentences");
}

void lexicon_rows(const BitextView& bitext, std::span<std::int64_t> row, int threads) {
  row[0] = 0;
  each_row(bitext, threads, [&](std::int32_t source, std::span<const std::int32_t> partners) {
    row[static_cast<std::size_t>(source) + 1] =
        row_places(static_cast<std::int64_t>(partners.size()));
  });
  for (std::size_t s = 1; s < row.size(); ++s) row[s] += row[s - 1];
}

void lexicon_fill(const BitextView& bitext, const LexiconEdit& lexicon, int threads) {
  each_row(bitext, threads, [&](std::int32_t source, std::span<const std::int32_t> partners) {
    const std::int64_t begin = lexicon.row[static_cast<std::size_t>(source)];
    const std::int64_t end = lexicon.row[static_cast<std::size_t>(source) + 1];
    if (end - begin != row_places(static_cast<std::int64_t>(partners.size())))
      fail<AlignmentError>("alignment.other-corpus", "the lexicon's rows are of another corpus");
    for (std::int64_t place = begin; place < end; ++place)
      lexicon.entry[static_cast<std::size_t>(place)] = Entry{};
    for (const std::int32_t word : partners) {
      std::int64_t place = begin + LexiconEdit::home(word, end - begin);
      while (lexicon.entry[static_cast<std::size_t>(place)].word >= 0)
        if (++place == end) place = begin;
      lexicon.entry[static_cast<std::size_t>(place)].word = word;
    }
  });
}

void check_lexicon(const LexiconView& lexicon, std::int32_t source_words,
                   std::int32_t target_words) {
  if (lexicon.rows() != source_words || lexicon.row[0] != 0 ||
      lexicon.row.back() != static_cast<std::int64_t>(lexicon.entry.size()))
    fail<AlignmentError>("argument.shape", "the lexicon's rows do not fit its entries");
  for (std::size_t s = 1; s < lexicon.row.size(); ++s)
    if (lexicon.row[s] < lexicon.row[s - 1])
      fail<AlignmentError>("argument.value", "the lexicon's rows go down");
  for (const Entry& entry : lexicon.entry)
    if (entry.word < -1 || entry.word >= target_words)
      fail<AlignmentError>("argument.range", "the lexicon has word ", entry.word, ", there are ",
                           target_words);
}

}  // namespace rosewood
