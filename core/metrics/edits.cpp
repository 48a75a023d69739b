// core/metrics/edits.cpp: edit distance, 64 symbols of the reference at a time.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "metrics/statistics.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// Myers (1999), in blocks as Hyyrö (2003): bits say where the distance grows or falls down a
/// column of the table, so a symbol of the hypothesis costs one step for 64 of the reference.
class EditDistance {
 public:
  void set_reference(std::span<const SymbolId> reference) {
    length_ = reference.size();
    blocks_ = (length_ + 63) / 64;
    row_.clear();
    mask_.assign(blocks_, 0);  // row 0: symbols that the reference does not have
    for (std::size_t i = 0; i < length_; ++i) {
      const auto [place, fresh] = row_.try_emplace(reference[i], mask_.size() / blocks_);
      if (fresh) mask_.resize(mask_.size() + blocks_, 0);
      mask_[place->second * blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  std::size_t operator()(std::span<const SymbolId> text) {
    if (length_ == 0) return text.size();
    up_.assign(blocks_, ~std::uint64_t{0});
    down_.assign(blocks_, 0);
    std::size_t distance = length_;
    const int top = static_cast<int>((length_ - 1) % 64);
    for (const SymbolId symbol : text) {
      const auto found = row_.find(symbol);
      const std::uint64_t* mask = &mask_[found == row_.end() ? 0 : found->second * blocks_];
      std::uint64_t grows = 1, falls = 0;  // along the row above the block
      for (std::size_t b = 0; b < blocks_; ++b) {
        const std::uint64_t up = up_[b], down = down_[b], equal = mask[b] | falls;
        const std::uint64_t vertical = mask[b] | down;
        const std::uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
        std::uint64_t more = down | ~(diagonal | up), less = up & diagonal;
        if (b + 1 == blocks_) distance += ((more >> top) & 1) - ((less >> top) & 1);
        const std::uint64_t carry_more = more >> 63, carry_less = less >> 63;
        more = (more << 1) | grows;
        less = (less << 1) | falls;
        up_[b] = less | ~(vertical | more);
        down_[b] = more & vertical;
        grows = carry_more;
        falls = carry_less;
      }
    }
    return distance;
  }

 private:
  std::size_t length_ = 0, blocks_ = 0;
  std::unordered_map<SymbolId, std::size_t> row_;
  std::vector<std::uint64_t> mask_, up_, down_;
};

}  // namespace

void edit_statistics(const Sentences& sentences, const Texts& hypotheses, const Texts& references,
                     int threads, std::span<double> statistics) {
  parallel_for(sentences.size(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    EditDistance distance;
    for (std::int64_t g = first; g < last; ++g) {
      const std::int64_t begin = sentences.reference_start[g];
      for (std::int64_t r = begin; r < sentences.reference_start[g + 1]; ++r) {
        distance.set_reference(references[r]);
        const auto length = static_cast<double>(references[r].size());
        for (std::int64_t h = sentences.hypothesis_start[g]; h < sentences.hypothesis_start[g + 1];
             ++h) {
          double* row = statistics.data() + 2 * h;
          const auto edits = static_cast<double>(distance(hypotheses[h]));
          if (r == begin || edits < row[0] || (edits == row[0] && length > row[1])) {
            row[0] = edits;
            row[1] = length;
          }
        }
      }
    }
  });
}

}  // namespace rosewood
