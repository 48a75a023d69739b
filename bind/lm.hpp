// bind/lm.hpp: language models as Python holds them: what several binding files take.
#pragma once

#include "bind.hpp"
#include "lm/model.hpp"
#include "text.hpp"

namespace rosewood::bind {

/// A model and the array of its file, which it reads from.
struct LanguageModelHandle {
  Bytes file;
  LanguageModel model;
};

}  // namespace rosewood::bind
