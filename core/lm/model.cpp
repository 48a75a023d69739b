// core/lm/model.cpp: what is asked of a model, answered by its layout.
#include "lm/model.hpp"

#include <algorithm>

#include "lm/sample.hpp"

namespace rosewood {

namespace {

/// A state with room of its own.
struct OwnState {
  explicit OwnState(int order) : words(static_cast<std::size_t>(order)), backoffs(words.size()) {}
  State view() { return {words.data(), backoffs.data(), 0}; }

  std::vector<std::uint32_t> words;
  std::vector<float> backoffs;
};

std::vector<std::uint32_t> latest_last(const State& state) {
  std::vector<std::uint32_t> words(state.words, state.words + state.length);
  std::ranges::reverse(words);
  return words;
}

template <Layout L>
State state_of(const L& layout, std::span<const std::uint32_t> context, OwnState& room) {
  const std::size_t most = std::min<std::size_t>(context.size(), layout.order() - 1);
  std::vector<std::uint32_t> latest_first(context.rbegin(),
                                          context.rbegin() + static_cast<std::ptrdiff_t>(most));
  State state = room.view();
  context_state(layout, latest_first, state);
  return state;
}

void check_words(std::span<const std::uint32_t> words, std::uint64_t size) {
  for (const std::uint32_t word : words)
    if (word >= size)
      fail<LanguageModelError>("argument.range", "there is no word ", word, " among ", size);
}

AnyLayout opened(std::span<const std::uint8_t> file, const Places& places,
                 const ModelShape& shape) {
  if (shape.counts.empty())
    fail<LanguageModelError>({"file.damaged", "counts"}, "it has no orders");
  const Sections sections(file, places);
  if (shape.is_small) return SmallLayout(sections, shape.counts, shape.bits);
  return FastLayout(sections, shape.counts, shape.seed);
}

}  // namespace

SentenceText::SentenceText(std::string_view whole, std::uint64_t count) : text(whole) {
  start.reserve(count + 1);
  start.push_back(0);
  if (count == 0 && text.empty()) return;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (start.size() >= count)
      fail<LanguageModelError>("argument.shape", "there are more lines in the text than sentences");
    start.push_back(at + 1);
  }
  start.push_back(text.size() + 1);
  if (size() != count)
    fail<LanguageModelError>("argument.shape", "there are ", size(), " lines in a text of ", count,
                             " sentences");
}

LanguageModel::LanguageModel(std::span<const std::uint8_t> file, const Places& places,
                             const ModelShape& shape)
    : layout_(opened(file, places, shape)) {
  const Sections sections(file, places);
  vocabulary_ = ModelVocabulary(WordList(sections["words"], sections["word_start"]),
                                sections["word_hashes"], shape.seed);
  if (vocabulary_.size() != shape.counts[0])
    fail<LanguageModelError>({"file.damaged", "words"}, "it has ", vocabulary_.size(),
                             " words and ", shape.counts[0], " unigrams");
}

int LanguageModel::order() const {
  return std::visit([](const auto& layout) { return layout.order(); }, layout_);
}

void LanguageModel::score(const SentenceText& text, Edges edges, std::uint64_t first_number,
                          int threads, std::span<double> out) const {
  if (out.size() != text.size())
    fail<LanguageModelError>({"argument.shape", "out"}, "there is room for ", out.size(),
                             " scores, expected ", text.size());
  std::ranges::fill(out, 0.0);
  std::visit(
      [&](const auto& layout) {
        score_sentences(vocabulary_, layout, text, edges, first_number, threads,
                        [&](std::uint64_t, std::uint64_t s, std::uint32_t, const WordScore& each) {
                          out[s] += each.score;
                        });
      },
      layout_);
}

