//! What queues take on microcontrollers: instructions, flash and RAM.

use super::programs::{Embedded, Programs, RingFunctions};
use super::result::{Findings, Table};
use anyhow::Result;

/// Asks it.
///
/// # Errors
///
/// If the file about the programs cannot be read.
pub fn findings() -> Result<Findings> {
    let programs = super::programs("embedded")?;
    Ok(Findings {
        tables: vec![table(&programs), ring_functions(&programs)],
        notes: vec![
            "Instructions of one call that succeeds, its return included, counted by an emulator that counts them (QEMU's -icount); what the calling loop takes is left out. \
             Means over calls, some of which look at the other end's index and some of which need not. Flash is the function's own code: what it calls (memcpy, the kernel's lists) comes on top. \
             RAM is what the queue takes beside 64 elements. C by gcc -O2, Rust at its release profile; the kernel without assertions, nobody waiting, its scheduler not started."
                .to_owned(),
            "The compiler's functions are those that a program may have already: division, memcpy.".to_owned(),
            "c_shared, c_single, c_bare: the inline header's RING_DECLARE, RING_DECLARE_SINGLE_CORE, RING_DECLARE_BARE. rust_shared, rust_bare: Ring::split, and Ring::fixed under the policy Bare. \
             call: libgimmal."
                .to_owned(),
        ],
        ..Findings::new("What queues take on microcontrollers")
    })
}

fn table(programs: &Programs) -> Table {
    let columns = [
        ("target", ""),
        ("queue", ""),
        ("element", ""),
        ("push", "instructions"),
        ("pop", "instructions"),
        ("push", "B of flash"),
        ("pop", "B of flash"),
        ("beside the elements", "B of RAM"),
    ];
    let mut table = Table::new("A push and a pop", &columns);
    for row in &programs.embedded {
        let Embedded {
            target,
            queue,
            element,
            push,
            pop,
            push_flash,
            pop_flash,
            ram,
        } = row;
        table.row([
            target.as_str().into(),
            queue.as_str().into(),
            element.as_str().into(),
            (*push).into(),
            (*pop).into(),
            (*push_flash).into(),
            (*pop_flash).into(),
            (*ram).into(),
        ]);
    }
    table
}

fn ring_functions(programs: &Programs) -> Table {
    let columns = [
        ("target", ""),
        ("gimmal's functions", "B of flash"),
        ("the compiler's", "B of flash"),
    ];
    let mut table = Table::new(
        "libgimmal's gimmal_ring_init, _push and _pop, with all that they call",
        &columns,
    );
    for row in &programs.ring_functions {
        let RingFunctions {
            target,
            own,
            runtime,
        } = row;
        table.row([target.as_str().into(), (*own).into(), (*runtime).into()]);
    }
    table
}
