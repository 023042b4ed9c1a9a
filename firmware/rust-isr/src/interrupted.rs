//! A histogram of the instructions that interrupts came before, of those in the section `.probed`.

use core::sync::atomic::{AtomicU8, Ordering};
use cortex_m_semihosting::hprintln;

extern "C" {
    static probed_start: u8;
    static probed_end: u8;
}

static COUNTS: [AtomicU8; 2048] = [const { AtomicU8::new(0) }; 2048];

fn start() -> usize {
    &raw const probed_start as usize
}

/// Counts, in a handler, the address that it interrupted.
pub fn at(address: usize) {
    if (start()..&raw const probed_end as usize).contains(&address) {
        if let Some(count) = COUNTS.get((address - start()) / 2) {
            // Relaxed: statistics of one core. A nested interrupt's count may be lost; that there was one is not.
            let seen = count.load(Ordering::Relaxed);
            count.store(seen.saturating_add(1), Ordering::Relaxed);
        }
    }
}

/// Prints a line for each address that was interrupted: `at ADDRESS COUNT`, the address in hexadecimal.
pub fn report() {
    for (index, count) in COUNTS.iter().enumerate() {
        let count = count.load(Ordering::Relaxed);
        if count != 0 {
            hprintln!("at {:08x} count={}", start() + 2 * index, count);
        }
    }
}
