// core/forest/scaled_passes.hpp: inside and outside values of log weights, optimised. The same
// values as those of inside<ScaledReal>() and outside<ScaledReal>(), in loops without branches:
// exponentials of many edges at once, then, for each node, products and their largest exponent,
// then a sum. No Python here.
#pragma once

#include <span>

#include "forest/view.hpp"
#include "semiring/scaled.hpp"

namespace rosewood {

/// value[v], normalised. NaN and +inf among the log weights are refused.
void scaled_inside(const ForestView& f, std::span<const double> log_weight,
                   std::span<Scaled> value);

/// The same, and share[e]: the part of its head's value that comes from edge e.
void scaled_inside(const ForestView& f, std::span<const double> log_weight, std::span<Scaled> value,
                   std::span<double> share);

/// out[v] = the derivative of value[root] with respect to value[v]; `value` as scaled_inside() gave
/// it.
void scaled_outside(const ForestView& f, std::span<const double> log_weight,
                    std::span<const Scaled> value, std::span<Scaled> out);

}  // namespace rosewood
