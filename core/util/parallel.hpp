// core/util/parallel.hpp: split a range over threads. What a piece computes must not depend on
// where the cuts fall, so that results are the same at any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
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

/// Calls body(state, block) once for each block in [0, blocks), in any order, on up to `threads`
/// threads; each thread has a state of its own, made by make(). For pieces of uneven cost: whoever
/// is free takes the next one. After an exception no further blocks are begun, and that of the
/// first block which had one is thrown again here: it is the same at any number of threads.
template <class Make, class Body>
void parallel_blocks(std::int64_t blocks, int threads, Make&& make, Body&& body) {
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t failed = blocks;
  std::exception_ptr error;
  const std::int64_t workers =
      std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(1, blocks));
  parallel_for(workers, static_cast<int>(workers), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t worker = begin; worker < end; ++worker) {
      auto state = make();
      for (std::int64_t block = next++; block < blocks; block = next++) {
        try {
          body(state, block);
        } catch (...) {
          next = blocks;
          const std::lock_guard held(mutex);
          if (block < failed) {
            failed = block;
            error = std::current_exception();
          }
        }
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace rosewood
