// How much less a test does under ThreadSanitizer.

#ifndef GIMMAL_TEST_SLOWER_HPP
#define GIMMAL_TEST_SLOWER_HPP

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
constexpr std::size_t slower = 4;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr std::size_t slower = 4;
#else
constexpr std::size_t slower = 1;
#endif
#else
constexpr std::size_t slower = 1;
#endif

#endif // GIMMAL_TEST_SLOWER_HPP
