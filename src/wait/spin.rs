//! Polling without a break.

use super::{Bell, Deadline, Wait};
use core::hint::spin_loop;

/// Polls until something is there, with the processor's hint for spinning between: `pause` on x86, `isb` on AArch64, where
/// `yield` retires as a no-op on cores that run one thread. The least latency, for a whole core.
///
/// ```
/// use gimmal::wait::Spin;
/// use gimmal::Ring;
///
/// let ring = Ring::<u8, 4>::new();
/// let (mut tx, mut rx) = ring.split()?;
/// tx.offer(7);
/// assert_eq!(rx.pop_wait(&mut Spin), Ok(7));
/// # Ok::<(), gimmal::AlreadySplit>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spin;

/// Polls between two looks at the clock.
const POLLS: u32 = 64;

impl Wait for Spin {
    #[inline]
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        deadline: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        loop {
            for _ in 0..POLLS {
                if let Some(found) = poll() {
                    return Some(found);
                }
                spin_loop();
            }
            if deadline.left() == 0 {
                return None;
            }
        }
    }
}
