//! Two interrupts and a main loop send to each other, over static rings that are full or empty most of the time.
//!
//! * `up`: by index, from the low interrupt to the main loop
//! * `down`: by index, from the main loop to the high interrupt
//! * `merged`: of many producers: from both interrupts to the main loop
//! * `reports`: of many producers: from the main loop and the low interrupt to the high interrupt
//!
//! So every push, and every pop, is interrupted by the other end.

#![no_std]
#![no_main]

mod board;
mod ends;
mod interrupted;
mod local;
mod random;
mod stream;

use board::{HighAlarm, LowAlarm};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::{debug, hprintln};
use ends::{mpsc_pop, mpsc_push, ring_pop, ring_push, ManyRx, ManyTx, Mpsc, Ring, Rx, Tx};
use local::Local;
use random::Random;
use stream::{Inbox, Sender};

/// How many messages arrive before the program ends.
const MESSAGES: u32 = if cfg!(feature = "broken") {
    100_000
} else {
    1_000_000
};
/// How often the low interrupt still comes after the close.
const REFUSALS: u32 = 20_000;

static UP: Ring = ends::ring();
static DOWN: Ring = ends::ring();
static MERGED: Mpsc = ends::mpsc();
static REPORTS: Mpsc = ends::mpsc();

/// What has arrived at the high interrupt, for the main loop to look at; Relaxed, since statistics.
static RECEIVED: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
/// Times that the low interrupt came.
static COMINGS: AtomicU32 = AtomicU32::new(0);

/// What the low interrupt owns.
struct Low {
    alarm: LowAlarm,
    random: Random,
    up: (Tx, Sender),
    merged: (ManyTx, Sender),
    reports: (ManyTx, Sender),
}

/// What the high interrupt owns.
struct High {
    alarm: HighAlarm,
    random: Random,
    merged: (ManyTx, Sender),
    down: (Rx, Inbox),
    reports: (ManyRx, Inbox),
}

/// What the main loop owns.
struct Main {
    random: Random,
    up: (Rx, Inbox),
    merged: (ManyRx, Inbox),
    down: (Tx, Sender),
    reports: (ManyTx, Sender),
}

static LOW: Local<Low> = Local::new();
static HIGH: Local<High> = Local::new();

