// core/learn/oscar_order.cpp
#include "learn/oscar_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rosewood {

namespace {

constexpr BlockOrder::Node nobody = -1;
constexpr double never = std::numeric_limits<double>::infinity();

/// Calls body with each array of a chunk.
template <class Chunk, class Body>
void for_columns(Chunk& chunk, Body&& body) {
  body(chunk.line);
  body(chunk.rank);
  body(chunk.offset);
  body(chunk.meeting);
  body(chunk.count);
  body(chunk.node);
}

}  // namespace

// -- chunks ---------------------------------------------------------------------------------------

BlockOrder::Chunk& BlockOrder::add_chunk(std::size_t c) {
  const auto place = static_cast<std::ptrdiff_t>(c);
  std::unique_ptr<Chunk> fresh;
  if (spare_.empty()) {
    fresh = std::make_unique<Chunk>();
  } else {
    fresh = std::move(spare_.back());
    spare_.pop_back();
  }
  fresh->size = 0;
  fresh->node.fill(nobody);
  chunks_.insert(chunks_.begin() + place, std::move(fresh));
  shared_.insert(shared_.begin() + place, Shared{});
  bound_.insert(bound_.begin() + place, never);
  for (std::size_t i = c; i < chunks_.size(); ++i) chunks_[i]->order = static_cast<std::int32_t>(i);
  return *chunks_[c];
}

void BlockOrder::drop_chunk(std::size_t c) {
  const auto place = static_cast<std::ptrdiff_t>(c);
  spare_.push_back(std::move(chunks_[c]));
  chunks_.erase(chunks_.begin() + place);
  shared_.erase(shared_.begin() + place);
  bound_.erase(bound_.begin() + place);
  for (std::size_t i = c; i < chunks_.size(); ++i) chunks_[i]->order = static_cast<std::int32_t>(i);
}

/// The blocks from `first` on go to the end of another chunk.
void BlockOrder::move_blocks(Chunk& from, std::int32_t first, Chunk& to) {
  const Shared old = shared_[from.order], now = shared_[to.order];
  for (std::int32_t i = first; i < from.size; ++i, ++to.size) {
    to.line[to.size] = from.line[i] + old.line - now.line;
    to.rank[to.size] = from.rank[i] + old.rank - now.rank;
    to.offset[to.size] = from.offset[i] + old.offset - now.offset;
    to.meeting[to.size] = from.meeting[i];
    to.count[to.size] = from.count[i];
    to.node[to.size] = from.node[i];
    homes_[from.node[i]] = {&to, to.size};
    from.node[i] = nobody;
  }
  bound_[to.order] = std::min(bound_[to.order], bound_[from.order]);
  from.size = first;
}

/// Room for a block before `place`; where it now is.
BlockOrder::Home BlockOrder::open(Home place) {
  if (place.chunk->size == Chunk::most) {
    Chunk& old = *place.chunk;
    Chunk& fresh = add_chunk(static_cast<std::size_t>(old.order) + 1);
    shared_[fresh.order] = shared_[old.order];
    move_blocks(old, Chunk::most / 2, fresh);
    if (place.at > old.size) place = {&fresh, place.at - old.size};
  }
  Chunk& chunk = *place.chunk;
  for_columns(chunk, [&](auto& column) {
    const auto first = column.begin(), end = first + chunk.size;
    std::copy_backward(first + place.at, end, end + 1);
  });
  ++chunk.size;
  ++blocks_;
  return place;
}

