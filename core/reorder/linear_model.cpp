// core/reorder/linear_model.cpp: looking up features, and log probabilities.
#include "reorder/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "util/loaded.hpp"

namespace rosewood {

namespace {

constexpr std::size_t no_slot = ~std::size_t{0};
constexpr std::size_t kept_lengths = 64;

void add_words(WordTable& table, std::span<const char> bytes, std::span<const std::int64_t> start) {
  for (std::size_t n = 0; n + 1 < start.size(); ++n) {
    const std::int64_t begin = start[n], end = start[n + 1];
    if (begin < 0 || begin > end || end > static_cast<std::int64_t>(bytes.size()) ||
        table.add({bytes.data() + begin, static_cast<std::size_t>(end - begin)}) !=
            static_cast<std::int32_t>(n))
      fail<ReorderingError>("file.damaged", "the words of a reordering model are damaged");
  }
}

void check_columns(std::span<const double> values, std::size_t width, bool may_be_empty) {
  if (!(may_be_empty && values.empty()) && values.size() != width)
    fail<ReorderingError>("file.damaged", "a reordering model has ", values.size(), " numbers for ",
                          width, " columns");
  for (const double value : values)
    if (!std::isfinite(value))
      fail<ReorderingError>("file.damaged", "a reordering model has numbers that are not finite");
}

}  // namespace

SlotPlan plan_slots(std::span<const FeatureKey> keys) {
  const std::size_t slots = keys.size() + keys.size() / 4 + 1;
  SlotPlan plan{std::vector<FeatureKey>(slots, free_slot), {}};
  for (const FeatureKey key : keys) {
    std::size_t slot = first_slot(key, slots);
    while (plan.slots[slot] != free_slot) {
      if (plan.slots[slot] == key)
        fail<ReorderingError>("argument.duplicate", "a feature has two rows of weights");
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    plan.slots[slot] = key;
    plan.slot_of_key.push_back(static_cast<std::int64_t>(slot));
  }
  return plan;
}

LinearReordering::LinearReordering(LinearParts parts)
    : parts_(std::move(parts)),
      maker_(parts_.templates, {parts_.source_class, parts_.unknown_source_class},
             {parts_.target_class, parts_.unknown_target_class}) {
  check_templates(parts_.templates);
  const std::size_t width = this->width(), slots = parts_.slots.size();
  const bool is_known = parts_.bits == 8 || parts_.bits == 16 || parts_.bits == 32;
  if (!is_known || parts_.classes < 2 || parts_.directions < 1 || width > max_width || slots == 0 ||
      slots > std::uint64_t{1} << 31 ||
      parts_.rows.size() != slots * width * static_cast<std::size_t>(parts_.bits) / 8)
    fail<ReorderingError>("file.damaged", "the weights of a reordering model have the wrong size");
  // A search for a missing key ends at a free slot.
  if (std::find(parts_.slots.begin(), parts_.slots.end(), free_slot) == parts_.slots.end())
    fail<ReorderingError>("file.damaged", "the features of a reordering model are damaged");
  if (parts_.rounded > width || !(parts_.step >= 0) || !std::isfinite(parts_.step))
    fail<ReorderingError>("file.damaged", "a reordering model has damaged settings");
  check_columns(parts_.bias, width, false);
  check_columns(parts_.totals, width, true);
  check_columns(parts_.offset, width, parts_.bits == 32);
  check_columns(parts_.scale, width, parts_.bits == 32);
  for (const double total : parts_.totals)
    if (!(total > 0)) fail<ReorderingError>("file.damaged", "a reordering model has a total of 0");
  add_words(source_, parts_.source_bytes, parts_.source_start);
  add_words(target_, parts_.target_bytes, parts_.target_start);
  if (parts_.totals.empty()) return;
  length_cost_.assign(kept_lengths * width, 0.0);
  for (std::size_t n = 1; n < kept_lengths; ++n)
    for (std::size_t i = 0; i < width; ++i)
      length_cost_[n * width + i] = length_cost_[(n - 1) * width + i] +
                                    std::log(parts_.totals[i] + static_cast<double>(n - 1));
}

std::size_t LinearReordering::find(FeatureKey key) const {
  const std::size_t slots = parts_.slots.size();
  std::size_t slot = first_slot(key, slots);
  while (parts_.slots[slot] != key) {
    if (parts_.slots[slot] == free_slot) return no_slot;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
  return slot;
}

double LinearReordering::weight(std::size_t slot, std::size_t column) const {
  const std::size_t place = slot * width() + column;
  const std::uint8_t* rows = parts_.rows.data();
  if (parts_.bits == 32) return double{loaded<float>(rows + place * 4)};
  const double value = parts_.bits == 16
                           ? static_cast<double>(loaded<std::int16_t>(rows + place * 2))
                           : static_cast<double>(static_cast<std::int8_t>(rows[place]));
  return parts_.offset[column] + parts_.scale[column] * value;
}

void LinearReordering::clear(Sums& sums) const {
  std::copy(parts_.bias.begin(), parts_.bias.end(), sums.column.begin());
  sums.features = 0;
}

/// The repetition of a feature in an event, for models with totals.
void LinearReordering::add_repeated(std::size_t slot, std::size_t repeats, double* sums) const {
  for (std::size_t i = 0; i < width(); ++i)
    sums[i] += std::log(std::exp(weight(slot, i)) + static_cast<double>(repeats));
}

/// Weights are added without offsets, which `finish` adds for all features at once.
template <class Stored>
void LinearReordering::add_rows(std::span<const FeatureKey> keys, Sums& sums) const {
  const std::size_t width = this->width();
  const double* scale = parts_.scale.data();
  for (const FeatureKey key : keys) {
    const std::size_t slot = find(key);
    if (slot == no_slot) continue;
    const std::uint8_t* row = parts_.rows.data() + slot * width * sizeof(Stored);
    for (std::size_t i = 0; i < width; ++i) {
      const auto value = static_cast<double>(loaded<Stored>(row + i * sizeof(Stored)));
      if constexpr (std::is_same_v<Stored, float>)
        sums.column[i] += value;
      else
        sums.column[i] += scale[i] * value;
    }
    ++sums.features;
  }
}

void LinearReordering::add(std::span<FeatureKey> keys, Sums& sums) const {
  if (parts_.totals.empty()) {
    if (parts_.bits == 32) return add_rows<float>(keys, sums);
    return parts_.bits == 16 ? add_rows<std::int16_t>(keys, sums)
                             : add_rows<std::int8_t>(keys, sums);
  }
  std::sort(keys.begin(), keys.end());  // repetitions are next to each other
  std::size_t repeats = 0;
  for (std::size_t n = 0; n < keys.size(); ++n) {
    repeats = n && keys[n] == keys[n - 1] ? repeats + 1 : 0;
    const std::size_t slot = find(keys[n]);
    if (slot == no_slot) continue;
    for (std::size_t i = 0; !repeats && i < width(); ++i) sums.column[i] += weight(slot, i);
    if (repeats) add_repeated(slot, repeats, sums.column.data());
    ++sums.features;
  }
}

void LinearReordering::finish(const Sums& sums, double* out) const {
  const std::size_t width = this->width();
  for (std::size_t i = 0; i < width; ++i) {
    out[i] = sums.column[i];
    if (parts_.totals.empty()) {
      if (parts_.bits != 32) out[i] += parts_.offset[i] * static_cast<double>(sums.features);
      continue;
    }
    const std::size_t kept = std::min(sums.features, kept_lengths - 1);
    out[i] -= length_cost_[kept * width + i];
    for (std::size_t n = kept; n < sums.features; ++n)
      out[i] -= std::log(parts_.totals[i] + static_cast<double>(n));
  }
  for (std::size_t first = 0; first < width; first += parts_.classes) {
    const auto row = std::span(out + first, parts_.classes);
    const double most = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const double each : row) sum += std::exp(each - most);
    const double total = most + std::log(sum);
    for (double& each : row) each -= total;
  }
}

void LinearReordering::finish_rounded(const Sums& sums, double* out) const {
  finish(sums, out);
  if (parts_.step > 0)
    for (std::size_t i = width() - parts_.rounded; i < width(); ++i)
      out[i] = std::nearbyint(out[i] / parts_.step) * parts_.step;
}

bool LinearReordering::weights(FeatureKey key, double* out) const {
  const std::size_t slot = find(key);
  if (slot == no_slot) return false;
  for (std::size_t i = 0; i < width(); ++i) out[i] = weight(slot, i);
  return true;
}

}  // namespace rosewood
