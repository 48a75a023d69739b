// core/decode/part_scorer.cpp: the same for every layout.
#include "decode/part_scorer.hpp"

#include <numbers>
#include <variant>

#include "lm/chart.hpp"

namespace rosewood {

namespace {

template <Layout L>
class LayoutPartScorer final : public PartScorer {
 public:
  explicit LayoutPartScorer(const L& layout)
      : order_(layout.order()), scorer_(layout), tail_(layout.order()) {}

  std::size_t row_width() const override { return chart_row_width(order_); }

  double score(std::span<const std::int32_t> symbols, std::span<const std::uint32_t> words,
               std::span<const std::uint32_t* const> tails, bool begins_sentence,
               std::span<std::uint32_t> out) override {
    if (begins_sentence)
      scorer_.begin_sentence(begin_word);
    else
      scorer_.begin();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i] >= 0) {
        scorer_.add_word(words[i]);
        continue;
      }
      ChartState part = tail_.view();
      load_chart_row({tails[static_cast<std::size_t>(-1 - symbols[i])], row_width()}, order_, part);
      scorer_.add_part(part);
    }
    const auto [score, state] = scorer_.finish();
    store_chart_row(state, order_, out);
    return score * std::numbers::ln10;
  }

  double finish(std::span<const std::uint32_t> row) override {
    scorer_.begin_sentence(begin_word);
    ChartState part = tail_.view();
    load_chart_row(row, order_, part);
    scorer_.add_part(part);
    const double before = scorer_.finish().first;
    scorer_.add_word(end_word);
    return (scorer_.finish().first - before) * std::numbers::ln10;
  }

 private:
  int order_;
  ChartScorer<L> scorer_;
  OwnChartState tail_;
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