void BlockOrder::erase(Home h) {
  Chunk& chunk = *h.chunk;
  const bool was_last = is_last(h);
  for_columns(chunk, [&](auto& column) {
    const auto first = column.begin();
    std::copy(first + h.at + 1, first + chunk.size, first + h.at);
  });
  chunk.node[--chunk.size] = nobody;
  --blocks_;
  const auto c = static_cast<std::size_t>(chunk.order);
  Home before{nullptr, 0};
  if (h.at > 0)
    before = {&chunk, h.at - 1};
  else if (c > 0)
    before = {chunks_[c - 1].get(), chunks_[c - 1]->size - 1};
  const Node left = before.chunk ? before.chunk->node[before.at] : 0;
  if (chunk.size == 0) {
    drop_chunk(c);
  } else if (chunk.size < Chunk::most / 4 && c > 0 &&
             chunks_[c - 1]->size + chunk.size <= Chunk::most / 2) {
    move_blocks(chunk, 0, *chunks_[c - 1]);
    drop_chunk(c);
  }
  if (!before.chunk) return;
  if (was_last)
    home(left).chunk->meeting[home(left).at] = never;
  else
    watch(home(left));
}

// -- lines ----------------------------------------------------------------------------------------

/// The line, the rank and the sum of a block from now on.
void BlockOrder::set(Home h, double size, double rank, double total) {
  const Shared& common = shared(h);
  const double slope = -penalty_.rate(rank);
  const double line = size - slope * now_;
  h.chunk->rank[h.at] = rank - common.rank;
  h.chunk->line[h.at] = line - common.line;
  h.chunk->offset[h.at] = total - line * steps_ - slope * sum_ - common.offset;
}

/// Other ranks for blocks in [first, last): slopes change, sizes and sums do not.
void BlockOrder::shift(Home first, Home last, double ranks) {
  const double line = -penalty_.lambda2 * now_ * ranks;
  const double offset = penalty_.lambda2 * (now_ * steps_ - sum_) * ranks;
  const auto some = [&](Chunk& chunk, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i) {
      chunk.rank[i] += ranks;
      chunk.line[i] += line;
      chunk.offset[i] += offset;
    }
  };
  const std::int32_t c = first.chunk->order, end = last.chunk->order;
  if (c == end) return some(*first.chunk, first.at, last.at);
  some(*first.chunk, first.at, first.chunk->size);
  for (std::int32_t i = c + 1; i < end; ++i) {
    shared_[i].rank += ranks;
    shared_[i].line += line;
    shared_[i].offset += offset;
  }
  some(*last.chunk, 0, last.at);
}

/// The rank of a single feature before `place`.
double BlockOrder::rank_at(Home place) const {
  if (is_first(place)) return 1.0;
  const Home above = previous(place);
  return rank(above) + 0.5 * (above.chunk->count[above.at] + 1);
}

/// A block of one feature passes others of its chunk, whose ranks have changed already.
void BlockOrder::rotate(Home h, std::int32_t to, double size, double rank) {
  Chunk& chunk = *h.chunk;
  const double sum = total(h);
  const auto turn = [&](auto& array) {
    const auto begin = array.begin();
    if (to < h.at)
      std::rotate(begin + to, begin + h.at, begin + h.at + 1);
    else
      std::rotate(begin + h.at, begin + h.at + 1, begin + to + 1);
  };
  turn(chunk.line);
  turn(chunk.rank);
  turn(chunk.offset);
  turn(chunk.meeting);
  turn(chunk.count);
  turn(chunk.node);
  set({&chunk, to}, size, rank, sum);
  watch_around({&chunk, to});
  if (to < h.at)
    watch(h);
  else if (!is_first(h))
    watch(previous(h));
}

// -- meetings -------------------------------------------------------------------------------------

/// Computes when a block meets the next one.
void BlockOrder::watch(Home h) {
  double meeting = never;
  if (!is_last(h)) {
    const Home below = next(h);
    const double gap = value(h) - value(below);
    const double closing =
        0.5 * penalty_.lambda2 * (h.chunk->count[h.at] + below.chunk->count[below.at]);
    if (gap <= 0.0)
      meeting = now_;
    else if (closing > 0.0)
      meeting = now_ + gap / closing;
  }
  h.chunk->meeting[h.at] = meeting;
  double& bound = bound_[h.chunk->order];
  bound = std::min(bound, meeting);
  first_meeting_ = std::min(first_meeting_, meeting);
}

