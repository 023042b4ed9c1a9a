// Every function of the two ends and of a view, on one thread: both kinds, several capacities, at zero and below the
// wrap.

#include "heap_ring.hpp"
#include "payload.hpp"

#include <cstdio>
#include <vector>

namespace {

template <class T, std::uint8_t Kind> class suite {
public:
  suite(std::size_t asked, std::size_t place) : asked_(asked), ring_(asked, place), view_(ring_.view()) {}

  void run() {
    CHECK(view_ && view_.status() == GIMMAL_OK);
    CHECK(view_.capacity() >= asked_ && view_.c_ring() != nullptr);
    claims();
    tx_ = view_.producer();
    rx_ = view_.consumer();
    for (int lap = 0; lap < 5; ++lap) {
      singles();
      offers();
      batches();
      spans();
      in_place();
      move_of_handles();
    }
    closing();
  }

private:
  T next() { return T(pushed_++); }

  void take(const T &value) { value.check(popped_++); }

  // However much the consumer holds back, `capacity` elements go in, and then `full` says what a push finds.
  std::size_t fill() {
    std::size_t count = 0;
    while (!tx_.full()) {
      CHECK(tx_.try_push(next()));
      CHECK(tx_.size() == ++count && !rx_.empty());
    }
    CHECK(count >= tx_.capacity() && view_.full());
    CHECK(!tx_.try_push(T(0)) && !tx_.try_emplace(0u));
    CHECK(tx_.size() == count && view_.size() == count);
    return count;
  }

  void empty() {
    while (auto value = rx_.try_pop()) {
      take(*value);
    }
    CHECK(rx_.empty() && view_.empty() && rx_.size() == 0 && popped_ == pushed_);
    T untouched(7);
    CHECK(!rx_.try_pop(untouched) && untouched.number() == T(7).number());
    CHECK(rx_.front() == nullptr && !rx_.pop() && !rx_.consume_one([](T &) { CHECK(false); }));
  }

  void claims() {
    auto tx = view_.producer();
    auto rx = view_.consumer();
    CHECK(tx && rx && !view_.producer() && !view_.consumer());
    CHECK(tx.has_consumer() && rx.has_producer());
    rx.reset();
    CHECK(!tx.has_consumer());
    rx = view_.consumer();
    CHECK(tx.has_consumer());
    tx.reset();
    CHECK(!rx.has_producer());
    rx.reset();
    CHECK(!tx && !rx && view_.producer() && view_.consumer());
  }

  void singles() {
    const std::size_t count = fill();
    for (std::size_t i = 0; i < count / 2; ++i) {
      T *front = rx_.front();
      CHECK(front != nullptr && front == rx_.front());
      take(*front);
      CHECK(rx_.pop());
    }
    T value;
    if (rx_.try_pop(value)) {
      take(value);
    }
    empty();
  }

  void offers() {
    const std::size_t before = view_.dropped();
    fill();
    const T lost(1);
    CHECK(!tx_.offer(lost) && !tx_.offer(T(2)));
    CHECK(tx_.dropped() == before + 2 && rx_.dropped() == before + 2 && view_.dropped() == before + 2);
    empty();
    CHECK(tx_.offer(next()) && view_.dropped() == before + 2);
    empty();
  }

  // Batches of every length, from every place in the ring.
  void batches() {
    const std::size_t most = tx_.capacity() + 3;
    for (std::size_t length = 0; length <= most; length = length < 20 ? length + 1 : length * 2) {
      std::vector<T> batch;
      for (std::size_t i = 0; i < length; ++i) {
        batch.emplace_back(pushed_ + i);
      }
      const std::size_t in = tx_.push_n(batch.data(), length);
      CHECK(in <= length && (in == length || tx_.full()) && rx_.ready() == in);
      pushed_ += in;
      std::vector<T> out(length + 1);
      CHECK(rx_.pop_n(out.data(), length) == in);
      for (std::size_t i = 0; i < in; ++i) {
        take(out[i]);
      }
      CHECK(rx_.empty());
    }
    fill();
    std::vector<T> none(3, T(0));
    CHECK(tx_.push_n(none.data(), 3) == 0);
    empty();
    CHECK(rx_.pop_n(none.data(), 3) == 0);
  }

  void spans() {
    const auto too_large = tx_.reserve(tx_.capacity() + 1);
    CHECK(!too_large && too_large.status == GIMMAL_TOO_LARGE);
    for (std::size_t want = 1; want <= tx_.capacity(); want = want < 20 ? want + 1 : want * 2) {
      // What is not committed is not published, and is there again.
      T *const abandoned = &tx_.reserve(want)[0];
      const auto room = tx_.reserve(want);
      CHECK(room.status == GIMMAL_OK && &room[0] == abandoned && rx_.empty());
      CHECK(Kind == GIMMAL_KIND_LINE || room.size() == want);
      CHECK(room.size() >= 1 && room.size() <= want);
      for (std::size_t i = 0; i < room.size(); ++i) {
        room[i] = T(pushed_ + i);
      }
      const std::size_t half = (room.size() + 1) / 2;
      CHECK(tx_.commit(half));
      pushed_ += half;
      CHECK(rx_.read(want).size() == half);
      CHECK(rx_.read(1).size() == 1);
      const auto held = rx_.read(half);
      std::size_t i = 0;
      for (const auto &part : {held.first, held.second}) {
        for (T &value : part) {
          value.check(popped_ + i++);
        }
      }
      CHECK(i == half && !held.empty());
      CHECK(rx_.release(half));
      popped_ += half;
      CHECK(rx_.read(want).empty());
    }
    CHECK(tx_.commit(0) && rx_.release(0));
    fill();
    const auto none = tx_.reserve(1);
    CHECK(none.empty() && none.status == GIMMAL_FULL);
    empty();
  }

  void in_place() {
    const std::size_t count = fill();
    CHECK(rx_.consume_one([&](T &value) { take(value); }));
    CHECK(rx_.consume_all([&](T &value) { take(value); }) == count - 1);
    empty();
  }

  // An end that moves, or that is given back and claimed again, goes on where it was.
  void move_of_handles() {
    for (int i = 0; i < 9; ++i) {
      auto tx = std::move(tx_);
      CHECK(tx && !tx_);
      (void)tx.offer(next());
      tx_ = std::move(tx);
      tx_.reset();
      rx_.reset();
      at_rest();
      tx_ = view_.producer();
      rx_ = view_.consumer();
      if (i % 3 != 0) {
        CHECK(rx_.consume_one([&](T &value) { take(value); }) || tx_.full());
      }
      if (rx_.ready() >= tx_.capacity()) {
        empty();
      }
    }
    empty();
  }

  // What an end that is given back leaves for any other party.
  void at_rest() {
    constexpr gimmal_shape_t shape = heap_ring<T, Kind>::shape;
    const gimmal_control_t &c = *ring_.control();
    CHECK(c.producer_claimed == 0 && c.consumer_claimed == 0 && ring_.view().size() == pushed_ - popped_);
    if (Kind == GIMMAL_KIND_INDEX) {
      CHECK(c.producer.tail - c.producer.stop <= view_.capacity());
      CHECK(c.consumer.seen - c.consumer.head <= pushed_ - popped_);
      return;
    }
    const std::size_t mask = gimmal_mask(&c, shape);
    const std::size_t tail = c.producer.tail;
    const std::size_t head = c.consumer.head;
    const bool owned = gimmal_stamp_at(&c, shape, mask, tail) == gimmal_stamp(tail, mask);
    CHECK(c.producer.stop == tail || (shape.per_cell > 1 && owned && c.producer.stop == gimmal_next_cell(tail)));
    CHECK(c.consumer.seen == head || (shape.per_cell > 1 && c.consumer.seen - head <= pushed_ - popped_));
    CHECK(gimmal_position(tail) < shape.per_cell && gimmal_position(head) < shape.per_cell);
  }

  void closing() {
    CHECK(tx_.try_push(next()) && !tx_.closed() && !view_.closed());
    rx_.close();
    CHECK(tx_.closed() && rx_.closed() && view_.closed());
    CHECK(!tx_.try_push(T(0)) && tx_.push_n(nullptr, 0) == 0 && tx_.reserve(1).status == GIMMAL_CLOSED);
    T value;
    CHECK(rx_.try_pop(value) && !rx_.try_pop(value));
    view_.close();
    tx_.close();
    CHECK(view_.closed());
  }

  std::size_t asked_;
  heap_ring<T, Kind> ring_;
  typename heap_ring<T, Kind>::view_type view_;
  typename decltype(view_)::producer_type tx_;
  typename decltype(view_)::consumer_type rx_;
  std::uint64_t pushed_ = 0;
  std::uint64_t popped_ = 0;
};

template <std::size_t Size> void both_kinds() {
  for (std::size_t capacity : {1u, 2u, 64u, 4096u}) {
    for (std::size_t place : {std::size_t{0}, SIZE_MAX, SIZE_MAX - 2}) {
      suite<payload<Size>, GIMMAL_KIND_INDEX>(capacity, place).run();
      suite<payload<Size>, GIMMAL_KIND_LINE>(capacity, place).run();
    }
  }
  for (std::size_t capacity : {3u, 10u, 100u}) {
    suite<payload<Size>, GIMMAL_KIND_LINE>(capacity, 0).run();
  }
}

} // namespace

int main() {
  both_kinds<1>();
  both_kinds<8>();
  both_kinds<24>();
  both_kinds<48>();
  both_kinds<57>();
  std::puts("ok");
}
