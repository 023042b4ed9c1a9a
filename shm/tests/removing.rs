//! Removing segments, and what only has such a name.

mod common;

use common::{Guard, Scrap};
use gimmal_shm::{End, Error, Fault, Peer};
use std::fs;

#[test]
fn removing_spares_the_living_unless_forced() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("remove");
    let mut tx = scrap.segment().line(8).producer::<u64>().unwrap();
    let busy = scrap.segment().remove().unwrap_err();
    let pid = std::process::id();
    let end = End::Producer;
    assert_eq!(busy, Error::Busy { end, pid });
    assert_eq!(tx.push(1), Ok(()));
    scrap.segment().remove_by_force().unwrap();
    assert_eq!(tx.push(1), Err(Fault::Superseded));
    assert!(!tx.is_current());
    let gone = Error::NotFound(scrap.name().into());
    assert_eq!(scrap.segment().remove(), Err(gone.clone()));
    assert_eq!(scrap.segment().inspect().unwrap_err(), gone);
    // The old end's lock is the old file's.
    let new = scrap.segment().line(8).producer::<u64>().unwrap();
    assert_eq!((new.epoch(), new.peer()), (1, Peer::Absent));
    drop((tx, new));
    scrap.segment().remove().unwrap();
}

#[test]
fn what_is_no_segment_is_removed_by_force_alone() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("no-segment");
    for held in [&b""[..], b"notes that somebody keeps", &[1; 8192]] {
        fs::write(scrap.path(), held).unwrap();
        let error = scrap.segment().inspect().unwrap_err();
        assert_eq!(scrap.segment().remove(), Err(error));
        assert_eq!(fs::read(scrap.path()).unwrap(), held);
        scrap.segment().remove_by_force().unwrap();
        assert!(!fs::exists(scrap.path()).unwrap());
    }
}
