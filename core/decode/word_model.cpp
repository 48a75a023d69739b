// core/decode/word_model.cpp: the same for every layout.
#include "decode/word_model.hpp"

#include <algorithm>
#include <numbers>
#include <variant>

#include "lm/query.hpp"

namespace rosewood {

namespace {

/// A state into its room, unless it is there already.
void settle(const State& from, State& to) {
  if (from.words != to.words) {
    std::copy_n(from.words, from.length, to.words);
    std::copy_n(from.backoffs, from.length, to.backoffs);
  }
  to.length = from.length;
}

template <Layout L>
class LayoutModel final : public WordModel {
 public:
  LayoutModel(const L& layout, const ModelVocabulary& vocabulary)
      : layout_(layout), vocabulary_(vocabulary) {}

  int order() const override { return layout_.order(); }
  std::uint32_t find(std::string_view word) const override {
    const std::uint32_t number = vocabulary_.find(Piece(word));
    // Text may have words that are written like the edges of sentences, but are none.
    return number == begin_word || number == end_word ? unknown_word : number;
  }
  void begin(State& out) const override {
    const std::uint32_t first = begin_word;
    context_state(layout_, {&first, 1}, out);
  }
  void score_alone(std::span<const std::uint32_t> words, std::span<double> rest, State& end,
                   State& spare) const override {
    State rooms[] = {end, spare}, now;  // the rooms are used in turns
    for (std::size_t i = 0; i < words.size(); ++i) {
      State& next = rooms[i % 2];
      rest[i] = natural(score_word(layout_, now, words[i], next).score);
      now = next;
    }
    settle(now, end);
    rest[words.size()] = 0;
    for (std::size_t i = words.size(); i-- > 0;) rest[i] += rest[i + 1];
  }
  double follow(const State& in, const WordModelPhrase& phrase, State& out,
                State& spare) const override {
    State rooms[] = {out, spare}, now = in;
    double score = 0;
    for (std::size_t i = 0; i < phrase.words.size(); ++i) {
      State& next = rooms[i % 2];
      score += natural(score_word(layout_, now, phrase.words[i], next).score);
      now = next;
      const bool is_within = now.length <= static_cast<int>(i) + 1;  // only words of the phrase
      if (is_within && i + 1 < phrase.words.size()) {
        // From here on, what stood before the phrase makes no difference.
        settle(phrase.end, out);
        return score + phrase.rest[i + 1];
      }
    }
    settle(now, out);
    return score;
  }
  double finish(const State& in, State& spare) const override {
    return natural(score_word(layout_, in, end_word, spare).score);
  }

 private:
  static double natural(double log10) { return log10 * std::numbers::ln10; }

  const L& layout_;
  const ModelVocabulary& vocabulary_;
};

}  // namespace

std::unique_ptr<WordModel> make_word_model(const LanguageModel& model) {
  return std::visit(
      [&]<class L>(const L& layout) -> std::unique_ptr<WordModel> {
        return std::make_unique<LayoutModel<L>>(layout, model.vocabulary());
      },
      model.layout());
}

}  // namespace rosewood
