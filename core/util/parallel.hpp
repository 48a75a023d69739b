// core/util/parallel.hpp: split a range over threads. What a piece computes must not depend on
// where the cuts fall, so that results are the same at any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace rosewood {

/// Calls body(begin, end) on contiguous pieces of [0, n), at least `grain` long, in up to `threads`
/// threads. The first exception, in the order of the pieces, is thrown again here.
template <class Body>
void parallel_for(std::int64_t n, int threads, std::int64_t grain, Body&& body) {
  const std::int64_t most = std::max<std::int64_t>(1, n / std::max<std::int64_t>(1, grain));
  const std::int64_t pieces = std::clamp<std::int64_t>(threads, 1, most);
  if (pieces == 1) {
    body(std::int64_t{0}, n);
    return;
  }
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(pieces));
  auto run = [&](std::int64_t piece) {
    try {
      body(n * piece / pieces, n * (piece + 1) / pieces);
    } catch (...) {
      errors[static_cast<std::size_t>(piece)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(pieces - 1));
  try {
    for (std::int64_t piece = 1; piece < pieces; ++piece) others.emplace_back(run, piece);
  } catch (...) {  // no more threads to be had: the rest is done here
    for (auto piece = static_cast<std::int64_t>(others.size()) + 1; piece < pieces; ++piece)
      run(piece);
  }
  run(0);
  for (auto& thread : others) thread.join();
  for (auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace rosewood
