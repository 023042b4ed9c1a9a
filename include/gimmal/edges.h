/* The memory ordering of each edge of the protocols. Part of gimmal_inline.h.
 *
 * An edge is a store of one party and the load of another that reads it. Each is named once, here, as in the Rust
 * core's module `raw`, and used under its name; docs/ORDERING.md says what each is for and where it is used. They can
 * be overridden for the negative controls in c-tests only: a program that weakens one is broken.
 */

#ifndef GIMMAL_EDGES_H
#define GIMMAL_EDGES_H

/* A published element: a stamp by line, `tail` by index. Pairs with OBSERVE. */
#ifndef GIMMAL_ORDER_PUBLISH
#define GIMMAL_ORDER_PUBLISH GIMMAL_RELEASE
#endif
/* The consumer's load of a stamp or of `tail`. Pairs with PUBLISH. */
#ifndef GIMMAL_ORDER_OBSERVE
#define GIMMAL_ORDER_OBSERVE GIMMAL_ACQUIRE
#endif
/* Slots given back: a stamp by line, `head` by index. Pairs with REUSE. */
#ifndef GIMMAL_ORDER_HAND_BACK
#define GIMMAL_ORDER_HAND_BACK GIMMAL_RELEASE
#endif
/* The producer's load of a stamp or of `head`. Pairs with HAND_BACK. */
#ifndef GIMMAL_ORDER_REUSE
#define GIMMAL_ORDER_REUSE GIMMAL_ACQUIRE
#endif
/* With many producers, a load of `tail`. Pairs with RELAY. */
#ifndef GIMMAL_ORDER_FOLLOW
#define GIMMAL_ORDER_FOLLOW GIMMAL_ACQUIRE
#endif
/* With many producers, the exchange of `tail` by which a cell is claimed: what the claimer knew of the cells, and what
 * those before it did. Pairs with itself and with FOLLOW. */
#ifndef GIMMAL_ORDER_RELAY
#define GIMMAL_ORDER_RELAY GIMMAL_ACQUIRE_RELEASE
#endif
/* An end given back to be claimed again. Pairs with CLAIM. */
#ifndef GIMMAL_ORDER_GIVE_UP
#define GIMMAL_ORDER_GIVE_UP GIMMAL_RELEASE
#endif
/* The exchange by which an end is claimed, and the load that sees whether it is. Pairs with GIVE_UP. */
#ifndef GIMMAL_ORDER_CLAIM
#define GIMMAL_ORDER_CLAIM GIMMAL_ACQUIRE
#endif
/* The store that closes a ring. Pairs with SEE_CLOSED. */
#ifndef GIMMAL_ORDER_CLOSE
#define GIMMAL_ORDER_CLOSE GIMMAL_RELEASE
#endif
/* The load by which a consumer learns that nothing more will come. Pairs with CLOSE. */
#ifndef GIMMAL_ORDER_SEE_CLOSED
#define GIMMAL_ORDER_SEE_CLOSED GIMMAL_ACQUIRE
#endif
/* The geometry stated: the store of `magic`. Pairs with LEARN. */
#ifndef GIMMAL_ORDER_STATE
#define GIMMAL_ORDER_STATE GIMMAL_RELEASE
#endif
/* The load of `magic` before the geometry is used. Pairs with STATE. */
#ifndef GIMMAL_ORDER_LEARN
#define GIMMAL_ORDER_LEARN GIMMAL_ACQUIRE
#endif
/* A slot of a pool given back: the exchange of the stack's word. Pairs with TAKE. */
#ifndef GIMMAL_ORDER_PUT
#define GIMMAL_ORDER_PUT GIMMAL_RELEASE
#endif
/* The load of the stack's word by who takes a slot. Pairs with PUT. */
#ifndef GIMMAL_ORDER_TAKE
#define GIMMAL_ORDER_TAKE GIMMAL_ACQUIRE
#endif

#endif /* GIMMAL_EDGES_H */
