// bind/large_features.hpp: the large feature set, and the segmenters it reads from.
#pragma once

#include "bind.hpp"
#include "corpus/segmenter.hpp"
#include "decode/large_features.hpp"

namespace rosewood::bind {

struct LargeFeaturesHandle {
  std::vector<nb::object> kept;
  LargeFeatures features;
};

}  // namespace rosewood::bind
