//! Every kernel of both languages.

use crate::abi::Kernel;
use crate::catalog::{CONTROL, REFERENCE};
use crate::plan::Group;
use crate::{cxx, kernels, queues};
use std::ffi::CStr;

/// The kernels to choose from.
pub struct Registry {
    kernels: Vec<Kernel>,
}

impl Registry {
    /// All that were built.
    pub fn new() -> Self {
        let mut all = cxx::kernels().to_vec();
        all.extend(kernels::floor::KERNELS);
        all.extend(queues::gimmal::kernels());
        all.extend(queues::lab::kernels());
        all.extend(queues::notify::kernels());
        all.extend(queues::heapless::kernels());
        all.extend(queues::rtrb::kernels());
        all.extend(queues::crossbeam::kernels());
        all.extend(queues::ringbuf::kernels());
        all.extend(queues::mpsc::kernels());
        Self { kernels: all }
    }

    /// A queue's kernel for a group, if it takes part.
    pub fn find(&self, queue: &str, group: &Group) -> Option<&Kernel> {
        let queue = if queue == CONTROL { REFERENCE } else { queue };
        self.kernels.iter().find(|kernel| {
            name(kernel.queue) == queue
                && name(kernel.benchmark) == group.benchmark.name()
                && kernel.payload == group.payload
                && (kernel.capacity == 0 || kernel.capacity == group.capacity)
        })
    }

    /// A queue's kernel for many producers, of messages this long at this capacity, if it takes part.
    pub fn many(&self, queue: &str, payload: u32, capacity: u32) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| {
            name(kernel.queue) == queue
                && name(kernel.benchmark) == kernels::many::NAME.to_str().unwrap_or_default()
                && kernel.payload == payload
                && (kernel.capacity == 0 || kernel.capacity == capacity)
        })
    }

    /// A queue's kernel by the name of a benchmark that is not among those of the comparison.
    pub fn named(&self, queue: &str, benchmark: &str, payload: u32) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| {
            (name(kernel.queue), name(kernel.benchmark), kernel.payload)
                == (queue, benchmark, payload)
        })
    }

    /// The id of every kernel's queue.
    pub fn queues(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| name(kernel.queue))
    }

    /// A probe by its name.
    pub fn probe(&self, id: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| name(kernel.queue) == id)
    }

    /// Whether there is any kernel for a queue.
    pub fn has(&self, queue: &str) -> bool {
        let queue = if queue == CONTROL { REFERENCE } else { queue };
        self.probe(queue).is_some()
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

fn name<'a>(text: *const std::ffi::c_char) -> &'a str {
    // SAFETY: the names in the tables are constants that end in a zero.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}
