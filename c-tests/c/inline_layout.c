/* docs/LAYOUT.md as assertions, for any target that has a compiler: no header of a C library is needed. */

#include "gimmal_inline.h"

#define AT(field, offset) GIMMAL_STATIC_ASSERT(offsetof(gimmal_control_t, field) == (offset), #field)

#if defined(EXPECT_LINE)
GIMMAL_STATIC_ASSERT(GIMMAL_LINE == EXPECT_LINE && 1 << GIMMAL_LOG2_LINE == EXPECT_LINE, "LINE of this target");
#define PRODUCER GIMMAL_LINE
#define CONSUMER (2 * GIMMAL_LINE)
#define END (3 * GIMMAL_LINE)
#define ALIGN GIMMAL_LINE
#else
GIMMAL_STATIC_ASSERT(GIMMAL_LOG2_LINE == 0, "packed on this target");
#define PRODUCER 36
#define CONSUMER (36 + 3 * sizeof(size_t))
#define END (36 + 5 * sizeof(size_t))
#define ALIGN sizeof(size_t)
#endif
GIMMAL_STATIC_ASSERT(sizeof(size_t) == EXPECT_WORD, "the word of this target");

AT(magic, 0);
AT(version, 4);
AT(kind, 5);
AT(word_size, 6);
AT(log2_line, 7);
AT(element_size, 8);
AT(stride, 12);
AT(slots_offset, 16);
AT(log2_align, 20);
AT(log2_count, 21);
AT(per_cell, 22);
AT(producer_claimed, 24);
AT(consumer_claimed, 25);
AT(closed, 26);
AT(consumer_bell, 28);
AT(producer_bell, 32);
AT(producer.tail, PRODUCER);
AT(producer.stop, PRODUCER + sizeof(size_t));
AT(producer.dropped, PRODUCER + 2 * sizeof(size_t));
AT(consumer.head, CONSUMER);
AT(consumer.seen, CONSUMER + sizeof(size_t));
GIMMAL_STATIC_ASSERT(sizeof(gimmal_control_t) == END && GIMMAL_ALIGNOF(gimmal_control_t) == ALIGN, "the control block");
GIMMAL_STATIC_ASSERT(sizeof(gimmal_ring_t) == END && sizeof(gimmal_line_ring_t) == END && sizeof(gimmal_mpsc_t) == END,
                     "what begins a ring");
GIMMAL_STATIC_ASSERT(GIMMAL_MAGIC == 0x4C4D4D47 && GIMMAL_LAYOUT_VERSION == 1, "the magic number");
GIMMAL_STATIC_ASSERT(GIMMAL_KIND_INDEX == 1 && GIMMAL_KIND_LINE == 2 && GIMMAL_KIND_MPSC == 3, "the kinds");

