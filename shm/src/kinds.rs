//! The kinds of segments as types: the last parameter of [`Producer`](crate::Producer) and [`Consumer`](crate::Consumer).

use crate::{Element, Kind};
use gimmal::policy::Segment;
use gimmal::raw::index::ByIndex;
use gimmal::raw::line::ByLine;
use gimmal::raw::mapped::{Doubt, Intent, Mapped, Place, Table};
use gimmal::raw::mpsc::ByCell;
use gimmal::raw::{Body, Cells, Protocol, SingleCells, Slots};
use gimmal::shape::{Shape, ShapeError};
use gimmal::sync::Native;
use std::ptr::NonNull;

mod sealed {
    pub trait Sealed {}
}

/// A kind of segment.
pub trait KindOf: sealed::Sealed + Sized + 'static {
    /// The kind.
    const KIND: Kind;

    /// A ring as its producer sees it.
    #[doc(hidden)]
    type Pushed<T: Element>: Body<Atomics = Native, Policy = Segment, Slot = Place> + Doubt;
    /// A ring as its consumer sees it.
    #[doc(hidden)]
    type Popped<T: Element>: Body<Atomics = Native, Policy = Segment, Slot = Place> + Doubt;
    /// How the rings publish elements.
    #[doc(hidden)]
    type Protocol<T: Element>: Protocol<Self::Pushed<T>> + Protocol<Self::Popped<T>>;

    /// The shape of a ring of this kind.
    #[doc(hidden)]
    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError>;

    /// The ring at `at`, for its consumer.
    ///
    /// # Safety
    /// The ring has this shape, is of this kind and of `T`, and stays mapped as long as the body is used.
    #[doc(hidden)]
    unsafe fn popped<T: Element>(at: NonNull<u8>, shape: &Shape) -> Self::Popped<T>;

    /// The ring at `at`, for the producer that holds this place of the table.
    ///
    /// # Safety
    /// As for [`popped`](Self::popped), and the table stays mapped as long.
    #[doc(hidden)]
    unsafe fn pushed<T: Element>(
        at: NonNull<u8>,
        shape: &Shape,
        table: &Table,
        place: usize,
    ) -> Self::Pushed<T>;

    /// Skips the oldest cell if a producer claimed it and is dead; whether it was skipped.
    #[doc(hidden)]
    fn skip_dead<T: Element>(
        table: &Table,
        end: &mut PoppingEnd<T, Self>,
        alive: impl FnMut(usize) -> bool,
    ) -> bool {
        let _ = (table, end, alive);
        false
    }
}

/// A producer's end.
#[doc(hidden)]
pub type PushingEnd<T, K> =
    <<K as KindOf>::Protocol<T> as Protocol<<K as KindOf>::Pushed<T>>>::Producer;

/// A consumer's end.
#[doc(hidden)]
pub type PoppingEnd<T, K> =
    <<K as KindOf>::Protocol<T> as Protocol<<K as KindOf>::Popped<T>>>::Consumer;

macro_rules! kind {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}

        impl sealed::Sealed for $name {}
    };
}

kind! {
    /// One producer and one consumer, by index.
    Index
}
kind! {
    /// One producer and one consumer, by line.
    Line
}
kind! {
    /// Many producers and one consumer, in one ring.
    Mpsc
}
kind! {
    /// Many producers and one consumer, each producer in a ring by line of its own.
    Lanes
}

macro_rules! one_producer_a_ring {
    ($name:ident, $protocol:ty, $geometry:ident, $shape:expr) => {
        impl KindOf for $name {
            const KIND: Kind = Kind::$name;
            type Pushed<T: Element> = Mapped<$geometry<T>>;
            type Popped<T: Element> = Mapped<$geometry<T>>;
            type Protocol<T: Element> = $protocol;

            fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError> {
                $shape(size, align, capacity)
            }

            unsafe fn popped<T: Element>(at: NonNull<u8>, shape: &Shape) -> Self::Popped<T> {
                // SAFETY: the caller's word is the same; this process touches rings through such bodies alone.
                unsafe { Mapped::new(at, $geometry::new(shape.count())) }
            }

            unsafe fn pushed<T: Element>(
                at: NonNull<u8>,
                shape: &Shape,
                _: &Table,
                _: usize,
            ) -> Self::Pushed<T> {
                // SAFETY: the caller's word is the same.
                unsafe { Self::popped(at, shape) }
            }
        }
    };
}

one_producer_a_ring!(Index, ByIndex, Slots, Shape::by_index);
one_producer_a_ring!(Line, ByLine, Cells, Shape::by_line);
one_producer_a_ring!(Lanes, ByLine, Cells, Shape::by_line);

impl KindOf for Mpsc {
    const KIND: Kind = Kind::Mpsc;
    type Pushed<T: Element> = Mapped<SingleCells<T>, Intent>;
    type Popped<T: Element> = Mapped<SingleCells<T>>;
    type Protocol<T: Element> = ByCell;

    fn shape(size: usize, align: usize, capacity: usize) -> Result<Shape, ShapeError> {
        Shape::mpsc(size, align, capacity)
    }

    unsafe fn popped<T: Element>(at: NonNull<u8>, shape: &Shape) -> Self::Popped<T> {
        // SAFETY: the caller's word is the same; this process touches rings through such bodies alone.
        unsafe { Mapped::new(at, SingleCells::new(shape.count())) }
    }

    unsafe fn pushed<T: Element>(
        at: NonNull<u8>,
        shape: &Shape,
        table: &Table,
        place: usize,
    ) -> Self::Pushed<T> {
        let intent = table
            .intent(place)
            .expect("the places held are the table's");
        // SAFETY: the caller's word is the same.
        unsafe { Self::popped(at, shape) }.declaring(intent)
    }

    fn skip_dead<T: Element>(
        table: &Table,
        end: &mut PoppingEnd<T, Self>,
        alive: impl FnMut(usize) -> bool,
    ) -> bool {
        table.skip_dead(end, alive)
    }
}
