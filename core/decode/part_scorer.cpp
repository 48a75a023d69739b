// core/decode/part_scorer.cpp: the same for every layout.
#include "decode/part_scorer.hpp"

#include <variant>

#include "lm/chart.hpp"

namespace rosewood {

namespace {

template <Layout L>
class LayoutPartScorer final : public PartScorer {
 public:
  explicit LayoutPartScorer(const L& layout) : order_(layout.order()), scorer_(layout) {}

  std::size_t key_width() const override { return chart_key_width(order_); }
  std::size_t numbers_width() const override { return chart_numbers_width(order_); }

  double score(const PartBeginning& beginning, std::span<const std::int32_t> symbols,
               const std::uint32_t* words, std::span<const PartRow> tails, std::uint32_t* key,
               std::uint32_t* numbers) override {
    if (beginning.row.key)
      scorer_.begin_with(part(beginning.row), beginning.score);
    else if (beginning.is_sentence)
      scorer_.begin_sentence(begin_word);
    else
      scorer_.begin();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i] >= 0)
        scorer_.add_word(words[i]);
      else
        scorer_.add_part(part(tails[static_cast<std::size_t>(-1 - symbols[i])]));
    }
    const auto [score, state] = scorer_.finish();
    store_chart_row(state, order_, key, numbers);
    return score;
  }

  double finish(const PartRow& row) override {
    scorer_.begin_sentence(begin_word);
    scorer_.add_part(part(row));
    const double before = scorer_.finish().first;
    scorer_.add_word(end_word);
    return scorer_.finish().first - before;
  }

 private:
  ChartPart part(const PartRow& row) const { return {row.key, row.numbers, order_}; }

  int order_;
  ChartScorer<L> scorer_;
};

}  // namespace

std::unique_ptr<PartScorer> make_part_scorer(const LanguageModel& model) {
  return std::visit(
      [&]<class L>(const L& layout) -> std::unique_ptr<PartScorer> {
        return std::make_unique<LayoutPartScorer<L>>(layout);
      },
      model.layout());
}

}  // namespace rosewood
