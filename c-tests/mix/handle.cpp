// The ends as handles of gimmal.hpp.

#include "mix.h"

#include "gimmal.hpp"

#include <new>

namespace {

template <class Ring> struct handles {
  using T = typename Ring::value_type;
  using view = typename Ring::view_type;
  using producer = typename view::producer_type;
  using consumer = typename view::consumer_type;
  static_assert(sizeof(producer) <= sizeof(mix_state_t) && sizeof(consumer) <= sizeof(mix_state_t));

  template <class Handle> static Handle &in(mix_state_t *state) {
    return *std::launder(reinterpret_cast<Handle *>(state->bytes));
  }

  template <class Handle> static gimmal_status_t keep(mix_state_t *state, const view &ring, Handle handle) {
    if (!ring) {
      return ring.status();
    }
    ::new (state->bytes) Handle(std::move(handle));
    return in<Handle>(state) ? GIMMAL_OK : GIMMAL_BUSY;
  }

  static gimmal_status_t lay_out(void *memory, size_t size) {
    if (size < sizeof(Ring)) {
      return GIMMAL_TOO_SMALL;
    }
    return (::new (memory) Ring)->view().status();
  }

  static gimmal_status_t claim_producer(mix_state_t *state, void *memory, size_t size) {
    const view ring(memory, size);
    return keep(state, ring, ring.producer());
  }

  static gimmal_status_t refused(const producer &tx) { return tx.closed() ? GIMMAL_CLOSED : GIMMAL_FULL; }

  static gimmal_status_t push(mix_state_t *state, const void *element) {
    producer &tx = in<producer>(state);
    return tx.try_push(*static_cast<const T *>(element)) ? GIMMAL_OK : refused(tx);
  }

  static gimmal_status_t push_n(mix_state_t *state, const void *elements, size_t count, size_t *pushed) {
    producer &tx = in<producer>(state);
    const size_t done = tx.push_n(static_cast<const T *>(elements), count);
    if (done == 0) {
      return refused(tx);
    }
    *pushed = done;
    return GIMMAL_OK;
  }

  static gimmal_status_t reserve(mix_state_t *state, size_t count, gimmal_spans_t *spans) {
    const auto room = in<producer>(state).reserve(count);
    if (room.status == GIMMAL_OK) {
      *spans = {room.first.data(), room.first.size(), room.second.data(), room.second.size()};
    }
    return room.status;
  }

  static gimmal_status_t commit(mix_state_t *state, size_t count) {
    in<producer>(state).commit(count);
    return GIMMAL_OK;
  }

  static void release_producer(mix_state_t *state) { in<producer>(state).~producer(); }

  static gimmal_status_t claim_consumer(mix_state_t *state, void *memory, size_t size) {
    const view ring(memory, size);
    return keep(state, ring, ring.consumer());
  }

  static gimmal_status_t pop(mix_state_t *state, void *element) {
    return in<consumer>(state).try_pop(*static_cast<T *>(element)) ? GIMMAL_OK : GIMMAL_EMPTY;
  }

  static gimmal_status_t peek(mix_state_t *state, void *element) {
    const T *front = in<consumer>(state).front();
    if (front == nullptr) {
      return GIMMAL_EMPTY;
    }
    *static_cast<T *>(element) = *front;
    return GIMMAL_OK;
  }

  static gimmal_status_t pop_n(mix_state_t *state, void *elements, size_t count, size_t *popped) {
    const size_t done = in<consumer>(state).pop_n(static_cast<T *>(elements), count);
    if (done == 0) {
      return GIMMAL_EMPTY;
    }
    *popped = done;
    return GIMMAL_OK;
  }

  static gimmal_status_t read(mix_state_t *state, size_t count, gimmal_spans_t *spans) {
    const auto held = in<consumer>(state).read(count);
    if (held.empty()) {
      return GIMMAL_EMPTY;
    }
    *spans = {held.first.data(), held.first.size(), held.second.data(), held.second.size()};
    return GIMMAL_OK;
  }

  static gimmal_status_t release(mix_state_t *state, size_t count) {
    in<consumer>(state).release(count);
    return GIMMAL_OK;
  }

  static void release_consumer(mix_state_t *state) { in<consumer>(state).~consumer(); }

  static constexpr mix_end_t end = {sizeof(T), alignof(T), lay_out,          claim_producer,  push, push_n,
                                    reserve,   commit,     release_producer, claim_consumer,  pop,  peek,
                                    pop_n,     read,       release,          release_consumer};

  // Of many producers.
  static constexpr mix_end_t one_by_one = {sizeof(T), alignof(T), lay_out,          claim_producer,  push, nullptr,
                                           nullptr,   nullptr,    release_producer, claim_consumer,  pop,  peek,
                                           pop_n,     nullptr,    nullptr,          release_consumer};
};

} // namespace

#define HANDLE_RING_END(size) handles<gimmal::ring<mix_##size##_t, MIX_CAPACITY>>::end,
#define HANDLE_LINE_RING_END(size) handles<gimmal::line_ring<mix_##size##_t, MIX_CAPACITY>>::end,
#define HANDLE_MPSC_END(size) handles<gimmal::mpsc<mix_##size##_t, MIX_CAPACITY>>::one_by_one,

extern "C" {
extern const mix_end_t MIX_TABLE(handle, ring)[MIX_COUNT];
extern const mix_end_t MIX_TABLE(handle, line_ring)[MIX_COUNT];
extern const mix_end_t MIX_TABLE(handle, mpsc)[MIX_COUNT];
const mix_end_t MIX_TABLE(handle, ring)[MIX_COUNT] = {MIX_ELEMENTS(HANDLE_RING_END)};
const mix_end_t MIX_TABLE(handle, line_ring)[MIX_COUNT] = {MIX_ELEMENTS(HANDLE_LINE_RING_END)};
const mix_end_t MIX_TABLE(handle, mpsc)[MIX_COUNT] = {MIX_ELEMENTS(HANDLE_MPSC_END)};
}
