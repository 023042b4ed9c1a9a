/* The form of the control block on the target: LINE is what docs/LAYOUT.md says, 0 for packed. */

#include "gimmal.h"

#if defined(GIMMAL_PACKED)
_Static_assert(LINE == 0, "packed");
_Static_assert(sizeof(gimmal_control_t) == 36 + 5 * sizeof(size_t), "packed");
_Static_assert(_Alignof(gimmal_control_t) == _Alignof(size_t), "packed");
#else
_Static_assert(LINE == GIMMAL_LINE, "padded");
_Static_assert(sizeof(gimmal_control_t) == 3 * LINE, "padded");
_Static_assert(_Alignof(gimmal_control_t) == LINE, "padded");
#endif
_Static_assert(offsetof(gimmal_control_t, producer.stop) == offsetof(gimmal_control_t, producer.tail) + sizeof(size_t),
               "in order");
_Static_assert(offsetof(gimmal_control_t, producer.dropped) ==
                   offsetof(gimmal_control_t, producer.stop) + sizeof(size_t),
               "in order");
_Static_assert(offsetof(gimmal_control_t, consumer.seen) == offsetof(gimmal_control_t, consumer.head) + sizeof(size_t),
               "in order");
