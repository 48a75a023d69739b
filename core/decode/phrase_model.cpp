// core/decode/phrase_model.cpp: checks of what a phrase-based decoder is made of.
#include "decode/phrase_model.hpp"

#include <limits>

#include "decode/reordering_scorer.hpp"

namespace rosewood {

namespace {

constexpr std::size_t kinds[] = {feature_kind("table"),          feature_kind("option"),
                                 feature_kind("large"),          feature_kind("word_penalty"),
                                 feature_kind("phrase_penalty"), feature_kind("unknown_penalty"),
                                 feature_kind("distortion"),     feature_kind("lm"),
                                 feature_kind("orientation"),    feature_kind("trees")};

}  // namespace

PhraseModel::PhraseModel(FeatureLayout layout, const RuleTable& table,
                         std::span<const LanguageModel* const> language_models,
                         std::vector<OrientationSlot> slots,
                         std::vector<std::int64_t> orientation_columns,
                         std::span<const NativeReordering> reordering,
                         std::span<const EdgeTree> trees, const LargeFeatures* large)
    : RuleModel("a phrase-based decoder", kinds, std::move(layout), table, language_models, large,
                std::move(orientation_columns)),
      distortion_(this->layout().position(feature_kind("distortion"))),
      first_orientation_(this->layout().block(feature_kind("orientation")).first),
      slots_(std::move(slots)) {
  const std::size_t columns = this->orientation_columns().size();
  check_count("columns of orientations", feature_kind("orientation"), columns);
  for (const OrientationSlot& slot : slots_)
    if (slot.first + slot.classes() > columns)
      fail<DecodingError>("argument.shape", "a reordering model has more classes than columns");
  std::vector<std::uint8_t> sources = tree_sources();
  for (const OrientationSlot& slot : slots_)
    for (std::size_t i = 0; has_trees() && i < slot.classes(); ++i)
      sources[first_orientation_ + slot.column(i)] =
          slot.direction == Direction::forward ? tree_source::forward : tree_source::backward;
  set_trees(trees, sources);
  for (const auto& [model, first] : reordering) {
    if (first + model.width() > columns)
      fail<DecodingError>("argument.shape", "a reordering model has more classes than columns");
    scorers_.push_back(std::make_unique<ReorderingScorer>(model, table, first));
  }
  for (const Direction direction : {Direction::backward, Direction::forward}) {
    std::uint64_t codes = 1;  // classes of a step are one number
    for (const OrientationSlot& slot : slots_) {
      if (slot.direction != direction) continue;
      if (codes > std::numeric_limits<std::uint64_t>::max() / slot.codes())
        fail<DecodingError>("decoding.too-many-models",
                            "there are too many reordering models of a direction");
      codes *= slot.codes();
    }
  }
}

PhraseModel::~PhraseModel() = default;

}  // namespace rosewood
