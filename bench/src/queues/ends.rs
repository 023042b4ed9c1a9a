//! The two ends of a queue whose crate hands them out once, to be taken and given back.

use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

/// Both ends while nobody has them.
pub struct Ends<P, C> {
    producer: Mutex<Option<P>>,
    consumer: Mutex<Option<C>>,
}

/// An end that goes back where it came from. It is held by value, as its user would hold it.
pub struct Held<'a, E> {
    end: ManuallyDrop<E>,
    home: &'a Mutex<Option<E>>,
}

impl<P, C> Ends<P, C> {
    /// Of a queue that was just made.
    pub fn new((producer, consumer): (P, C)) -> Self {
        Self {
            producer: Mutex::new(Some(producer)),
            consumer: Mutex::new(Some(consumer)),
        }
    }

    /// Takes the producer's end.
    pub fn produce(&self) -> Held<'_, P> {
        Held::take(&self.producer)
    }

    /// Takes the consumer's end.
    pub fn consume(&self) -> Held<'_, C> {
        Held::take(&self.consumer)
    }
}

impl<'a, E> Held<'a, E> {
    fn take(home: &'a Mutex<Option<E>>) -> Self {
        let end = home.lock().unwrap_or_else(PoisonError::into_inner).take();
        Self {
            end: ManuallyDrop::new(end.expect("one of each end at a time")),
            home,
        }
    }

    /// The end itself.
    #[inline(always)]
    pub fn end(&mut self) -> &mut E {
        &mut self.end
    }
}

impl<E> Drop for Held<'_, E> {
    fn drop(&mut self) {
        // SAFETY: taken here alone, and nothing looks at the field afterwards.
        let end = unsafe { ManuallyDrop::take(&mut self.end) };
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_goes_back_and_can_be_taken_again() {
        let ends = Ends::new((Box::new(1), Box::new(2)));
        for turn in 0..3 {
            let (mut producer, mut consumer) = (ends.produce(), ends.consume());
            assert_eq!((**producer.end(), **consumer.end()), (1 + turn, 2 + turn));
            **producer.end() += 1;
            **consumer.end() += 1;
        }
    }

    #[test]
    #[should_panic(expected = "one of each end")]
    fn an_end_is_not_handed_out_twice() {
        let ends = Ends::new(((), ()));
        let _first = ends.produce();
        ends.produce();
    }
}
