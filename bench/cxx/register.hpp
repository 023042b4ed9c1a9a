// From an adapter to the table of its kernels.
#pragma once

#include "kernel.hpp"
#include "one_way.hpp"

#include <array>

namespace bench {

template <class Context> void *create(std::size_t capacity) { return new Context(capacity); }
template <class Context> void destroy(void *context) { delete static_cast<Context *>(context); }

// Everything that a kernel calls is inlined in it. A handle that is passed by address to one function that is not stays
// in memory for the whole loop.
template <class Context, void (*Side)(Context &, run &)> [[gnu::flatten]] void call(void *context, run *r) {
  Side(*static_cast<Context *>(context), *r);
}

template <class Kernel, class = void> struct as_sides {
  static constexpr sides value{call<typename Kernel::context, Kernel::lead>, nullptr};
};
template <class Kernel> struct as_sides<Kernel, std::void_t<decltype(&Kernel::follow)>> {
  using context = typename Kernel::context;
  static constexpr sides value{call<context, Kernel::lead>, call<context, Kernel::follow>};
};

template <template <class, class, class> class Kernel, class M, class Queue>
constexpr kernel entry(const char *queue, const char *benchmark, std::uint32_t capacity = 0) {
  using context = typename Kernel<M, Queue, no_hint>::context;
  return {queue,
          benchmark,
          static_cast<std::uint32_t>(sizeof(M)),
          capacity,
          create<context>,
          destroy<context>,
          {as_sides<Kernel<M, Queue, no_hint>>::value, as_sides<Kernel<M, Queue, pause_hint>>::value,
           as_sides<Kernel<M, Queue, lfence_hint>>::value}};
}

// Sizes of message, in bytes, that there are kernels for.
template <std::size_t... Bytes> struct sizes {};
inline constexpr sizes<8, 48, 256> all_sizes{};

// Several lists as one.
template <class... Lists> constexpr auto joined(const Lists &...lists) {
  std::array<kernel, (std::tuple_size<Lists>::value + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto &list) {
    for (const kernel &each : list) {
      all[at++] = each;
    }
  };
  (append(lists), ...);
  return all;
}

// Every benchmark but one, for a queue whose pop waits for a message: it would wait for ever. The capacity is 0 for a queue
// that takes any.
template <template <class> class Queue, std::size_t... Bytes>
constexpr auto all_but_pop_empty(const char *queue, std::uint32_t capacity, sizes<Bytes...>) {
  return std::array<kernel, 5 * sizeof...(Bytes)>{
      entry<round_trip, message<Bytes>, Queue<message<Bytes>>>(queue, "round_trip", capacity)...,
      entry<one_way, message<Bytes>, Queue<message<Bytes>>>(queue, "one_way", capacity)...,
      entry<throughput, message<Bytes>, Queue<message<Bytes>>>(queue, "throughput", capacity)...,
      entry<bulk_copied, message<Bytes>, Queue<message<Bytes>>>(queue, "bulk_throughput", capacity)...,
      entry<single_thread, message<Bytes>, Queue<message<Bytes>>>(queue, "single_thread", capacity)...};
}

// Every benchmark, for a queue that copies its batches.
template <template <class> class Queue, std::size_t... Bytes>
constexpr auto every_benchmark(const char *queue, std::uint32_t capacity, sizes<Bytes...> all) {
  return joined(all_but_pop_empty<Queue>(queue, capacity, all),
                std::array<kernel, sizeof...(Bytes)>{
                    entry<pop_empty, message<Bytes>, Queue<message<Bytes>>>(queue, "pop_empty", capacity)...});
}

// The lists of a queue whose capacity is a constant of its type, for every capacity that is measured.
template <template <std::size_t> class Fixed> constexpr auto each_capacity() {
  return joined(Fixed<2>::list(), Fixed<64>::list(), Fixed<1024>::list(), Fixed<65536>::list());
}

// The throughput of small messages in memory that nobody has touched, for the study of a queue as long as the run.
template <template <class> class Queue> constexpr auto as_long_as_the_run(const char *queue) {
  return std::array<kernel, 1>{
      entry<throughput_untouched, message<8>, Queue<message<8>>>(queue, "throughput_untouched")};
}

// The one benchmark that a queue is filled and read in place for.
template <template <class> class Queue, std::size_t... Bytes>
constexpr auto bulk_only(const char *queue, sizes<Bytes...>) {
  return std::array<kernel, sizeof...(Bytes)>{
      entry<bulk_in_place, message<Bytes>, Queue<message<Bytes>>>(queue, "bulk_throughput")...};
}

} // namespace bench
