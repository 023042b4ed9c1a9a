/* The arithmetic of the layout: what follows from an element's size and alignment, and from a place in a ring. Part of
 * gimmal_inline.h. Nothing here touches memory; the shapes fold to constants.
 */

#ifndef GIMMAL_SHAPE_H
#define GIMMAL_SHAPE_H

/* A cell is this long, and aligned to it, unless its element is larger. */
#define GIMMAL_CELL_SIZE ((size_t)64)

typedef struct gimmal_shape_t {
  uint8_t kind;
  size_t size;         /* of an element */
  size_t align;        /* of an element */
  size_t per_cell;     /* K: elements in a cell; 1 by index */
  size_t first;        /* where the elements begin in a cell; 0 by index */
  size_t stride;       /* from one slot or cell to the next */
  size_t slots_align;  /* of the slots or cells */
  size_t slots_offset; /* where they begin in the ring */
  bool single_core;    /* both ends run on one core: barriers bind the compiler only */
  size_t bare_count;   /* by index: the slots, if the ring is bare; otherwise 0 */
} gimmal_shape_t;

#define GIMMAL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define GIMMAL_MIN(a, b) ((a) < (b) ? (a) : (b))

/* `align` is a power of two. */
#define GIMMAL_ROUND_UP(size, align) (((size) + ((align) - 1)) & ~((size_t)(align) - 1))

/* Where a cell's elements begin, and how many there are, for elements of this size and alignment. */
#define GIMMAL_FIRST(align) GIMMAL_MAX(sizeof(size_t), align)
#define GIMMAL_PER_CELL(size, align)                                                                                   \
  (GIMMAL_FIRST(align) + (size) > GIMMAL_CELL_SIZE ? 1 : (GIMMAL_CELL_SIZE - GIMMAL_FIRST(align)) / (size))

GIMMAL_CONSTANT size_t gimmal_max(size_t a, size_t b) { return GIMMAL_MAX(a, b); }

GIMMAL_CONSTANT size_t gimmal_min(size_t a, size_t b) { return GIMMAL_MIN(a, b); }

GIMMAL_CONSTANT size_t gimmal_round_up(size_t size, size_t align) { return GIMMAL_ROUND_UP(size, align); }

GIMMAL_CONSTANT gimmal_shape_t gimmal_shape_by_index(size_t size, size_t align) {
  gimmal_shape_t shape = {GIMMAL_KIND_INDEX, size, align, 1, 0, size, align, 0, false, 0};
  shape.slots_offset = gimmal_round_up(sizeof(gimmal_control_t), align);
  return shape;
}

GIMMAL_CONSTANT gimmal_shape_t gimmal_shape_by_line(size_t size, size_t align) {
  gimmal_shape_t shape = {GIMMAL_KIND_LINE, size, align, 0, 0, 0, 0, 0, false, 0};
  shape.per_cell = GIMMAL_PER_CELL(size, align);
  shape.first = GIMMAL_FIRST(align);
  shape.slots_align = gimmal_max(GIMMAL_CELL_SIZE, align);
  shape.stride = gimmal_round_up(shape.first + shape.per_cell * size, shape.slots_align);
  shape.slots_offset = gimmal_round_up(sizeof(gimmal_control_t), shape.slots_align);
  return shape;
}

/* As by line, with one element in a cell. */
GIMMAL_CONSTANT gimmal_shape_t gimmal_shape_mpsc(size_t size, size_t align) {
  gimmal_shape_t shape = gimmal_shape_by_line(size, align);
  shape.kind = GIMMAL_KIND_MPSC;
  shape.per_cell = 1;
  shape.stride = gimmal_round_up(shape.first + size, shape.slots_align);
  return shape;
}

/* The same ring, both of whose ends run on one core. */
GIMMAL_CONSTANT gimmal_shape_t gimmal_shape_single_core(gimmal_shape_t shape) {
  shape.single_core = true;
  return shape;
}

/* A ring by index with `count` slots whose ends run on one core and do not look whether it is closed: the twin of the
 * Rust core's policy `Bare`. An end that is resumed at every call keeps no copy of the other's index, which it would
 * have to load and store; Rust's handle, which stays, does. */
GIMMAL_CONSTANT gimmal_shape_t gimmal_shape_bare(size_t size, size_t align, size_t count) {
  gimmal_shape_t shape = gimmal_shape_single_core(gimmal_shape_by_index(size, align));
  shape.bare_count = count;
  return shape;
}

/* ---- Cursors and stamps. A `mask` here is the bits of an index or cursor that choose the slot or cell. ---- */

/* One cell further, as a cursor. */
#define GIMMAL_CELL ((size_t)256)

GIMMAL_CONSTANT size_t gimmal_position(size_t cursor) { return cursor & (GIMMAL_CELL - 1); }

GIMMAL_CONSTANT size_t gimmal_cell_start(size_t cursor) { return cursor & ~(GIMMAL_CELL - 1); }

GIMMAL_CONSTANT size_t gimmal_next_cell(size_t cursor) { return (cursor | (GIMMAL_CELL - 1)) + 1; }

/* The stamp of a cell whose published elements end at `cursor`. */
GIMMAL_CONSTANT size_t gimmal_stamp(size_t cursor, size_t mask) { return cursor & ~mask; }

/* The cursor that `stamp` stands for in the cell of `cursor`. */
GIMMAL_CONSTANT size_t gimmal_published(size_t stamp, size_t cursor, size_t mask) { return stamp | (cursor & mask); }

/* The stamp by which the cell of `cursor` is handed back for the next lap. */
GIMMAL_CONSTANT size_t gimmal_handed_back(size_t cursor, size_t mask) {
  /* All bits below the lap set, and one more: the carry is the next lap. */
  return (cursor | mask | (GIMMAL_CELL - 1)) + 1;
}

/* The cursor `count` elements after `cursor`. */
GIMMAL_CONSTANT size_t gimmal_advance(size_t cursor, size_t count, size_t per_cell) {
  return gimmal_cell_start(cursor) + (gimmal_position(cursor) + count) / per_cell * GIMMAL_CELL +
         (gimmal_position(cursor) + count) % per_cell;
}

/* Elements from cursor `head` to cursor `tail`, 0 if `tail` is behind. */
GIMMAL_CONSTANT size_t gimmal_elements_between(size_t head, size_t tail, size_t per_cell) {
  size_t cells = (gimmal_cell_start(tail) - gimmal_cell_start(head)) / GIMMAL_CELL;
  size_t elements = cells * per_cell + gimmal_position(tail) - gimmal_position(head);
  return cells > SIZE_MAX / (2 * GIMMAL_CELL) || elements > SIZE_MAX / 2 ? 0 : elements;
}

#endif /* GIMMAL_SHAPE_H */
