// Every kernel that was built, for the harness to choose from.
#include "abi.hpp"

#include <vector>

namespace bench {

kernels floor_kernels();
kernels block_kernels();
kernels mutex_kernels();
kernels mutex_condvar_kernels();
kernels c_api_kernels();
kernels gimmal_kernels();
kernels notify_kernels();
kernels mpsc_kernels();
kernels lanes_kernels();
#if defined(GIMMAL_BENCH_RIGTORP)
kernels rigtorp_kernels();
#endif
#if defined(GIMMAL_BENCH_BOOST)
kernels boost_kernels();
kernels boost_many_kernels();
#endif
#if defined(GIMMAL_BENCH_ATOMIC_QUEUE)
kernels atomic_queue_many_kernels();
#endif
#if defined(GIMMAL_BENCH_CONCURRENTQUEUE)
kernels concurrentqueue_kernels();
#endif
#if defined(GIMMAL_BENCH_MOODYCAMEL)
kernels moodycamel_kernels();
#endif
#if defined(GIMMAL_BENCH_ATOMIC_QUEUE)
kernels atomic_queue_kernels();
#endif
#if defined(GIMMAL_BENCH_FOLLY)
kernels folly_kernels();
#endif

namespace {

std::vector<kernel> collect() {
  std::vector<kernel> all;
  for (const kernels &each : {
           floor_kernels(),
           block_kernels(),
           mutex_kernels(),
           mutex_condvar_kernels(),
           c_api_kernels(),
           gimmal_kernels(),
           notify_kernels(),
           mpsc_kernels(),
           lanes_kernels(),
#if defined(GIMMAL_BENCH_RIGTORP)
           rigtorp_kernels(),
#endif
#if defined(GIMMAL_BENCH_BOOST)
           boost_kernels(),
           boost_many_kernels(),
#endif
#if defined(GIMMAL_BENCH_ATOMIC_QUEUE)
           atomic_queue_many_kernels(),
#endif
#if defined(GIMMAL_BENCH_CONCURRENTQUEUE)
           concurrentqueue_kernels(),
#endif
#if defined(GIMMAL_BENCH_MOODYCAMEL)
           moodycamel_kernels(),
#endif
#if defined(GIMMAL_BENCH_ATOMIC_QUEUE)
           atomic_queue_kernels(),
#endif
#if defined(GIMMAL_BENCH_FOLLY)
           folly_kernels(),
#endif
       }) {
    all.insert(all.end(), each.first, each.first + each.count);
  }
  return all;
}

} // namespace
} // namespace bench

extern "C" bench::kernels gimmal_bench_kernels() {
  static const std::vector<bench::kernel> all = bench::collect();
  return {all.data(), all.size()};
}

// Whether assertions are compiled out of the kernels.
extern "C" bool gimmal_bench_ndebug() {
#if defined(NDEBUG)
  return true;
#else
  return false;
#endif
}
