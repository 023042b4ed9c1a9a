// The kernels of the study of pools: objects from malloc and from a pool, given back on the same thread or on the
// other. The twin of src/study/pool/kernels.rs.

#include "../register.hpp"

#include <gimmal.hpp>

#include <cstdlib>
#include <memory>

namespace bench {
namespace {

constexpr std::size_t slots = 1024;
constexpr std::size_t passing = 256;

template <std::size_t Bytes> struct object {
  std::uint64_t word[Bytes / 8];
  // Writes nothing, as malloc does.
  object() {}
};

// A store of objects: take(), give() on any thread, keep() on the thread that took.

template <class M> struct from_malloc {
  struct taker {
    explicit taker(from_malloc &) {}
    M *take() { return static_cast<M *>(std::malloc(sizeof(M))); }
    void keep(M *object) { std::free(object); }
  };
  void give(M *object) { std::free(object); }
};

template <class M> using pool_of = gimmal::pool<M, slots>;

template <class M> struct from_pool {
  pool_of<M> pool;
  struct taker {
    pool_of<M> &pool;
    explicit taker(from_pool &from) : pool(from.pool) {}
    M *take() { return pool.emplace().release(); }
    void keep(M *object) { auto given = pool.adopt(object); }
  };
  void give(M *object) { auto given = pool.adopt(object); }
};

template <class M> struct from_owner : from_pool<M> {
  struct taker {
    pool_of<M> &pool;
    typename pool_of<M>::owner owner;
    explicit taker(from_owner &from) : pool(from.pool), owner(pool.claim_owner()) {}
    M *take() { return owner.emplace().release(); }
    void keep(M *object) { owner.give_back(pool.adopt(object)); }
  };
};

// Through the calls of the library, which check.
template <class M> struct from_call {
  std::unique_ptr<pool_of<M>> memory = std::make_unique<pool_of<M>>();
  gimmal_pool_t *pool = memory->publish();
  struct taker {
    gimmal_pool_t *pool;
    explicit taker(from_call &from) : pool(from.pool) {}
    M *take() {
      std::uint32_t index;
      void *element = nullptr;
      gimmal_pool_acquire(pool, &index, &element);
      return static_cast<M *>(element);
    }
    void keep(M *object) { gimmal_pool_release(pool, object); }
  };
  void give(M *object) { gimmal_pool_release(pool, object); }
};

// As if somebody had looked at the object.
template <class M> void look_at(M *object) { asm volatile("" : : "r"(object) : "memory"); }

template <class Store> struct alone {
  Store store;
  explicit alone(std::size_t) {}
};

template <class M, class Store, class> struct one_thread {
  using context = alone<Store>;

  static void lead(context &c, run &r) {
    typename Store::taker taker(c.store);
    std::uint64_t wrong = 0;
    const std::uint64_t messages = r.messages;
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      M *const object = taker.take();
      if (object == nullptr) {
        wrong = 1;
        break;
      }
      object->word[0] = sequence;
      look_at(object);
      wrong |= object->word[0] ^ sequence;
      taker.keep(object);
    }
    r.ticks = now() - before;
    r.wrong_led = wrong;
  }
};

template <class M, class Store> struct linked {
  alignas(line) Store store;
  gimmal::line_ring<M *, passing> ring;
  explicit linked(std::size_t) {}
};

template <class End> End claimed(End end) {
  if (!end) {
    std::abort();
  }
  return end;
}

template <class M, class Store, class Hint> struct across {
  using context = linked<M, Store>;

  static void lead(context &c, run &r) {
    typename Store::taker taker(c.store);
    auto tx = claimed(c.ring.producer());
    const std::uint64_t messages = r.messages;
    r.await_ready();
    const std::uint64_t before = now();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      M *object = taker.take();
      while (object == nullptr) {
        Hint::relax();
        object = taker.take();
      }
      object->word[0] = sequence;
      while (!tx.try_push(object)) {
        Hint::relax();
      }
    }
    r.await_finished();
    r.ticks = now() - before;
  }

  static void follow(context &c, run &r) {
    auto rx = claimed(c.ring.consumer());
    std::uint64_t wrong = 0;
    const std::uint64_t messages = r.messages;
    r.set_ready();
    for (std::uint64_t sequence = 0; sequence < messages; ++sequence) {
      M **at = rx.front();
      while (at == nullptr) {
        Hint::relax();
        at = rx.front();
      }
      M *const object = *at;
      rx.pop();
      wrong |= object->word[0] ^ sequence;
      c.store.give(object);
    }
    r.set_finished();
    r.wrong_followed = wrong;
  }
};

template <template <class> class Store, std::size_t... Bytes> constexpr auto both(const char *store, sizes<Bytes...>) {
  return std::array<kernel, 2 * sizeof...(Bytes)>{
      entry<one_thread, object<Bytes>, Store<object<Bytes>>>(store, "one thread")...,
      entry<across, object<Bytes>, Store<object<Bytes>>>(store, "across")...};
}

constexpr sizes<8, 48, 256> object_sizes{};

} // namespace
} // namespace bench

extern "C" bench::kernels gimmal_bench_pool_kernels() {
  using namespace bench;
  static constexpr auto all =
      joined(both<from_malloc>("malloc", object_sizes), both<from_pool>("pool-cpp", object_sizes),
             both<from_owner>("owner-cpp", object_sizes), both<from_call>("pool-c", object_sizes));
  return {all.data(), all.size()};
}
