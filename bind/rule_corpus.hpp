// bind/rule_corpus.hpp: the aligned corpus that several binding files take.
#pragma once

#include "bind.hpp"
#include "rules/aligned_corpus.hpp"

namespace rosewood::bind {

/// A corpus and the arrays it is in.
struct CorpusHandle {
  In<std::int32_t> source, target;
  In<std::int64_t> source_start, target_start;
  In<std::int64_t> link_start;
  In<std::int32_t> link_source, link_target;
  std::int64_t source_words, target_words;
  AlignedCorpus corpus;
};

}  // namespace rosewood::bind
