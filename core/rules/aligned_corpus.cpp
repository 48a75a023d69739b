#include "rules/aligned_corpus.hpp"

#include "util/error.hpp"

namespace rosewood {
namespace {

void check_text(const char* name, const TextView& text, std::int64_t words) {
  const auto size = static_cast<std::int64_t>(text.ids.size());
  if (text.start.empty() || text.start.front() != 0 || text.start.back() != size ||
      !std::is_sorted(text.start.begin(), text.start.end()))
    fail<RuleError>("argument.shape", "the sentences of the ", name, " do not go from 0 to ", size);
  if (size >= std::int64_t{1} << 32)
    fail<RuleError>("rules.too-large", "the ", name, " has ", size, " words, too many");
  for (std::size_t k = 0; k + 1 < text.start.size(); ++k)
    if (text.start[k + 1] - text.start[k] >= 1 << 28)
      fail<RuleError>("rules.too-long", "sentence ", k, " of the ", name, " is too long");
  for (const auto id : text.ids)
    if (id < 0 || id >= words) fail<RuleError>("argument.range", "the ", name, " has no word ", id);
}

}  // namespace

void check_corpus(const AlignedCorpus& corpus, std::int64_t source_words,
                  std::int64_t target_words) {
  check_text("source", corpus.source, source_words);
  check_text("target", corpus.target, target_words);
  if (corpus.source.size() != corpus.target.size() || corpus.source.size() != corpus.links.size())
    fail<RuleError>("argument.shape", "there are ", corpus.source.size(), " source sentences, ",
                    corpus.target.size(), " target sentences and links of ", corpus.links.size());
  for (std::int64_t k = 0; k < corpus.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto rows = corpus.source.start[at + 1] - corpus.source.start[at];
    const auto columns = corpus.target.start[at + 1] - corpus.target.start[at];
    for (auto n = static_cast<std::size_t>(corpus.links.start[at]);
         n < static_cast<std::size_t>(corpus.links.start[at + 1]); ++n)
      if (corpus.links.source[n] >= rows || corpus.links.target[n] >= columns)
        fail<RuleError>({"argument.range", "links"}, "sentence ", k, " has the link ",
                        corpus.links.source[n], "-", corpus.links.target[n], ", but ", rows,
                        " source and ", columns, " target words");
  }
}

}  // namespace rosewood