void BlockOrder::watch_around(Home h) {
  if (!is_first(h)) watch(previous(h));
  watch(h);
}

/// A block and the next one become one, in the place of the first.
BlockOrder::Home BlockOrder::merge(Home first, Owner& owner) {
  const Home second = next(first);
  const Node a = first.chunk->node[first.at], b = second.chunk->node[second.at];
  const double m = first.chunk->count[first.at], n = second.chunk->count[second.at];
  const double x = value(first), y = value(second);
  const double size = std::clamp(x + (y - x) * (n / (m + n)), std::min(x, y), std::max(x, y));
  const double rank = this->rank(first) + 0.5 * n;
  const Node kept = owner.merge(a, b);
  const double sum = total(kept == a ? first : second);
  first.chunk->count[first.at] += second.chunk->count[second.at];
  first.chunk->node[first.at] = kept;
  homes_[kept == a ? b : a] = {nullptr, 0};
  homes_[kept] = first;
  set(first, size, rank, sum);
  erase(second);
  return home(kept);
}

/// Merges blocks that have met the next one, and whatever these meet then.
void BlockOrder::pool(Owner& owner) {
  due_.clear();
  first_meeting_ = never;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    if (bound_[c] <= now_) {
      const Chunk& chunk = *chunks_[c];
      double least = never;
      for (std::int32_t i = 0; i < chunk.size; ++i) {
        if (chunk.meeting[i] <= now_)
          due_.push_back(chunk.node[i]);
        else
          least = std::min(least, chunk.meeting[i]);
      }
      bound_[c] = least;
    }
    first_meeting_ = std::min(first_meeting_, bound_[c]);
  }
  for (const Node node : due_) {
    if (homes_[node].chunk == nullptr) continue;  // another block has taken it in
    Home h = home(node);
    while (true) {
      if (!is_last(h) && value(h) <= value(next(h)))
        h = merge(h, owner);
      else if (!is_first(h) && value(previous(h)) <= value(h))
        h = merge(previous(h), owner);
      else
        break;
    }
    watch_around(h);
  }
}

// -- what the owner asks for ----------------------------------------------------------------------

/// Where a block of this size is or belongs: before it, all are larger.
BlockOrder::Home BlockOrder::find(double size, const Chunk* hint) const {
  // The first chunk whose last block is not larger: in steps that double, then in halves.
  const auto c = static_cast<std::size_t>(hint->order), all = chunks_.size();
  std::size_t low = 0, high = all, stride = 1;
  if (last_value(c) > size) {
    for (low = c + 1; low + stride < all && last_value(low + stride - 1) > size; stride *= 2)
      low += stride;
    high = std::min(all, low + stride);
  } else {
    for (high = c; high >= stride && !(last_value(high - stride) > size); stride *= 2)
      high -= stride;
    low = high >= stride ? high - stride + 1 : 0;
  }
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (last_value(middle) > size)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == chunks_.size()) return {chunks_.back().get(), chunks_.back()->size};
  Chunk* chunk = chunks_[low].get();
  // Without branches: where a feature goes, nobody can guess.
  const Shared& common = shared_[low];
  std::int32_t begin = 0;
  for (std::int32_t left = chunk->size - 1; left > 0;) {
    const std::int32_t half = left / 2, at = begin + half;
    const double found =
        chunk->line[at] + common.line - penalty_.rate(chunk->rank[at] + common.rank) * now_;
    const bool is_larger = found > size;
    begin += is_larger ? half + 1 : 0;
    left = is_larger ? left - half - 1 : half;
  }
  return {chunk, begin};
}

