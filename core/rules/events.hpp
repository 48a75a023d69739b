// core/rules/events.hpp: the orientation of every phrase pair of an aligned corpus, with what
// reordering models look at: the linked words inside it and the source words beside it. No Python
// here.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/aligned_corpus.hpp"
#include "rules/orientation.hpp"

namespace rosewood {

/// Phrase pair n of a block has the linked words pair_start[n] .. pair_start[n+1]-1, each as often
/// as it is linked, by source and then by target place.
struct EventArrays {
  std::vector<std::int64_t> sentence;
  std::vector<std::int32_t> source_begin, source_end, target_begin, target_end;
  std::vector<std::vector<std::uint8_t>> orientation;  // classes, by direction as asked for
  std::vector<std::int64_t> pair_start{0};
  std::vector<std::int32_t> pair_source, pair_target;  // word numbers
  std::vector<std::int32_t> left, right;  // source words beside the phrase pair; -1: there is none
};

struct EventSettings {
  OrientationKind kind = OrientationKind::hierarchy;
  std::vector<Direction> directions{Direction::backward};
  ClassScheme classes = ClassScheme::msd;
  std::int32_t max_phrase = 7;
};

/// Events of sentences begin .. end-1, in their order and in that of for_each_phrase.
EventArrays orientation_events(const AlignedCorpus& corpus, const EventSettings& settings,
                               std::int64_t begin, std::int64_t end, int threads);

}  // namespace rosewood
