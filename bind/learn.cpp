// bind/learn.cpp: what learners need of many forests at once.
#include "bind.hpp"

namespace rosewood::bind {

void bind_learn(nb::module_&) {}

}  // namespace rosewood::bind
