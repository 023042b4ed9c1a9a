//! The table of functions that stands for one language's ends, and the tables of all languages: `mix/mix.h`.

use super::place::Place;
use gimmal_ffi::{gimmal_spans_t, gimmal_status_t, GIMMAL_OK};

use std::ffi::c_void;

/// Room for a handle of any language.
#[repr(C, align(16))]
pub struct State([u8; 128]);

type Claim = unsafe extern "C" fn(*mut State, *mut c_void, usize) -> gimmal_status_t;
type Spans = unsafe extern "C" fn(*mut State, usize, *mut gimmal_spans_t) -> gimmal_status_t;
type Count = unsafe extern "C" fn(*mut State, usize) -> gimmal_status_t;
type PushN = unsafe extern "C" fn(*mut State, *const c_void, usize, *mut usize) -> gimmal_status_t;
type GiveBack = unsafe extern "C" fn(*mut State);

/// One language's ends of rings of one kind and element; what a kind does not have is none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct End {
    pub element_size: usize,
    pub element_align: usize,
    pub lay_out: unsafe extern "C" fn(*mut c_void, usize) -> gimmal_status_t,
    pub claim_producer: Claim,
    pub push: unsafe extern "C" fn(*mut State, *const c_void) -> gimmal_status_t,
    pub push_n: Option<PushN>,
    pub reserve: Option<Spans>,
    pub commit: Option<Count>,
    pub release_producer: GiveBack,
    pub claim_consumer: Claim,
    pub pop: unsafe extern "C" fn(*mut State, *mut c_void) -> gimmal_status_t,
    pub peek: unsafe extern "C" fn(*mut State, *mut c_void) -> gimmal_status_t,
    pub pop_n: unsafe extern "C" fn(*mut State, *mut c_void, usize, *mut usize) -> gimmal_status_t,
    pub read: Option<Spans>,
    pub release: Option<Count>,
    pub release_consumer: GiveBack,
}

/// By index, by line, or by line for many producers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ring,
    LineRing,
    Mpsc,
}

pub const KINDS: [Kind; 3] = [Kind::Ring, Kind::LineRing, Kind::Mpsc];

/// How many elements there are in `mix/mix.h`.
pub const ELEMENTS: usize = 7;

/// The elements that every ring of the tests holds for certain.
pub const CAPACITY: usize = 16;

/// A language, as a compiler of it sees it: its ends of every kind for each of the elements.
#[derive(Clone, Copy)]
pub struct Language {
    pub name: &'static str,
    tables: [&'static [End; ELEMENTS]; 3],
}

impl Language {
    pub const fn new(
        name: &'static str,
        ring: &'static [End; ELEMENTS],
        line: &'static [End; ELEMENTS],
        mpsc: &'static [End; ELEMENTS],
    ) -> Self {
        Self {
            name,
            tables: [ring, line, mpsc],
        }
    }

    pub fn end(&self, kind: Kind, element: usize) -> End {
        self.tables[kind as usize][element]
    }
}

macro_rules! languages {
    ($($(#[$attribute:meta])* $function:ident: $name:literal, $ring:ident, $line:ident, $mpsc:ident;)*) => {$(
        $(#[$attribute])*
        pub fn $function() -> Language {
            extern "C" {
                static $ring: [End; ELEMENTS];
                static $line: [End; ELEMENTS];
                static $mpsc: [End; ELEMENTS];
            }
            // SAFETY: the tables are constants of this type, compiled from `mix/`.
            unsafe { Language::new($name, &$ring, &$line, &$mpsc) }
        }
    )*};
}

languages! {
    call: "C call", mix_call_default_ring, mix_call_default_line_ring, mix_call_default_mpsc;
    inline: "C inline", mix_inline_default_ring, mix_inline_default_line_ring, mix_inline_default_mpsc;
    cpp: "C++", mix_handle_default_ring, mix_handle_default_line_ring, mix_handle_default_mpsc;
    #[cfg(mix_clang)]
    inline_clang: "C inline by clang", mix_inline_clang_ring, mix_inline_clang_line_ring, mix_inline_clang_mpsc;
    #[cfg(mix_clang)]
    cpp_clang: "C++ by clang", mix_handle_clang_ring, mix_handle_clang_line_ring, mix_handle_clang_mpsc;
}

/// One end of a ring, held through a table; it is given back when this is dropped.
pub struct Held {
    pub end: End,
    state: Box<State>,
    give_back: GiveBack,
}

impl Held {
    /// Claims the producer's end of a ring, or joins its producers.
    pub fn producer(end: End, ring: &Place) -> Self {
        Self::claim(end, ring, end.claim_producer, end.release_producer)
    }

    /// Claims the consumer's end of a ring.
    pub fn consumer(end: End, ring: &Place) -> Self {
        Self::claim(end, ring, end.claim_consumer, end.release_consumer)
    }

    fn claim(end: End, ring: &Place, claim: Claim, give_back: GiveBack) -> Self {
        let mut state = Box::new(State([0; 128]));
        // SAFETY: the memory is the place's own, and the state has room for any handle.
        let status = unsafe { claim(&mut *state, ring.memory(), ring.size()) };
        assert_eq!(status, GIMMAL_OK, "claiming an end");
        Self {
            end,
            state,
            give_back,
        }
    }

    /// Where the handle lies.
    pub fn state(&mut self) -> *mut State {
        &mut *self.state
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the end was claimed into the state, and is not used after this.
        unsafe { (self.give_back)(&mut *self.state) }
    }
}