WordScores LanguageModel::score_words(const SentenceText& text, Edges edges,
                                      std::uint64_t first_number, int threads) const {
  std::vector<WordScores> pieces(text.size() / sentences_at_once + 1);
  WordScores all;
  all.start.assign(text.size() + 1, 0);
  std::visit(
      [&](const auto& layout) {
        score_sentences(
            vocabulary_, layout, text, edges, first_number, threads,
            [&](std::uint64_t piece, std::uint64_t s, std::uint32_t word, const WordScore& each) {
              ++all.start[s + 1];
              pieces[piece].score.push_back(each.score);
              pieces[piece].length.push_back(each.length);
              pieces[piece].word.push_back(word);
            });
      },
      layout_);
  for (std::size_t s = 0; s < text.size(); ++s) all.start[s + 1] += all.start[s];
  const auto join = [&](auto WordScores::* column) {
    (all.*column).reserve(static_cast<std::size_t>(all.start.back()));
    for (const WordScores& piece : pieces)
      (all.*column).insert((all.*column).end(), (piece.*column).begin(), (piece.*column).end());
  };
  join(&WordScores::score);
  join(&WordScores::length);
  join(&WordScores::word);
  return all;
}

double LanguageModel::score(std::string_view sentence, Edges edges) const {
  double total = 0.0;
  std::visit(
      [&](const auto& layout) {
        score_sentence(vocabulary_, layout, sentence, edges,
                       [&](std::uint32_t, const WordScore& each) { total += each.score; });
      },
      layout_);
  return total;
}

WordScores LanguageModel::score_words(std::string_view sentence, Edges edges) const {
  WordScores all;
  std::visit(
      [&](const auto& layout) {
        score_sentence(vocabulary_, layout, sentence, edges,
                       [&](std::uint32_t word, const WordScore& each) {
                         all.score.push_back(each.score);
                         all.length.push_back(each.length);
                         all.word.push_back(word);
                       });
      },
      layout_);
  all.start = {0, static_cast<std::int64_t>(all.word.size())};
  return all;
}

std::vector<std::uint32_t> LanguageModel::state(std::span<const std::uint32_t> context) const {
  check_words(context, vocabulary_.size());
  OwnState room(order());
  return std::visit(
      [&](const auto& layout) { return latest_last(state_of(layout, context, room)); }, layout_);
}

std::pair<WordScore, std::vector<std::uint32_t>> LanguageModel::advance(
    std::span<const std::uint32_t> context, std::uint32_t word) const {
  check_words(context, vocabulary_.size());
  check_words({&word, 1}, vocabulary_.size());
  OwnState before(order()), after(order());
  State next = after.view();
  const WordScore score = std::visit(
      [&](const auto& layout) {
        return score_word(layout, state_of(layout, context, before), word, next);
      },
      layout_);
  return {score, latest_last(next)};
}

void LanguageModel::score_all(std::span<const std::uint32_t> context, std::span<double> out) const {
  check_words(context, vocabulary_.size());
  if (out.size() != vocabulary_.size())
    fail<LanguageModelError>({"argument.shape", "out"}, "there is room for ", out.size(),
                             " scores, expected ", vocabulary_.size());
  OwnState room(order());
  std::visit(
      [&](const auto& layout) {
        score_all_words(layout, state_of(layout, context, room), out.size(),
                        [&](std::uint64_t word, const WordScore& each) { out[word] = each.score; });
      },
      layout_);
}

WordLists LanguageModel::sample(std::uint64_t count, std::uint64_t seed, std::uint64_t max_words,
                                std::span<const std::uint32_t> context, int threads) const {
  check_words(context, vocabulary_.size());
  std::vector<std::vector<std::uint32_t>> texts(count);
  std::visit(
      [&](const auto& layout) {
        OwnState room(order());
        const State first = state_of(layout, context, room);
        const Sampler sampler(layout, vocabulary_.size(), first);
        parallel_blocks(
            static_cast<std::int64_t>(count), threads, [&] { return sampler.room(); },
            [&](auto& own, std::int64_t text) {
              texts[text] =
                  sampler.draw(mixed(seed, static_cast<std::uint64_t>(text)), max_words, own);
            });
      },
      layout_);
  WordLists all;
  all.start.push_back(0);
  for (const auto& text : texts) {
    all.word.insert(all.word.end(), text.begin(), text.end());
    all.start.push_back(static_cast<std::int64_t>(all.word.size()));
  }
  return all;
}

void LanguageModel::check() const {
  vocabulary_.check();
  std::visit([](const auto& layout) { layout.check(); }, layout_);
}

NgramTable LanguageModel::table() const {
  const auto* small = std::get_if<SmallLayout>(&layout_);
  if (!small)
    fail<LanguageModelError>("lm.fast-layout",
                             "a model of the fast layout does not keep its n-grams");
  return small->table();
}

}  // namespace rosewood
