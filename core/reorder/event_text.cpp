// core/reorder/event_text.cpp: taking lines apart.
#include "reorder/event_text.hpp"

#include <algorithm>

namespace rosewood {

namespace {

constexpr std::string_view bar = " ||| ", begin_mark = "<s>", end_mark = "</s>";

/// Calls body(word) for the words between spaces.
template <class Body>
void for_each_word(std::string_view text, Body&& body) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string_view::npos) end = text.size();
    if (end > begin) body(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The text up to the next bar, which is cut off; false: there is no bar.
bool cut(std::string_view& text, std::string_view& field) {
  const std::size_t place = text.find(bar);
  if (place == std::string_view::npos) return false;
  field = text.substr(0, place);
  text.remove_prefix(place + bar.size());
  return true;
}

}  // namespace

Reason EventTextReader::add(std::string_view line, TextEvents& out) {
  std::string_view rest = line, name, source, target, pairs;
  if (!cut(rest, name) || !cut(rest, source) || !cut(rest, target))
    return {"expected orientation ||| source ||| target ||| aligned words ||| words beside"};
  if (!cut(rest, pairs)) {  // a phrase pair without links: nothing between two bars
    constexpr std::string_view empty = "||| ";
    if (!rest.starts_with(empty))
      return {"expected orientation ||| source ||| target ||| aligned words ||| words beside"};
    rest.remove_prefix(empty.size());
  }
  const auto found = std::find(classes_.begin(), classes_.end(), name);
  if (found == classes_.end())
    return {joined("the orientation '", name, "' is not one of the classes"), "line.value"};
  if (Reason reason = add_pairs(pairs, out); !reason.empty()) return reason;
  if (Reason reason = add_context(rest, out, source); !reason.empty()) return reason;
  for_each_word(target, [&](std::string_view word) { out.target.push_back(target_.add(word)); });
  out.target_end.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(out.target.size()) -
                                                     out.target_start.back()));
  if (out.target_end.back() == 0) return {"the target phrase is empty"};
  out.target_start.push_back(static_cast<std::int64_t>(out.target.size()));
  out.orientation.push_back(static_cast<std::uint8_t>(found - classes_.begin()));
  return {};
}

Reason EventTextReader::add_pairs(std::string_view text, TextEvents& out) {
  Reason wrong;
  for_each_word(text, [&](std::string_view pair) {
    if (!wrong.empty()) return;
    word_.clear();
    std::int32_t source = -1;
    for (std::size_t i = 0; i < pair.size(); ++i) {
      if (pair[i] == '\\' && i + 1 < pair.size())
        word_ += pair[++i];
      else if (pair[i] == '&' && source < 0 && !word_.empty()) {
        source = source_.add(word_);
        word_.clear();
      } else
        word_ += pair[i];
    }
    if (source < 0 || word_.empty()) {
      wrong = {joined("the aligned words '", pair, "' are not source&target")};
      return;
    }
    out.pair_source.push_back(source);
    out.pair_target.push_back(target_.add(word_));
  });
  if (wrong.empty()) out.pair_start.push_back(static_cast<std::int64_t>(out.pair_source.size()));
  return wrong;
}

Reason EventTextReader::add_context(std::string_view text, TextEvents& out,
                                    std::string_view source) {
  std::vector<std::string_view> beside;
  for_each_word(text, [&](std::string_view word) { beside.push_back(word); });
  if (beside.size() != 2) return {"expected two words beside the source phrase, or <s> and </s>"};
  const auto add_beside = [&](std::string_view word, std::string_view mark) {
    if (word == mark) return;
    if (word.size() > 1 && word[0] == '\\' &&
        (word.substr(1) == begin_mark || word.substr(1) == end_mark))
      word.remove_prefix(1);
    out.source.push_back(source_.add(word));
  };
  const std::int64_t first = out.source_start.back();
  const auto place = [&] {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(out.source.size()) - first);
  };
  add_beside(beside[0], begin_mark);
  const std::int32_t begin = place();
  for_each_word(source, [&](std::string_view word) { out.source.push_back(source_.add(word)); });
  const std::int32_t end = place();
  if (begin == end) return {"the source phrase is empty"};
  add_beside(beside[1], end_mark);
  out.source_begin.push_back(begin);
  out.source_end.push_back(end);
  out.source_start.push_back(static_cast<std::int64_t>(out.source.size()));
  return {};
}

}  // namespace rosewood
