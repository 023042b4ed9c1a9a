// gimmal.hpp: lock-free rings for C++17 and later, with the byte layout that Rust and C programs share
// (docs/LAYOUT.md).
//
//     static gimmal::line_ring<tick, 1024> ticks;       // all zeros, in .bss; nothing to initialise
//
//     auto tx = ticks.producer();                       // one thread
//     tx.try_push(tick{...});
//
//     auto rx = ticks.consumer();                       // another
//     while (tick *t = rx.front()) { use(*t); rx.pop(); }
//
// ring, line_ring            rings whose capacity is known when they are compiled
// mpsc                       such a ring for any number of producers
// ring_view, line_ring_view, mpsc_view
//                            rings laid out elsewhere: by Rust, by C, in shared memory
// pool, pool_view            slots for objects that pass between threads by handle, and those laid out elsewhere
// spsc_queue                 a queue on the heap, with rigtorp::SPSCQueue's interface and beside it the batches and
//                            counts of boost::lockfree::spsc_queue; gimmal/spsc_queue.hpp tells how they differ
// wait::park and others      ways to wait at a ring, and to wake who waits: gimmal/wait.hpp
//
// Header only; works without exceptions and without RTTI. Every ring has one consumer at a time and, but for mpsc, one
// producer; nothing else but the observers may be called by other threads.

#ifndef GIMMAL_HPP
#define GIMMAL_HPP

#if __cplusplus < 201703L
#error "gimmal.hpp needs C++17 or later: -std=c++17"
#endif

#include "gimmal/adaptive.hpp"
#include "gimmal/mpsc.hpp"
#include "gimmal/pool.hpp"
#include "gimmal/ring.hpp"
#include "gimmal/spsc_queue.hpp"
#include "gimmal/wait.hpp"

#endif // GIMMAL_HPP
