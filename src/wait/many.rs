//! The waiting and the notifying forms of what one of many producers does.

use super::ends::{consumer_bell, producer_bell, ring};
use super::{Deadline, Never, Notify, Wait};
use crate::error::PushError;
use crate::mpsc;
use crate::policy::Policy;
use crate::raw::mpsc::ByCell;
use crate::raw::Geometry;

impl<T, P: Policy, G: Geometry<Protocol = ByCell>> mpsc::Producer<'_, T, P, G> {
    /// Pushes `value`, and waits for room as `strategy` does. Of several producers that sleep at one ring some may look again
    /// only after 100 ms, since they share a bell: let them yield.
    ///
    /// ```
    /// use gimmal::wait::Spin;
    /// use gimmal::Mpsc;
    ///
    /// let ring = Mpsc::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// assert_eq!(tx.push_wait(7, &mut Spin), Ok(()));
    /// assert_eq!(rx.pop(), Some(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    ///
    /// # Errors
    /// [`PushError::Closed`] if the ring is closed.
    pub fn push_wait(&mut self, value: T, strategy: &mut impl Wait) -> Result<(), PushError<T>> {
        self.push_wait_until(value, strategy, &mut Never)
    }

    /// As [`push_wait`](Self::push_wait), until a deadline.
    ///
    /// # Errors
    /// [`PushError::Closed`] if the ring is closed, [`PushError::Full`] if it is full when the deadline passes.
    pub fn push_wait_until(
        &mut self,
        value: T,
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<(), PushError<T>> {
        let body = self.body();
        let mut left = Some(value);
        let poll = || {
            // The last poll left it there, or another found it taken and ended the wait.
            match self.push(left.take()?) {
                Err(PushError::Full(value)) => {
                    left = Some(value);
                    None
                }
                done => Some(done),
            }
        };
        let done = strategy.wait(producer_bell(&body), deadline, poll);
        match (done, left) {
            (Some(done), _) => done,
            (None, Some(value)) => Err(PushError::Full(value)),
            (None, None) => Ok(()),
        }
    }

    /// Pushes `value`, and wakes a consumer that sleeps.
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    #[inline]
    pub fn push_notify(&mut self, value: T, notify: &impl Notify) -> Result<(), PushError<T>> {
        self.push(value)?;
        self.notify(notify);
        Ok(())
    }

    /// Wakes a consumer that sleeps: after any pushes.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        let body = self.body();
        ring(consumer_bell(&body), notify);
    }

    /// Closes the ring, and wakes whoever sleeps.
    pub fn close_notify(&mut self, notify: &impl Notify) {
        self.close();
        let body = self.body();
        ring(consumer_bell(&body), notify);
        ring(producer_bell(&body), notify);
    }
}
