// moodycamel::ReaderWriterQueue by its name and its calls: for the tests of that project, run on gimmal::spsc_queue. Each call is
// what docs/MIGRATING.md says of it.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

// What their tests use and their header brings.
#include <readerwriterqueue/atomicops.h>
#define MOODYCAMEL_HAS_EMPLACE 1

#include "gimmal.hpp"

namespace moodycamel {

template <class T, std::size_t = 512> class ReaderWriterQueue {
public:
  explicit ReaderWriterQueue(std::size_t size = 15) : queue_(std::make_unique<gimmal::spsc_queue<T>>(size)) {}

  // Both refuse where theirs allocates.
  template <class P> bool enqueue(P &&value) { return queue_->try_push(std::forward<P>(value)); }
  template <class... Args> bool emplace(Args &&...args) { return queue_->try_emplace(std::forward<Args>(args)...); }

  bool try_enqueue(const T &value) { return queue_->try_push(value); }
  bool try_enqueue(T &&value) { return queue_->try_push(std::move(value)); }
  template <class... Args> bool try_emplace(Args &&...args) { return queue_->try_emplace(std::forward<Args>(args)...); }

  template <class U> bool try_dequeue(U &value) {
    return queue_->consume_one([&](T &front) { value = std::move(front); });
  }
  T *peek() const { return queue_->front(); }
  bool pop() {
    return queue_->consume_one([](T &) {});
  }
  std::size_t size_approx() const { return queue_->size(); }
  std::size_t max_capacity() const { return queue_->capacity(); }

private:
  std::unique_ptr<gimmal::spsc_queue<T>> queue_;
};

template <class T, std::size_t = 512> class BlockingReaderWriterQueue : public ReaderWriterQueue<T> {
public:
  using ReaderWriterQueue<T>::ReaderWriterQueue;

  // Waits for room where theirs allocates.
  template <class P> bool enqueue(P &&value) {
    while (!this->try_enqueue(std::forward<P>(value))) {
      std::this_thread::yield();
    }
    return true;
  }

  template <class U> void wait_dequeue(U &value) {
    while (!this->try_dequeue(value)) {
      std::this_thread::yield();
    }
  }

  template <class U> bool wait_dequeue_timed(U &value, std::int64_t microseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    while (!this->try_dequeue(value)) {
      if (std::chrono::steady_clock::now() >= end) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }
};

} // namespace moodycamel
