//! Numbered messages, each of whose words follows from its number: what is lost, out of order or torn is seen.

use cortex_m_semihosting::hprintln;

const SOURCE_SHIFT: u32 = 28;

#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Message {
    /// In the upper bits who sent it.
    number: u32,
    words: [u32; 3],
}

impl Message {
    fn new(source: u32, sent: u32) -> Self {
        let number = source << SOURCE_SHIFT | sent;
        let word = |place: u32| number.wrapping_add(place).wrapping_mul(0x9E37_79B1) ^ number >> 7;
        Self {
            number,
            words: [word(0), word(1), word(2)],
        }
    }
}

/// One who sends.
pub struct Sender {
    source: u32,
    sent: u32,
}

impl Sender {
    pub const fn new(source: u32) -> Self {
        Self { source, sent: 0 }
    }

    /// Sends the next message; if it is refused it stays the next.
    pub fn send(&mut self, push: impl FnOnce(Message) -> bool) {
        if push(Message::new(self.source, self.sent)) {
            self.sent += 1;
        }
    }
}

/// Where the messages of up to two senders arrive.
#[derive(Default)]
pub struct Inbox {
    next: [u32; 2],
    pub received: u32,
    lost: u32,
    reordered: u32,
    torn: u32,
}

impl Inbox {
    pub fn receive(&mut self, message: Message) {
        self.received += 1;
        let source = message.number >> SOURCE_SHIFT;
        let sent = message.number & ((1 << SOURCE_SHIFT) - 1);
        let Some(next) = self.next.get_mut(source as usize) else {
            self.torn += 1;
            return;
        };
        if message != Message::new(source, sent) {
            self.torn += 1;
        } else if sent < *next {
            self.reordered += 1;
        } else {
            self.lost += sent - *next;
            *next = sent + 1;
        }
    }

    /// Messages that were sent and never came are lost.
    pub fn finish(&mut self, sender: &Sender) {
        self.lost = self
            .lost
            .wrapping_add(sender.sent.wrapping_sub(self.next[sender.source as usize]));
    }

    /// Prints what came; whether all of it was in order and whole.
    pub fn report(&self, name: &str) -> bool {
        let Self {
            received,
            lost,
            reordered,
            torn,
            ..
        } = self;
        hprintln!(
            "{}: received={} lost={} reordered={} torn={}",
            name,
            received,
            lost,
            reordered,
            torn
        );
        (*lost, *reordered, *torn) == (0, 0, 0)
    }
}
