#include "rules/events.hpp"

#include <algorithm>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t sentences_a_piece = 64;

/// One thread's events, sentence by sentence.
class EventMaker {
 public:
  EventMaker(const AlignedCorpus& corpus, const EventSettings& settings)
      : corpus_(corpus), settings_(settings) {}

  void add(std::int64_t number, EventArrays& events) {
    events.orientation.resize(settings_.directions.size());
    source_ = corpus_.source.sentence(number);
    target_ = corpus_.target.sentence(number);
    corpus_.set(sentence_, number);
    orientations_.set(sentence_, settings_.max_phrase);
    for_each_phrase(sentence_, settings_.max_phrase, settings_.max_phrase, [&](const Box& box) {
      events.sentence.push_back(number);
      add_box(box, events);
    });
  }

 private:
  void add_box(const Box& box, EventArrays& events) {
    events.source_begin.push_back(box.source_begin);
    events.source_end.push_back(box.source_end);
    events.target_begin.push_back(box.target_begin);
    events.target_end.push_back(box.target_end);
    for (std::size_t i = 0; i < settings_.directions.size(); ++i) {
      const Direction direction = settings_.directions[i];
      const Orientation found = orientations_.of(direction, settings_.kind, box);
      const bool has_gap = settings_.classes == ClassScheme::distance;
      events.orientation[i].push_back(
          class_of(settings_.classes, found, has_gap ? orientations_.gap(direction, box) : 0));
    }
    const auto sources = sentence_.link_source(), targets = sentence_.link_target();
    const auto first = std::lower_bound(sources.begin(), sources.end(), box.source_begin);
    for (auto n = static_cast<std::size_t>(first - sources.begin());
         n < sources.size() && sources[n] < box.source_end; ++n) {
      events.pair_source.push_back(source_[static_cast<std::size_t>(sources[n])]);
      events.pair_target.push_back(target_[static_cast<std::size_t>(targets[n])]);
    }
    events.pair_start.push_back(static_cast<std::int64_t>(events.pair_source.size()));
    const auto begin = static_cast<std::size_t>(box.source_begin);
    const auto end = static_cast<std::size_t>(box.source_end);
    events.left.push_back(begin > 0 ? source_[begin - 1] : -1);
    events.right.push_back(end < source_.size() ? source_[end] : -1);
  }

  const AlignedCorpus& corpus_;
  const EventSettings& settings_;
  AlignedSentence sentence_;
  Orientations orientations_;
  std::span<const std::int32_t> source_, target_;
};

template <class T>
void append(std::vector<T>& all, std::vector<T>& piece) {
  all.insert(all.end(), piece.begin(), piece.end());
  piece = {};
}

void append(EventArrays& all, EventArrays& piece) {
  const auto before = static_cast<std::int64_t>(all.pair_source.size());
  for (std::size_t n = 1; n < piece.pair_start.size(); ++n)
    all.pair_start.push_back(before + piece.pair_start[n]);
  append(all.sentence, piece.sentence);
  append(all.source_begin, piece.source_begin);
  append(all.source_end, piece.source_end);
  append(all.target_begin, piece.target_begin);
  append(all.target_end, piece.target_end);
  for (std::size_t i = 0; i < piece.orientation.size(); ++i)
    append(all.orientation[i], piece.orientation[i]);
  append(all.pair_source, piece.pair_source);
  append(all.pair_target, piece.pair_target);
  append(all.left, piece.left);
  append(all.right, piece.right);
}

}  // namespace

EventArrays orientation_events(const AlignedCorpus& corpus, const EventSettings& settings,
                               std::int64_t begin, std::int64_t end, int threads) {
  if (begin < 0 || begin > end || end > corpus.size())
    fail<RuleError>("argument.range", "there are no sentences ", begin, " to ", end, " of ",
                    corpus.size());
  const std::int64_t pieces = (end - begin + sentences_a_piece - 1) / sentences_a_piece;
  std::vector<EventArrays> made(static_cast<std::size_t>(pieces));
  parallel_blocks(
      pieces, threads, [&] { return EventMaker(corpus, settings); },
      [&](EventMaker& maker, std::int64_t piece) {
        const std::int64_t first = begin + piece * sentences_a_piece;
        for (std::int64_t k = first; k < std::min(end, first + sentences_a_piece); ++k)
          maker.add(k, made[static_cast<std::size_t>(piece)]);
      });
  EventArrays all;
  all.orientation.resize(settings.directions.size());
  for (EventArrays& piece : made) append(all, piece);
  return all;
}

}  // namespace rosewood