#[no_mangle]
extern "C" fn low_interrupt(address: usize) {
    // SAFETY: this handler owns it, and does not interrupt itself.
    let own = unsafe { LOW.borrow() };
    let Low {
        alarm,
        random,
        up,
        merged,
        reports,
    } = own;
    alarm.stop();
    interrupted::at(address);
    COMINGS.store(COMINGS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    let number = random.next();
    for _ in 0..4 + number % 4 {
        up.1.send(|message| ring_push(&mut up.0, &message));
    }
    for _ in 0..number >> 2 & 3 {
        merged.1.send(|message| mpsc_push(&mut merged.0, &message));
        reports
            .1
            .send(|message| mpsc_push(&mut reports.0, &message));
    }
    alarm.set(1 + (number >> 4) % 4096);
}

#[no_mangle]
extern "C" fn high_interrupt(address: usize) {
    // SAFETY: this handler owns it, and does not interrupt itself.
    let own = unsafe { HIGH.borrow() };
    let High {
        alarm,
        random,
        merged,
        down,
        reports,
    } = own;
    alarm.stop();
    interrupted::at(address);
    let number = random.next();
    for _ in 0..4 + number % 4 {
        merged.1.send(|message| mpsc_push(&mut merged.0, &message));
    }
    while let Some(message) = ring_pop(&mut down.0) {
        down.1.receive(message);
    }
    while let Some(message) = mpsc_pop(&mut reports.0) {
        reports.1.receive(message);
    }
    RECEIVED[0].store(down.1.received, Ordering::Relaxed);
    RECEIVED[1].store(reports.1.received, Ordering::Relaxed);
    // At times at once, for what happens only after an interrupt.
    let most = if number >> 30 == 0 { 64 } else { 2048 };
    alarm.set(1 + (number >> 4) % most);
}

impl Main {
    fn exchange(&mut self) {
        let number = self.random.next();
        for _ in 0..number & 15 {
            self.down
                .1
                .send(|message| ring_push(&mut self.down.0, &message));
            self.reports
                .1
                .send(|message| mpsc_push(&mut self.reports.0, &message));
        }
        for _ in 0..number >> 4 & 15 {
            if let Some(message) = ring_pop(&mut self.up.0) {
                self.up.1.receive(message);
            }
        }
        for _ in 0..number >> 8 & 15 {
            if let Some(message) = mpsc_pop(&mut self.merged.0) {
                self.merged.1.receive(message);
            }
        }
    }

    fn has_enough(&self) -> bool {
        let [down, reports] = [0, 1].map(|ring: usize| RECEIVED[ring].load(Ordering::Relaxed));
        let each = [self.up.1.received, self.merged.1.received, down, reports];
        each.iter().all(|received| *received >= MESSAGES / 8)
            && each.iter().sum::<u32>() >= MESSAGES
    }

    fn close(&mut self) {
        self.up.0.close();
        self.down.0.close();
        self.merged.0.close();
        self.reports.0.close();
    }

    /// Takes all that is left, with the interrupts stopped.
    fn finish(&mut self, low: &mut Low, high: &mut High) {
        while let Some(message) = ring_pop(&mut self.up.0) {
            self.up.1.receive(message);
        }
        while let Some(message) = mpsc_pop(&mut self.merged.0) {
            self.merged.1.receive(message);
        }
        while let Some(message) = ring_pop(&mut high.down.0) {
            high.down.1.receive(message);
        }
        while let Some(message) = mpsc_pop(&mut high.reports.0) {
            high.reports.1.receive(message);
        }
        self.up.1.finish(&low.up.1);
        self.merged.1.finish(&low.merged.1);
        self.merged.1.finish(&high.merged.1);
        high.down.1.finish(&self.down.1);
        high.reports.1.finish(&self.reports.1);
        high.reports.1.finish(&low.reports.1);
    }
}

#[entry]
fn main() -> ! {
    let Some(mut core) = Peripherals::take() else {
        panic!("main runs once")
    };
    let split = |ring| ends::split(ring).unwrap_or_else(|_| panic!("a static ring is split once"));
    let split_mpsc =
        |ring| ends::split_mpsc(ring).unwrap_or_else(|_| panic!("a static ring is split once"));
    let (up_tx, up_rx) = split(&UP);
    let (down_tx, down_rx) = split(&DOWN);
    let (merged_tx, merged_rx) = split_mpsc(&MERGED);
    let (reports_tx, reports_rx) = split_mpsc(&REPORTS);
    let mut low_alarm = LowAlarm::new(core.SYST);
    low_alarm.set(100);
    // SAFETY: nothing else uses the timer.
    let mut high_alarm = unsafe { HighAlarm::new() };
    cortex_m::interrupt::disable();
    high_alarm.set(150);
    // SAFETY: interrupts are disabled, so that no owner runs.
    unsafe {
        LOW.fill(Low {
            alarm: low_alarm,
            random: Random::new(0x2545_F491),
            up: (up_tx, Sender::new(0)),
            merged: (merged_tx.clone(), Sender::new(0)),
            reports: (reports_tx.clone(), Sender::new(1)),
        });
        HIGH.fill(High {
            alarm: high_alarm,
            random: Random::new(0x9E37_79B9),
            merged: (merged_tx, Sender::new(1)),
            down: (down_rx, Inbox::default()),
            reports: (reports_rx, Inbox::default()),
        });
    }
    let mut main = Main {
        random: Random::new(0x1B87_3593),
        up: (up_rx, Inbox::default()),
        merged: (merged_rx, Inbox::default()),
        down: (down_tx, Sender::new(0)),
        reports: (reports_tx, Sender::new(0)),
    };
    board::start(&mut core.SCB, &mut core.NVIC);
    // SAFETY: no critical section is entered.
    unsafe { cortex_m::interrupt::enable() };

    while !main.has_enough() {
        main.exchange();
    }
    main.close();
    let close = COMINGS.load(Ordering::Relaxed);
    while COMINGS.load(Ordering::Relaxed) - close < REFUSALS {
        main.exchange();
    }
    cortex_m::interrupt::disable();
    // SAFETY: interrupts are disabled for good, so that the owners do not run.
    let (low, high) = unsafe { (LOW.borrow(), HIGH.borrow()) };
    main.finish(low, high);

    let inboxes = [
        ("up", &main.up.1),
        ("down", &high.down.1),
        ("merged", &main.merged.1),
        ("reports", &high.reports.1),
    ];
    let sound = inboxes.map(|(name, inbox)| inbox.report(name)) == [true; 4];
    interrupted::report();
    end(sound)
}

fn end(sound: bool) -> ! {
    debug::exit(if sound {
        debug::EXIT_SUCCESS
    } else {
        debug::EXIT_FAILURE
    });
    loop {
        cortex_m::asm::wfi();
    }
}

#[exception]
unsafe fn DefaultHandler(number: i16) {
    panic!("interrupt {number} came, which nobody asked for");
}

#[panic_handler]
fn panic(information: &PanicInfo) -> ! {
    hprintln!("{}", information);
    end(false)
}
