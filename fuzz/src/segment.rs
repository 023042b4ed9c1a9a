//! Segments that are overwritten with any bytes, before ends attach and while they work: every call comes back, and nothing outside is touched.

use crate::bytes::Bytes;
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{Consumer, Producer, Segment};
use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

type Message = [u64; 2];

/// The first byte names the kind of segment; then come things that happen to it.
pub fn segment(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    match bytes.byte().map(|kind| kind % 4) {
        Some(0) => happen(Segment::anonymous().line(20), bytes),
        Some(1) => happen(Segment::anonymous().index(16), bytes),
        Some(2) => happen(Segment::anonymous().mpsc(16, 3), bytes),
        Some(3) => happen(Segment::anonymous().lanes(20, 2), bytes),
        _ => {}
    }
}

/// The file behind a segment, and its ends, of which either may be refused.
struct Victim<K: KindOf> {
    file: File,
    size: usize,
    tx: Option<Producer<Message, K>>,
    rx: Option<Consumer<Message, K>>,
}

fn happen<K: KindOf>(segment: Segment<K>, mut bytes: Bytes<'_>) {
    let mut tx = segment.producer::<Message>().expect("a segment is made");
    for id in 0..3 {
        tx.push([id, !id]).expect("it has room");
    }
    let shared = tx.share().expect("it has a descriptor");
    // What is shared is for looking.
    let path = format!("/proc/self/fd/{}", shared.as_raw_fd());
    let file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("it is this process's");
    let size = file.metadata().expect("it is a file").len() as usize;
    let mut victim = Victim::<K> {
        file,
        size,
        tx: Some(tx),
        rx: None,
    };
    victim.consume();
    while victim.step(&mut bytes).is_some() {}
    victim.produce();
    victim.consume();
    victim.look();
}

impl<K: KindOf> Victim<K> {
    fn produce(&mut self) {
        self.tx = None;
        self.tx = passed::<K>(&self.file).producer().ok();
    }

    fn consume(&mut self) {
        self.rx = None;
        self.rx = passed::<K>(&self.file).consumer().ok();
    }

    /// As the command does.
    fn look(&self) {
        let Ok(seen) = passed::<K>(&self.file).inspect() else {
            return;
        };
        assert!(seen.size() <= self.size);
        black_box((
            seen.rings(),
            seen.consumer(),
            seen.producers(),
            seen.skipped(),
        ));
        if let Ok(mut tap) = seen.tap() {
            let mut element = Vec::new();
            for _ in 0..4 {
                black_box(tap.next(&mut element));
            }
        }
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        let at = at % self.size;
        let end = bytes.len().min(self.size - at);
        self.file
            .write_all_at(&bytes[..end], at as u64)
            .expect("the file is written");
    }

    /// What the next bytes say; none at their end.
    fn step(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        match bytes.byte()? % 10 {
            0 | 1 => {
                let at = usize::from(bytes.half()?) / 8 * 8;
                self.write(at, &bytes.word()?.to_le_bytes());
            }
            2 => {
                let at = bytes.half()?.into();
                self.write(at, &[bytes.byte()?]);
            }
            // Many at once: whole headers.
            3 => {
                let (at, count) = (bytes.half()?.into(), bytes.byte()?.into());
                self.write(at, bytes.take(count)?);
            }
            4 => {
                let count = bytes.byte()? % 48;
                if let Some(tx) = &mut self.tx {
                    for id in 0..count.into() {
                        black_box(tx.push([id, !id]).ok());
                    }
                }
            }
            5 => {
                let count = bytes.byte()? % 48;
                if let Some(rx) = &mut self.rx {
                    for _ in 0..count {
                        black_box(rx.pop().ok());
                    }
                }
            }
            6 => self.produce(),
            7 => self.consume(),
            8 => self.look(),
            _ => {
                if let Some(tx) = &mut self.tx {
                    black_box((tx.offer([1, 1]), tx.len(), tx.peer(), tx.dropped()));
                }
                if let Some(rx) = &mut self.rx {
                    black_box((rx.skip_dead(), rx.len(), rx.is_empty(), rx.peer()));
                }
            }
        }
        Some(())
    }
}

fn passed<K: KindOf>(file: &File) -> Segment<K> {
    let file = file.try_clone().expect("a descriptor is copied");
    Segment::passed(file.into()).kind()
}
