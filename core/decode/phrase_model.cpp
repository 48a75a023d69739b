// core/decode/phrase_model.cpp: checks of what a phrase-based decoder is made of.
#include "decode/phrase_model.hpp"

#include <algorithm>

namespace rosewood {

namespace {

constexpr std::ptrdiff_t max_slots = 27;  // classes of a step are one number: 5^27 < 2^64
constexpr std::size_t kinds[] = {feature_kind("table"),
                                 feature_kind("option"),
                                 feature_kind("word_penalty"),
                                 feature_kind("phrase_penalty"),
                                 feature_kind("unknown_penalty"),
                                 feature_kind("distortion"),
                                 feature_kind("lm"),
                                 feature_kind("orientation")};

}  // namespace

PhraseModel::PhraseModel(FeatureLayout layout, const RuleTable& table,
                         std::span<const LanguageModel* const> language_models,
                         std::vector<OrientationSlot> slots,
                         std::vector<std::int64_t> orientation_columns)
    : RuleModel("a phrase-based decoder", kinds, std::move(layout), table, language_models,
                std::move(orientation_columns)),
      distortion_(this->layout().position(feature_kind("distortion"))),
      first_orientation_(this->layout().block(feature_kind("orientation")).first),
      slots_(std::move(slots)) {
  const std::size_t columns = this->orientation_columns().size();
  check_count("columns of orientations", feature_kind("orientation"), columns);
  for (const OrientationSlot& slot : slots_)
    if (slot.first + slot.classes() > columns)
      fail<DecodingError>("argument.shape", "a reordering model has more classes than columns");
  for (const Direction direction : {Direction::backward, Direction::forward})
    if (std::ranges::count(slots_, direction, &OrientationSlot::direction) > max_slots)
      fail<DecodingError>("decoding.too-many-models", "there are more than ", max_slots,
                          " reordering models of a direction");
}

}  // namespace rosewood
