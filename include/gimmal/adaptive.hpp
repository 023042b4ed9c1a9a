// Waiting that spins where a budget allows it and the arrivals are worth it, and sleeps otherwise. Part of gimmal.hpp.
//
//     auto clock = [] { return nanoseconds_of_a_steady_clock(); };
//     gimmal::wait::adaptive strategy(25, clock, gimmal::wait::park());
//     gimmal::wait::declare(rx, strategy);
//     while (gimmal::wait::pop(rx, tick, strategy) == GIMMAL_OK) { use(tick); }
//
// The twin of the Rust core's `wait::Adaptive`, to the nanosecond: after A. R. Karlin, M. S. Manasse, L. A. McGeoch and
// S. Owicki, "Competitive randomized algorithms for nonuniform problems", Algorithmica, 1994, with the quantiles of R.
// Jain and I. Chlamtac, "The P-square algorithm for dynamic calculation of quantiles and histograms without storing
// observations", Communications of the ACM, 1985. Integers with fraction bits, no allocation.

#ifndef GIMMAL_ADAPTIVE_HPP
#define GIMMAL_ADAPTIVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "wait.hpp"

namespace gimmal {
inline namespace v1 {
namespace wait {

namespace detail {

// A quantile of the latest values: five markers at the least and the greatest value, at the quantile, and half-way
// between. The counts are halved when they are full, and the extremes drawn in, so that later values weigh more.
class quantile {
public:
  explicit constexpr quantile(std::int64_t thousandths) noexcept
      : shares_{0, share(thousandths) / 2, share(thousandths), (whole + share(thousandths)) / 2, whole} {}

  // In nanoseconds; 0 before the fifth value.
  [[nodiscard]] std::uint64_t estimate() const noexcept {
    return first_ == 5 ? static_cast<std::uint64_t>(heights_[2] >> fraction) : 0;
  }

  // Takes in a value, of 2^40 at most.
  void observe(std::uint64_t nanoseconds) noexcept {
    const std::int64_t value = static_cast<std::int64_t>(nanoseconds) << fraction;
    if (first_ < 5) {
      heights_[first_++] = value;
      if (first_ == 5) {
        std::sort(heights_, heights_ + 5);
      }
      return;
    }
    heights_[0] = std::min(heights_[0], value);
    heights_[4] = std::max(heights_[4], value);
    for (int marker = 1; marker < 4; ++marker) {
      places_[marker] += value < heights_[marker] ? 1 : 0;
    }
    ++places_[4];
    for (int marker = 1; marker < 4; ++marker) {
      adjust(marker);
    }
    if (places_[4] >= full) {
      forget();
    }
  }

private:
  static constexpr int fraction = 8;
  static constexpr int place_fraction = 32;
  static constexpr std::int64_t whole = std::int64_t{1} << place_fraction;
  static constexpr std::int64_t full = 2048;

  static constexpr std::int64_t share(std::int64_t thousandths) noexcept { return thousandths * whole / 1000; }

  // Moves a marker by one place if it is a place or more from where it should be, and its neighbour leaves room.
  void adjust(int marker) noexcept {
    std::int64_t *const height = heights_ + marker;
    std::int64_t *const place = places_ + marker;
    const std::int64_t off = whole + (places_[4] - 1) * shares_[marker] - *place * whole;
    const std::int64_t above = place[1] - place[0];
    const std::int64_t below = place[0] - place[-1];
    const std::int64_t step = off >= whole && above > 1 ? 1 : off <= -whole && below > 1 ? -1 : 0;
    if (step == 0) {
      return;
    }
    const std::int64_t rise = height[1] - height[0];
    const std::int64_t fall = height[0] - height[-1];
    const std::int64_t bend = (below + step) * rise / above + (above - step) * fall / below;
    const std::int64_t curved = *height + step * bend / (above + below);
    if (height[-1] < curved && curved < height[1]) {
      *height = curved;
    } else {
      *height += step > 0 ? rise / above : -(fall / below);
    }
    *place += step;
  }

  void forget() noexcept {
    for (int marker = 1; marker < 5; ++marker) {
      places_[marker] = std::max(1 + (places_[marker] - 1) / 2, places_[marker - 1] + 1);
    }
    heights_[0] += (heights_[1] - heights_[0]) / 2;
    heights_[4] -= (heights_[4] - heights_[3]) / 2;
  }

  // Of the values that lie below each marker, as fractions.
  std::int64_t shares_[5];
  // The markers' values, with fraction bits; they rise.
  std::int64_t heights_[5] = {};
  // How many values lie at or below each marker; they rise, by 1 at least.
  std::int64_t places_[5] = {1, 2, 3, 4, 5};
  // Values seen before there are five markers.
  std::size_t first_ = 0;
};

// The mean of a stream of nanoseconds: of all values in the beginning, and weighted towards the latest ones later.
class mean {
public:
  // Takes in a value, of 2^40 at most.
  void observe(std::uint64_t nanoseconds) noexcept {
    count_ = std::min<std::int64_t>(count_ + 1, 4096);
    mean_ += ((static_cast<std::int64_t>(nanoseconds) << 16) - mean_) / count_;
  }

  // With 16 fraction bits.
  [[nodiscard]] std::uint64_t scaled() const noexcept { return mean_ > 0 ? static_cast<std::uint64_t>(mean_) : 0; }

private:
  std::int64_t mean_ = 0;
  std::int64_t count_ = 0;
};

// Every nanosecond that passes pays some hundredths in, and every nanosecond spun takes a hundred.
class account {
public:
  // The longest time whose share is saved up, in nanoseconds.
  static constexpr std::uint64_t saved = 50000000;

  explicit constexpr account(std::uint32_t percent) noexcept
      : percent_(percent < 100 ? percent : 100), credit_(most()) {}

  void pay_in(std::uint64_t now) noexcept {
    const std::uint64_t passed = now > paid_ ? std::min(now - paid_, saved) : 0;
    paid_ = now;
    credit_ = std::min(credit_ + static_cast<std::int64_t>(passed * percent_), most());
  }

  // The nanoseconds that may be spun.
  [[nodiscard]] std::uint64_t left() const noexcept {
    return credit_ > 0 ? static_cast<std::uint64_t>(credit_) / 100 : 0;
  }

  // A spin may have taken longer than what was left: that is owed, up to as much as can be saved. Only a thread that was off
  // its core owes more, and it did not spend that.
  void take(std::uint64_t spun) noexcept {
    const auto cost = static_cast<std::int64_t>(std::min(spun, 3 * saved)) * 100;
    credit_ = std::max(credit_ - cost, -most());
  }

  // Whether a mean cost is within the budget of a mean time; both in the same unit, with at most 56 bits.
  [[nodiscard]] bool affords(std::uint64_t cost, std::uint64_t time) const noexcept {
    return cost * 100 <= time * percent_;
  }

private:
  [[nodiscard]] constexpr std::int64_t most() const noexcept { return static_cast<std::int64_t>(saved * percent_); }

  std::uint64_t percent_;
  // Below 0 if a spin took longer than it might.
  std::int64_t credit_;
  // When it was last paid into.
  std::uint64_t paid_ = 0;
};

} // namespace detail

// Spins where that buys the median wait within a budget, and sleeps as another strategy does otherwise and afterwards.
//
// The budget is the share of a core, in per cent, that may be spent on spinning; what the sleeps take comes on top. How
// long to spin is learnt from the waits: the whole of almost every wait if the budget allows it, else up to the median
// wait, else not at all. It follows a change of the arrivals within some thousand waits. `C` gives the nanoseconds of a
// clock that never runs back, and should cost less than 50 ns. Whoever wakes it is what wakes `S`.
template <class C, class S> class adaptive {
public:
  // More than 100 per cent is taken for 100, and with 0 it never spins.
  adaptive(std::uint32_t percent, C clock, S sleep)
      : clock_(std::move(clock)), sleep_(std::move(sleep)), account_(percent) {}

  // How long a wait is worth spinning for, in nanoseconds, as far as is known now; 0 if it is not worth it.
  [[nodiscard]] std::uint64_t spin() const noexcept {
    const std::uint64_t between = between_.scaled();
    if (account_.affords(high_cost_.scaled(), between)) {
      return high_limit();
    }
    return account_.affords(median_cost_.scaled(), between) ? median_limit() : 0;
  }

  template <class D, class P> bool wait(std::uint32_t *bell, D &left, P &&poll) {
    // A wait that is none teaches nothing and costs nothing.
    if (poll()) {
      return true;
    }
    const std::uint64_t began = clock_();
    learn(began);
    account_.pay_in(began);
    const std::uint64_t limit = std::min(spin(), account_.left());
    std::uint64_t spun = 0;
    while (spun < limit) {
      for (std::uint64_t polls = 1; polls <= batch; ++polls) {
        if (poll()) {
          if (unseen_ >= most_unseen) {
            saw(since(began), spun, polls);
          }
          // Else no look at the clock: the element would wait for it.
          ++unseen_;
          spun += (look_ * polls + batch - 1) / batch;
          account_.take(spun);
          remember(began, spun);
          return true;
        }
        relax();
      }
      const std::uint64_t now = since(began);
      saw(now, spun, batch);
      spun = now;
      if (left() == 0) {
        break;
      }
    }
    account_.take(spun);
    const bool found = sleep_.wait(bell, left, poll);
    remember(began, since(began));
    return found;
  }

  // Says in the bell how it will sleep.
  void declare(std::uint32_t *bell) { sleep_.declare(bell); }

private:
  // Polls between two looks at the clock.
  static constexpr std::uint64_t batch = 32;

  // Spins in a row that may end before the first look; then one pays for a look, so that the time of a poll is known.
  static constexpr std::uint32_t most_unseen = 1000;

  // Longer waits count as this long: 18 minutes, which leaves room for the fractions.
  static constexpr std::uint64_t longest = std::uint64_t{1} << 40;

  // Half as long again as almost all waits.
  [[nodiscard]] std::uint64_t high_limit() const noexcept { return high_.estimate() + high_.estimate() / 2; }

  // A little longer than half of the waits.
  [[nodiscard]] std::uint64_t median_limit() const noexcept { return median_.estimate() + median_.estimate() / 8; }

  [[nodiscard]] std::uint64_t since(std::uint64_t began) {
    const std::uint64_t now = clock_();
    return now > began ? now - began : 0;
  }

  // Takes in what the polls since `before` took.
  void saw(std::uint64_t now, std::uint64_t before, std::uint64_t polls) noexcept {
    look_ = std::min(now > before ? now - before : 0, longest) * batch / polls;
    unseen_ = 0;
  }

  void remember(std::uint64_t began, std::uint64_t took) noexcept {
    began_ = began;
    took_ = took;
    has_last_ = true;
  }

  // Takes in the last wait, now that another begins.
  void learn(std::uint64_t now) noexcept {
    if (!std::exchange(has_last_, false)) {
      return;
    }
    const std::uint64_t took = std::min(took_, longest);
    median_.observe(took);
    high_.observe(took);
    // Longer than is saved up: one such pause must not seem to pay for a thousand spins.
    between_.observe(now > began_ ? std::min(now - began_, detail::account::saved) : 0);
    median_cost_.observe(std::min(took, median_limit()));
    high_cost_.observe(std::min(took, high_limit()));
  }

  C clock_;
  S sleep_;
  detail::account account_;
  detail::quantile median_{500};
  detail::quantile high_{950};
  // From the start of one wait to the start of the next.
  detail::mean between_;
  // What spins up to the limits for the median and for the high quantile would have cost.
  detail::mean median_cost_;
  detail::mean high_cost_;
  // Nanoseconds between two looks at the clock while it spins, as last measured.
  std::uint64_t look_ = 0;
  // Spins that have ended since.
  std::uint32_t unseen_ = most_unseen;
  // The last wait: when it began, and how long it took.
  std::uint64_t began_ = 0;
  std::uint64_t took_ = 0;
  bool has_last_ = false;
};

} // namespace wait
} // namespace v1
} // namespace gimmal

#endif // GIMMAL_ADAPTIVE_HPP
