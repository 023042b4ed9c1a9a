//! Several things that take turns: the lanes of a segment, or its one ring.

/// Things, and whose turn it is.
#[derive(Debug)]
pub(crate) struct Turns<E> {
    /// One at least.
    all: Box<[E]>,
    next: usize,
    last: usize,
}

impl<E> Turns<E> {
    /// The first begins.
    pub fn new(all: Vec<E>) -> Self {
        Self {
            all: all.into_boxed_slice(),
            next: 0,
            last: 0,
        }
    }

    /// Asks each once, from the one whose turn it is, until one gives something or fails; then it is the turn of the one after.
    #[inline(always)]
    pub fn find<R, F>(
        &mut self,
        mut ask: impl FnMut(&mut E) -> Result<Option<R>, F>,
    ) -> Result<Option<R>, F> {
        for _ in 0..self.all.len() {
            self.last = self.next;
            self.next += 1;
            if self.next == self.all.len() {
                self.next = 0;
            }
            if let Some(found) = ask(&mut self.all[self.last])? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Which one was asked last.
    pub fn last(&self) -> usize {
        self.last
    }

    /// All of them, the first first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.all.iter_mut()
    }

    /// All of them, the first first.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.all.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gets_its_turn_and_the_empty_are_passed_over() {
        let mut turns = Turns::new(vec![vec![3, 1], vec![], vec![2, 4]]);
        let mut order = Vec::new();
        while let Ok(Some(found)) = turns.find(|stack| Ok::<_, ()>(stack.pop())) {
            order.push((turns.last(), found));
        }
        assert_eq!(order, [(0, 1), (2, 4), (0, 3), (2, 2)]);
        assert_eq!(turns.find(|_| Err::<Option<()>, _>(7)), Err(7));
    }
}
