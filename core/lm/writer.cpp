// core/lm/writer.cpp: which parts a file has, and who writes them.
#include "lm/writer.hpp"

namespace rosewood {

ModelWriter::ModelWriter(const NgramTable& table, std::span<const std::uint8_t> word_bytes,
                         std::span<const std::uint8_t> word_start, const ModelShape& shape,
                         SortRoom room)
    : table_(table),
      word_bytes_(word_bytes),
      word_start_(word_start),
      shape_(shape),
      room_(room),
      fast_(table, shape.seed, room),
      small_(table, shape.bits) {
  const WordList words(word_bytes, word_start);
  words.check();
  if (table.order() < 1 || table.size(1) != words.size())
    fail<LanguageModelError>({"argument.shape", "words"}, "there are ", words.size(), " words and ",
                             table.order() < 1 ? 0 : table.size(1), " unigrams");
}

std::vector<std::string> ModelWriter::parts() const {
  std::vector<std::string> names{"words", "word_start", "word_hashes"};
  if (shape_.is_small) {
    const auto others = small_.parts();
    names.insert(names.end(), others.begin(), others.end());
    return names;
  }
  for (int n = 1; n <= table_.order(); ++n) names.push_back(std::to_string(n));
  return names;
}

bool ModelWriter::write(const std::string& part, Sink& sink) {
  bool is_good = true;
  if (part == "words")
    sink.bytes(word_bytes_.data(), word_bytes_.size());
  else if (part == "word_start")
    sink.bytes(word_start_.data(), word_start_.size());
  else if (part == "word_hashes")
    is_good = write_word_hashes(WordList(word_bytes_, word_start_), shape_.seed, room_, sink);
  else if (shape_.is_small)
    small_.write(part, sink);
  else
    is_good = fast_.write(std::stoi(part), sink);
  sink.flush();
  return is_good;
}

}  // namespace rosewood
