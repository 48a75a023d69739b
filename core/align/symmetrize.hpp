// core/align/symmetrize.hpp: two alignments of each sentence into one. No Python here.
#pragma once

#include "align/links.hpp"

namespace rosewood {

/// How links of one side only are chosen, after Koehn et al. (2005).
enum class Symmetrization { intersection, join, grow_diag, grow_diag_final, grow_diag_final_and };

/// Which of the links that shut each other out comes first. `symal` is the pseudo code of the
/// paper: growing goes over what is aligned, target word by target word, and adds neighbours.
/// `atools`, the program of fast_align, goes over what might be added, source word by source word,
/// and asks whether a neighbour is aligned.
enum class Order { symal, atools };

/// Both alignments have checked links of the same sentences; `forward` is looked at first in the
/// final steps. Each sentence is by itself, so threads change nothing.
LinksArrays symmetrize(const LinksView& forward, const LinksView& backward, Symmetrization method,
                       Order order, int threads);

}  // namespace rosewood
