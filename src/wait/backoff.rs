//! Polling less and less often.

use super::{Bell, Deadline, Wait};
use core::hint::spin_loop;

/// Polls, and doubles the number of spin hints between polls up to a limit: less traffic on the other end's lines than
/// [`Spin`](super::Spin), for a latency of up to that many hints.
///
/// ```
/// use gimmal::wait::Backoff;
/// use gimmal::Ring;
///
/// let ring = Ring::<u8, 4>::new();
/// let (mut tx, mut rx) = ring.split()?;
/// tx.offer(7);
/// assert_eq!(rx.pop_wait(&mut Backoff::new(256)), Ok(7));
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    most: u32,
}

impl Backoff {
    /// With up to so many hints between polls; 0 is taken for 1.
    pub const fn new(most: u32) -> Self {
        Self {
            most: if most == 0 { 1 } else { most },
        }
    }
}

impl Default for Backoff {
    /// Up to 64 hints: about a microsecond.
    fn default() -> Self {
        Self::new(64)
    }
}

impl Wait for Backoff {
    #[inline]
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        deadline: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        let mut hints: u32 = 1;
        loop {
            if let Some(found) = poll() {
                return Some(found);
            }
            if deadline.left() == 0 {
                return None;
            }
            for _ in 0..hints {
                spin_loop();
            }
            hints = hints.saturating_mul(2).min(self.most);
        }
    }
}
