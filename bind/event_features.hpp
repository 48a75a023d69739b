// bind/event_features.hpp: a reordering model and the arrays it is in.
#pragma once

#include <memory>

#include "bind.hpp"
#include "reorder/linear_model.hpp"

namespace rosewood::bind {

struct LinearHandle {
  std::vector<nb::object> kept;
  std::unique_ptr<LinearReordering> model;
};

}  // namespace rosewood::bind
