// core/reorder/event_text.hpp: orientation events from text, a line each. No Python here.
//
//   swap ||| nicht ||| not ||| nicht&not ||| geht nach
//
// orientation ||| source ||| target ||| aligned words ||| source words beside the phrase, where <s>
// and </s> are the ends of the sentence. Of aligned words, & and \ have a \ before them; so has a
// word beside the phrase that is <s> or </s>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "util/error.hpp"

namespace rosewood {

/// Events as arrays. What is known of its sentence is a sentence of its own for each event: the
/// source phrase with the words beside it.
struct TextEvents {
  std::vector<std::uint8_t> orientation;
  std::vector<std::int32_t> source_begin, source_end, target_end;
  std::vector<std::int64_t> source_start{0}, target_start{0}, pair_start{0};
  std::vector<std::int32_t> source, target, pair_source, pair_target;
};

class EventTextReader {
 public:
  /// The names of the classes, by number.
  explicit EventTextReader(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  /// Reads one line; the reason where it is not an event.
  Reason add(std::string_view line, TextEvents& out);
  /// Words by number, of all lines so far.
  const WordTable& source_words() const { return source_; }
  const WordTable& target_words() const { return target_; }

 private:
  Reason add_pairs(std::string_view text, TextEvents& out);
  Reason add_context(std::string_view text, TextEvents& out, std::string_view source);

  std::vector<std::string> classes_;
  WordTable source_, target_;
  std::string word_;
};

}  // namespace rosewood
