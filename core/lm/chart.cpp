// core/lm/chart.cpp: one part of a sentence, checked, for callers that are not in a hurry.
#include "lm/chart.hpp"

#include "lm/model.hpp"

namespace rosewood {

namespace {

void check_row(std::span<const std::uint32_t> row, int order, std::uint64_t words) {
  const auto room = static_cast<std::uint32_t>(order - 1);
  if (row.size() != chart_row_width(order) || row[0] > room || row[1] > room || row[2] > 1)
    fail<LanguageModelError>("lm.other-model", "a chart state does not fit a model of order ",
                             order, ": states belong to the model that made them");
  const auto check = [&](std::size_t at, std::uint32_t length) {
    for (std::uint32_t i = 0; i < length; ++i)
      if (row[at + i] >= words)
        fail<LanguageModelError>("lm.other-model", "a chart state has word ", row[at + i],
                                 " of a model with ", words,
                                 " words: states belong to the model that made them");
  };
  check(3, row[0]);
  check(3 + std::size_t{room}, row[1]);
}

}  // namespace

std::pair<double, std::vector<std::uint32_t>> LanguageModel::score_chart(
    std::span<const std::int64_t> symbols, std::span<const std::vector<std::uint32_t>> parts,
    bool begins) const {
  const auto words = static_cast<std::int64_t>(vocabulary_.size());
  for (const auto& part : parts) check_row(part, order(), vocabulary_.size());
  return std::visit(
      [&](const auto& layout) {
        ChartScorer scorer(layout);
        if (begins) scorer.begin_sentence(begin_word);
        for (const std::int64_t symbol : symbols) {
          if (symbol >= words || -1 - symbol >= static_cast<std::int64_t>(parts.size()))
            fail<LanguageModelError>("argument.range", "there is no word or part ", symbol);
          if (symbol >= 0) {
            scorer.add_word(static_cast<std::uint32_t>(symbol));
            continue;
          }
          const auto& part = parts[static_cast<std::size_t>(-1 - symbol)];
          scorer.add_part({part.data(), part.data() + chart_key_width(order()), order()});
        }
        const auto [score, state] = scorer.finish();
        std::vector<std::uint32_t> row(chart_row_width(order()));
        store_chart_row(state, order(), row.data(), row.data() + chart_key_width(order()));
        return std::pair(score, std::move(row));
      },
      layout_);
}

}  // namespace rosewood