/* Elements of a size: how many in a cell, and how long is that. Aligned to bytes, so that the sizes are free. */
#define ROUND(size, align) (((size) + (align) - 1) / (align) * (align))
#define ELEMENT(size, in_a_cell)                                                                                       \
  typedef struct element_##size##_t {                                                                                  \
    unsigned char bytes[size];                                                                                         \
  } element_##size##_t;                                                                                                \
  GIMMAL_RING_DEFINE(slots_##size, element_##size##_t, 4);                                                             \
  GIMMAL_LINE_RING_DEFINE(cells_##size, element_##size##_t, 100);                                                      \
  GIMMAL_MPSC_DEFINE(singles_##size, element_##size##_t, 4);                                                           \
  GIMMAL_STATIC_ASSERT(GIMMAL_PER_CELL(size, 1) == (in_a_cell), "elements in a cell");                                 \
  GIMMAL_STATIC_ASSERT(offsetof(struct slots_##size##_storage_t, slots) == END, "where slots begin");                  \
  GIMMAL_STATIC_ASSERT(offsetof(struct cells_##size##_storage_t, cells) == ROUND(END, 64), "where cells begin");       \
  GIMMAL_STATIC_ASSERT(offsetof(struct cells_##size##_cell_t, elements) == sizeof(size_t), "beside the stamp");        \
  GIMMAL_STATIC_ASSERT(sizeof(struct cells_##size##_cell_t) == ROUND(sizeof(size_t) + (in_a_cell) * (size), 64),       \
                       "the stride of cells");                                                                         \
  GIMMAL_STATIC_ASSERT(offsetof(struct singles_##size##_storage_t, cells) == ROUND(END, 64), "where cells begin");     \
  GIMMAL_STATIC_ASSERT(offsetof(struct singles_##size##_cell_t, elements) == sizeof(size_t), "beside the stamp");      \
  GIMMAL_STATIC_ASSERT(sizeof(struct singles_##size##_cell_t) == ROUND(sizeof(size_t) + (size), 64),                   \
                       "the stride of cells of one element");                                                          \
  STORAGE(slots_##size, GIMMAL_RING, element_##size##_t, 4);                                                           \
  STORAGE(cells_##size, GIMMAL_LINE_RING, element_##size##_t, 100);                                                    \
  STORAGE(singles_##size, GIMMAL_MPSC, element_##size##_t, 4)

/* What a ring's storage needs is what its static form has. */
#define STORAGE(name, kind, type, capacity)                                                                            \
  GIMMAL_STATIC_ASSERT(kind##_STORAGE_SIZE(type, capacity) == sizeof(struct name##_storage_t), "the storage's size");  \
  GIMMAL_STATIC_ASSERT(kind##_STORAGE_ALIGN(type) == GIMMAL_ALIGNOF(struct name##_storage_t), "how it is aligned")

#if EXPECT_WORD == 8
ELEMENT(1, 56);
ELEMENT(4, 14);
ELEMENT(7, 8);
ELEMENT(8, 7);
ELEMENT(28, 2);
ELEMENT(29, 1);
ELEMENT(56, 1);
ELEMENT(57, 1);
#else
ELEMENT(1, 60);
ELEMENT(4, 15);
ELEMENT(7, 8);
ELEMENT(8, 7);
ELEMENT(30, 2);
ELEMENT(31, 1);
ELEMENT(60, 1);
ELEMENT(61, 1);
#endif
ELEMENT(256, 1);

/* npot(ceil((100 - 1) / K) + 1) cells. */
GIMMAL_STATIC_ASSERT(sizeof cells_1_storage.cells / sizeof cells_1_storage.cells[0] == 4, "cells of 1 byte");
GIMMAL_STATIC_ASSERT(sizeof cells_8_storage.cells / sizeof cells_8_storage.cells[0] == 16, "cells of 8 bytes");
GIMMAL_STATIC_ASSERT(sizeof cells_256_storage.cells / sizeof cells_256_storage.cells[0] == 128, "cells of 256 bytes");
GIMMAL_STATIC_ASSERT(sizeof singles_1_storage.cells / sizeof singles_1_storage.cells[0] == 4, "single cells");

/* Over-aligned elements move the first element and the cells. */
typedef struct wide_t {
  GIMMAL_ALIGNAS(32) unsigned char bytes[32];
} wide_t;
typedef struct page_t {
  GIMMAL_ALIGNAS(4096) unsigned char bytes[4096];
} page_t;
GIMMAL_LINE_RING_DEFINE(wides, wide_t, 4);
GIMMAL_LINE_RING_DEFINE(pages, page_t, 2);
GIMMAL_RING_DEFINE(page_slots, page_t, 2);
GIMMAL_MPSC_DEFINE(single_pages, page_t, 2);
STORAGE(wides, GIMMAL_LINE_RING, wide_t, 4);
STORAGE(pages, GIMMAL_LINE_RING, page_t, 2);
STORAGE(page_slots, GIMMAL_RING, page_t, 2);
STORAGE(single_pages, GIMMAL_MPSC, page_t, 2);
GIMMAL_STATIC_ASSERT(sizeof(struct single_pages_cell_t) == 8192 && sizeof single_pages_storage == 4096 + 2 * 8192,
                     "single cells aligned to 4096");
GIMMAL_STATIC_ASSERT(sizeof(struct wides_cell_t) == 64 && offsetof(struct wides_cell_t, elements) == 32,
                     "aligned to 32");
GIMMAL_STATIC_ASSERT(sizeof(struct pages_cell_t) == 8192 && offsetof(struct pages_cell_t, elements) == 4096, "to 4096");
GIMMAL_STATIC_ASSERT(offsetof(struct pages_storage_t, cells) == 4096, "cells aligned to 4096");
GIMMAL_STATIC_ASSERT(offsetof(struct page_slots_storage_t, slots) == 4096 && sizeof page_slots_storage == 3 * 4096,
                     "slots aligned to 4096");
