//! The board's two interrupts: SysTick and, above it, the first of the CMSDK timers. Each fires once when asked to.

use core::arch::global_asm;
use core::ptr::NonNull;
use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SCB, SYST};

// The processor has pushed eight words, the seventh of them the address that it was interrupted at: the handlers' argument.
global_asm!(
    ".macro handler name, function",
    ".global \\name",
    ".type \\name, %function",
    ".thumb_func",
    "\\name:",
    "ldr r0, [sp, #24]",
    "b.w \\function",
    ".size \\name, . - \\name",
    ".endm",
    "handler SysTick, low_interrupt",
    "handler timer_interrupt, high_interrupt",
);

extern "C" {
    fn timer_interrupt();
    fn DefaultHandler();
}

/// A line of the interrupt controller.
#[derive(Clone, Copy)]
struct Line(u16);

const TIMER: Line = Line(8);

// SAFETY: the board has such a line.
unsafe impl InterruptNumber for Line {
    fn number(self) -> u16 {
        self.0
    }
}

/// The board's part of the vector table.
#[no_mangle]
#[link_section = ".vector_table.interrupts"]
static __INTERRUPTS: [unsafe extern "C" fn(); 32] = {
    let mut vectors = [DefaultHandler as unsafe extern "C" fn(); 32];
    vectors[TIMER.0 as usize] = timer_interrupt;
    vectors
};

/// Sets both interrupts up; none fires before its alarm is set.
pub fn start(scb: &mut SCB, nvic: &mut NVIC) {
    // SAFETY: nothing rests on the priorities yet, and no critical section is entered.
    unsafe {
        scb.set_priority(SystemHandler::SysTick, 0xC0);
        nvic.set_priority(TIMER, 0x40);
        NVIC::unmask(TIMER);
    }
}

/// The low interrupt's alarm.
pub struct LowAlarm(SYST);

impl LowAlarm {
    pub fn new(mut systick: SYST) -> Self {
        systick.set_clock_source(SystClkSource::Core);
        systick.enable_interrupt();
        Self(systick)
    }

    pub fn stop(&mut self) {
        self.0.disable_counter();
    }

    /// Fires once, so many cycles from now.
    pub fn set(&mut self, cycles: u32) {
        self.0.set_reload(cycles);
        self.0.clear_current();
        self.0.enable_counter();
    }
}

/// The high interrupt's alarm: control, value, reload and clear of its timer.
pub struct HighAlarm(NonNull<[u32; 4]>);

// SAFETY: the registers are where they are from wherever they are used.
unsafe impl Send for HighAlarm {}

impl HighAlarm {
    /// # Safety
    /// Nobody else uses the timer.
    pub unsafe fn new() -> Self {
        const ADDRESS: usize = 0x4000_0000;
        // SAFETY: not null.
        Self(unsafe { NonNull::new_unchecked(ADDRESS as *mut _) })
    }

    fn write(&mut self, register: usize, value: u32) {
        // SAFETY: a register of the timer, which is this alarm's alone.
        unsafe { self.0.cast::<u32>().add(register).write_volatile(value) };
    }

    pub fn stop(&mut self) {
        self.write(0, 0);
        self.write(3, 1);
    }

    /// Fires once, so many cycles from now.
    pub fn set(&mut self, cycles: u32) {
        self.write(2, cycles);
        self.write(1, cycles);
        self.write(0, 0b1001);
    }
}