/// A block of so many features before `place`; its sum is 0.
void BlockOrder::create(Home place, Node node, double size, double rank, std::int32_t features) {
  if (node >= std::ssize(homes_)) homes_.resize(2 * static_cast<std::size_t>(node) + 16);
  const Home h = open(place);
  h.chunk->count[h.at] = features;
  h.chunk->node[h.at] = node;
  homes_[node] = h;
  set(h, size, rank, 0.0);
  watch_around(h);
}

void BlockOrder::append(Node node, double size, std::int32_t features) {
  double rank = 0.5 * (features + 1);
  if (chunks_.empty()) {
    add_chunk(0);
  } else {
    const Home last = back();
    rank += this->rank(last) + 0.5 * (last.chunk->count[last.at] - 1);
  }
  create(end(), node, size, rank, features);
}

BlockOrder::Node BlockOrder::enter(double size, Node fresh) {
  if (chunks_.empty()) {
    append(fresh, size, 1);
    return fresh;
  }
  // Features of one pair often enter with the same size.
  const bool is_again = homes_[entered_].chunk != nullptr && value(home(entered_)) == size;
  const Home place = is_again ? home(entered_) : find(size, chunks_.back().get());
  if (is_again || (is_there(place) && value(place) == size)) {
    shift_one(place, 0.5);
    shift(after(place), end(), 1.0);
    ++place.chunk->count[place.at];
    watch_around(place);
    return place.chunk->node[place.at];
  }
  const double rank = rank_at(place);
  shift(place, end(), 1.0);
  create(place, fresh, size, rank, 1);
  return entered_ = fresh;
}

BlockOrder::Node BlockOrder::move(Node node, double size, Node fresh) {
  const Home h = home(node);
  const double before = value(h);
  if (size == before) return node;
  std::int32_t& count = h.chunk->count[h.at];
  if (count == 1 && (is_first(h) || value(previous(h)) > size) &&
      (is_last(h) || value(next(h)) < size)) {
    set(h, size, rank(h), total(h));
    watch_around(h);
    return node;
  }
  const Home place = find(size, h.chunk);
  const bool joins = is_there(place) && value(place) == size;
  double rank = 0.0;
  --count;
  // By place, not by size: rounding may leave neighbours in the wrong order until they merge.
  if (is_not_below(place, h)) {
    rank = rank_at(place);
    shift(joins ? after(place) : place, h, 1.0);
    shift_one(h, 0.5);
    if (joins) shift_one(place, 0.5);
  } else {
    shift(after(h), place, -1.0);
    shift_one(h, -0.5);
    rank = rank_at(place);
    if (joins) shift_one(place, -0.5);
  }
  Node found = fresh;
  if (count == 0 && !joins && place.chunk == h.chunk) {
    count = 1;
    rotate(h, place.at > h.at ? place.at - 1 : place.at, size, rank);
    return node;
  }
  if (joins) {
    ++place.chunk->count[place.at];
    found = place.chunk->node[place.at];
    watch_around(place);
  } else {
    create(place, fresh, size, rank, 1);
  }
  close(node);
  return found;
}

void BlockOrder::leave(Node node) {
  const Home h = home(node);
  shift_one(h, -0.5);
  shift(after(h), end(), -1.0);
  --h.chunk->count[h.at];
  close(node);
}

/// A block that a feature has left: it goes if that was the last one.
void BlockOrder::close(Node node) {
  const Home h = home(node);
  if (h.chunk->count[h.at] > 0) return watch_around(h);
  homes_[node] = {nullptr, 0};
  erase(h);
}

void BlockOrder::shrink(double eta, Owner& owner) {
  now_ += eta;
  if (first_meeting_ <= now_) pool(owner);
  while (!chunks_.empty()) {
    const Home last = back();
    if (value(last) > 0.0) break;
    const Node node = last.chunk->node[last.at];
    owner.end(node);
    homes_[node] = {nullptr, 0};
    erase(last);
  }
  steps_ += 1.0;
  sum_ += now_;
}

}  // namespace rosewood
