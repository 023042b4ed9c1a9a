/* The doorbell, by which a sleeper and whoever wakes it do not miss each other. Part of gimmal_inline.h.
 *
 * The twin of the Rust core's `wait::Bell`: a sleeper arms the bell and looks at the ring once more; the other end
 * publishes and then looks at the bell. Between its store and its load each needs a full fence. A sleeper that has the
 * kernel run the fence on the other end's processor declares that in the bell; to ring it is one load then.
 */

#ifndef GIMMAL_BELL_H
#define GIMMAL_BELL_H

/* Somebody sleeps, or is about to. */
#define GIMMAL_BELL_ARMED ((uint32_t)1)
/* The sleeper fences for both. */
#define GIMMAL_BELL_DECLARED ((uint32_t)2)
/* What no bell holds. */
#define GIMMAL_BELL_NEVER UINT32_MAX

/* The value of a bell at which a ringer need do nothing: if a sleeper's barrier reaches the ringer's thread, that
 * nobody sleeps whose barrier does not. A notifier keeps it, so that a ring is one comparison. */
GIMMAL_CONSTANT uint32_t gimmal_bell_quiet(bool reached) { return reached ? GIMMAL_BELL_DECLARED : GIMMAL_BELL_NEVER; }

/* Arms the bell in `mode`, which is GIMMAL_BELL_DECLARED or 0. The look at the ring that must follow comes after a
 * fence: this one's, or in the mode GIMMAL_BELL_DECLARED the one that the caller has every thread execute. */
GIMMAL_INLINE void gimmal_bell_arm(uint32_t *bell, uint32_t mode) {
  /* Relaxed: pairs with the loads in gimmal_bell_ring, ordered by the fences on both sides. */
  GIMMAL_STORE(*bell, GIMMAL_BELL_ARMED | mode, GIMMAL_RELAXED);
  if (mode == 0) {
    GIMMAL_THREAD_FENCE(GIMMAL_SEQ_CST);
  }
}

/* Disarms the bell, and declares `mode`. */
GIMMAL_INLINE void gimmal_bell_disarm(uint32_t *bell, uint32_t mode) {
  /* Relaxed: a ring that misses it wakes nobody. */
  GIMMAL_STORE(*bell, mode, GIMMAL_RELAXED);
}

/* Whether the last sleeper fenced for both. */
GIMMAL_INLINE bool gimmal_bell_is_declared(const uint32_t *bell) {
  /* Relaxed: a hint. */
  return (GIMMAL_LOAD(*bell, GIMMAL_RELAXED) & GIMMAL_BELL_DECLARED) != 0;
}

/* Whether somebody sleeps whom the caller must wake now; the bell is disarmed then. */
GIMMAL_COLD bool gimmal_bell_must_wake(uint32_t *bell, bool reached) {
  /* Relaxed: pairs with the store in gimmal_bell_arm; the fence orders it behind the publishing store where the
   * sleeper's barrier does not. */
  uint32_t seen = GIMMAL_LOAD(*bell, GIMMAL_RELAXED);
  if (!reached || (seen & GIMMAL_BELL_DECLARED) == 0) {
    GIMMAL_THREAD_FENCE(GIMMAL_SEQ_CST);
    seen = GIMMAL_LOAD(*bell, GIMMAL_RELAXED);
  }
  if ((seen & GIMMAL_BELL_ARMED) == 0) {
    return false;
  }
  /* Relaxed: a sleeper that woke by itself meanwhile arms again before it sleeps, and does not sleep if the word
   * changed. What was declared stays so: a later sleeper of another kind must withdraw it. */
  GIMMAL_STORE(*bell, seen & GIMMAL_BELL_DECLARED, GIMMAL_RELAXED);
  return true;
}

/* After something was published: whether somebody sleeps whom the caller must wake. `quiet` is that of
 * gimmal_bell_quiet. */
GIMMAL_INLINE bool gimmal_bell_ring(uint32_t *bell, uint32_t quiet) {
  /* The load stays behind the publishing store in the program. In the machine the sleeper's barrier sees to that. */
  GIMMAL_SIGNAL_FENCE(GIMMAL_SEQ_CST);
  /* Relaxed: pairs with the store in gimmal_bell_arm. */
  if (GIMMAL_UNLIKELY(GIMMAL_LOAD(*bell, GIMMAL_RELAXED) != quiet)) {
    return gimmal_bell_must_wake(bell, quiet == GIMMAL_BELL_DECLARED);
  }
  return false;
}

#endif /* GIMMAL_BELL_H */
