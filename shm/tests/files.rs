//! Segments as files: creating, refusing, replacing, removing.

mod common;

use common::{listen, play, say, Guard, Player, Scrap};
use gimmal_shm::kinds::{Index, Lanes, Mpsc};
use gimmal_shm::{names, Error, Fault, Kind, Segment};
use rustix::mount::{mount, mount_change, MountFlags, MountPropagationFlags};
use rustix::thread::{unshare_unsafe, UnshareFlags};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{chown, symlink, FileExt, MetadataExt, PermissionsExt};

#[test]
fn child() {
    play(&[
        ("full", fill_up),
        ("race", race_to_create),
        ("replace", race_to_replace),
    ]);
}

#[test]
fn a_segment_is_as_private_as_was_asked_and_whole_from_the_start() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("mode");
    let tx = scrap.segment().line(1000).producer::<u64>().unwrap();
    let found = fs::metadata(scrap.path()).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    // Every page is there: a file with holes would have fewer blocks.
    assert_eq!(found.blocks() * 512, found.size());
    let state = scrap.segment().inspect().unwrap();
    assert_eq!(state.size() as u64, found.size());
    assert_eq!(state.creator().pid, std::process::id());
    assert!(names(None).unwrap().contains(&scrap.name().to_owned()));
    drop(tx);

    let scrap = Scrap::new("mode");
    // SAFETY: no other thread makes files whose mode matters.
    let mask = unsafe { libc::umask(0o077) };
    let tx = scrap.segment().line(8).mode(0o664).producer::<u64>();
    // SAFETY: as above.
    unsafe { libc::umask(mask) };
    let found = fs::metadata(scrap.path()).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o664);
    drop(tx.unwrap());
}

#[test]
fn memory_is_held_as_was_asked() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("memory");
    let segment = || scrap.segment().line(100_000).touch().lock_memory();
    let mut tx = segment().producer::<[u64; 4]>().unwrap();
    let mut rx = segment().consumer::<[u64; 4]>().unwrap();
    tx.push([1, 2, 3, 4]).unwrap();
    assert_eq!(rx.pop(), Ok(Some([1, 2, 3, 4])));
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let (_, found) = maps.split_once(scrap.name()).unwrap();
    let field = |name: &str| {
        let line = found.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    };
    assert_eq!(field("Rss:"), field("Size:"));
    let flags = found
        .lines()
        .find(|line| line.starts_with("VmFlags:"))
        .unwrap();
    for flag in [" dc", " lo"] {
        assert!(flags.contains(flag), "{flags}");
    }

    let scrap = Scrap::new("memory");
    let segment = || scrap.segment().line(100_000).huge_pages();
    let tx = segment().producer::<u64>().unwrap();
    // A creator's own mapping still has the name of a file without one.
    let rx = segment().consumer::<u64>().unwrap();
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let (_, found) = maps.split_once(scrap.name()).unwrap();
    let flags = found
        .lines()
        .find(|line| line.starts_with("VmFlags:"))
        .unwrap();
    assert!(flags.contains(" hg"), "{flags}");
    drop((tx, rx));
}

#[test]
fn what_is_not_what_was_asked_for_is_refused() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("mismatch");
    let segment = || scrap.segment();
    let nothing = segment().producer::<u64>().unwrap_err();
    assert_eq!(nothing, Error::NotFound(scrap.name().into()));
    let kept = segment().line(64).type_tag(7).consumer::<u64>().unwrap();
    let exists = segment()
        .line(64)
        .create_new()
        .producer::<u64>()
        .unwrap_err();
    assert_eq!(exists, Error::Exists(scrap.name().into()));

    let what = |error: Error| match error {
        Error::Mismatch { what, .. } => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        what(segment().kind::<Index>().producer::<u64>().unwrap_err()),
        "kind"
    );
    assert_eq!(
        what(segment().kind::<Mpsc>().producer::<u64>().unwrap_err()),
        "kind"
    );
    assert_eq!(
        what(segment().kind::<Lanes>().producer::<u64>().unwrap_err()),
        "kind"
    );
    assert_eq!(
        what(segment().producer::<u32>().unwrap_err()),
        "elements of size"
    );
    let align = segment().producer::<[u32; 2]>().unwrap_err();
    assert_eq!(what(align), "elements of alignment");
    assert_eq!(
        what(segment().line(1000).producer::<u64>().unwrap_err()),
        "capacity"
    );
    assert_eq!(
        what(segment().type_tag(8).producer::<u64>().unwrap_err()),
        "type tag"
    );
    // The same number of cells is the same ring.
    drop(segment().line(60).type_tag(7).producer::<u64>().unwrap());
    drop(segment().producer::<u64>().unwrap());
    drop(kept);

    let scrap = Scrap::new("mismatch");
    let kept = scrap.segment().lanes(8, 3).consumer::<u64>().unwrap();
    let producers = scrap.segment().lanes(8, 2).producer::<u64>().unwrap_err();
    assert_eq!(what(producers), "producers");
    drop(kept);

    let bad = |capacity| scrap.segment().index(capacity).replace().producer::<u64>();
    for asked in [0, 3, usize::MAX] {
        let kind = Kind::Index;
        assert_eq!(bad(asked).unwrap_err(), Error::Capacity { kind, asked });
    }
    assert!(matches!(bad(1 << 63), Err(Error::Shape(_))));
    let none = scrap.segment().line(0).replace().producer::<u64>();
    let (kind, asked) = (Kind::Line, 0);
    assert_eq!(none.unwrap_err(), Error::Capacity { kind, asked });
    let producers = scrap.segment().mpsc(8, 0).replace().producer::<u64>();
    assert_eq!(producers.unwrap_err(), Error::Producers(0));
    let nameless = Segment::named("a/b").line(8).producer::<u64>();
    assert_eq!(nameless.unwrap_err(), Error::Name("a/b".into()));
}

#[test]
fn a_file_that_is_no_whole_segment_is_refused_and_can_be_replaced() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("broken");
    let segment = || scrap.segment().line(1000);
    let error = || segment().producer::<u64>().unwrap_err();
    fs::write(scrap.path(), "").unwrap();
    assert_eq!(error(), Error::NotReady);
    fs::write(scrap.path(), [0; 8192]).unwrap();
    assert_eq!(error(), Error::NotReady);
    fs::write(scrap.path(), [1; 8192]).unwrap();
    let magic = u64::from_ne_bytes([1; 8]);
    assert_eq!(error(), Error::NotASegment { magic });
    assert_eq!(
        scrap.segment().inspect().unwrap_err(),
        Error::NotASegment { magic }
    );

    let rx = segment().replace().consumer::<u64>().unwrap();
    assert_eq!(rx.epoch(), 1);
    drop(rx);
    let file = OpenOptions::new().write(true).open(scrap.path()).unwrap();
    let whole = file.metadata().unwrap().size();
    for len in [whole - 1, 4096, 256] {
        file.set_len(len).unwrap();
        assert_eq!(error(), Error::Corrupt("its file is shorter than it says"));
    }
    for len in [255, 1, 0] {
        file.set_len(len).unwrap();
        assert_eq!(error(), Error::NotReady);
    }
    let rx = segment().replace().consumer::<u64>().unwrap();
    assert_eq!(rx.epoch(), 1);
}

#[test]
fn a_ring_that_is_not_what_the_header_says_is_refused() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("ring");
    let rx = scrap.segment().lanes(64, 2).consumer::<u64>().unwrap();
    let shape = *scrap.segment().inspect().unwrap().shape();
    drop(rx);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(scrap.path())
        .unwrap();
    let mut rings = [0; 8];
    file.read_exact_at(&mut rings, 40).unwrap();
    // The second lane's element size, stride, offset of its cells, and number of cells.
    for field in [8, 12, 16, 21] {
        let at = u64::from_ne_bytes(rings) + shape.size() as u64 + field;
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 1], at).unwrap();
        let error = scrap
            .segment()
            .kind::<Lanes>()
            .producer::<u64>()
            .unwrap_err();
        assert_eq!(error, Error::Corrupt("a ring is not what the header says"));
        file.write_all_at(&byte, at).unwrap();
    }
    drop(scrap.segment().kind::<Lanes>().producer::<u64>().unwrap());
}

#[test]
fn links_and_other_users_files_are_not_followed() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("link");
    let real = Scrap::new("real");
    let kept = real.segment().line(8).consumer::<u64>().unwrap();
    symlink(real.path(), scrap.path()).unwrap();
    let error = scrap.segment().producer::<u64>().unwrap_err();
    assert_eq!(error, Error::NotAFile("a symbolic link"));
    drop(kept);

    let folder = Scrap::new("folder");
    fs::create_dir(folder.path()).unwrap();
    let attached = folder.segment().line(8).producer::<u64>().unwrap_err();
    let looked = folder.segment().inspect().unwrap_err();
    fs::remove_dir(folder.path()).unwrap();
    assert_eq!(attached, Error::NotAFile("a directory"));
    assert_eq!(looked, attached);

    let pipe = Scrap::new("pipe");
    let path = std::ffi::CString::new(pipe.path()).unwrap();
    // SAFETY: a string that ends in zero.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let error = pipe.segment().line(8).producer::<u64>().unwrap_err();
    assert_eq!(error, Error::NotAFile("a pipe"));

    // Only root may give files away.
    if rustix::process::geteuid().is_root() {
        let uid = 12345;
        chown(real.path(), Some(uid), None).unwrap();
        let error = real.segment().producer::<u64>().unwrap_err();
        assert_eq!(error, Error::Owner { uid });
        assert_eq!(real.segment().inspect().unwrap_err(), Error::Owner { uid });
        drop(real.segment().trust(uid).producer::<u64>().unwrap());
    }
}

/// Where a segment states that it was superseded.
const STATE: u64 = 128;

#[test]
fn a_replacer_that_died_half_way_is_made_up_for() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("half-way");
    let mut old = scrap.segment().line(8).producer::<u64>().unwrap();
    old.push(1).unwrap();
    let file = OpenOptions::new().write(true).open(scrap.path()).unwrap();
    file.write_all_at(&1u32.to_ne_bytes(), STATE).unwrap();
    // Its next segment got a name, but not that of this one.
    fs::write(format!("/dev/shm/.gimmal-{}", scrap.name()), "left over").unwrap();
    // One that only attaches waits a while for the new one.
    assert_eq!(
        scrap.segment().consumer::<u64>().unwrap_err(),
        Error::Superseded
    );
    let rx = scrap.segment().line(8).consumer::<u64>().unwrap();
    assert_eq!((rx.epoch(), rx.len()), (2, 0));
    assert_eq!(old.push(2), Err(Fault::Superseded));
    let left = names(None).unwrap();
    assert!(!left
        .iter()
        .any(|name| name == &format!(".gimmal-{}", scrap.name())));
    assert!(!fs::exists(format!("/dev/shm/.gimmal-{}", scrap.name())).unwrap());
}

fn fill_up(_: &str) {
    // SAFETY: only this thread's view of mounts is its own from here on, which is what is wanted.
    if unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.is_err() {
        return say("no mount of one's own");
    }
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).unwrap();
    mount("tmpfs", "/mnt", "tmpfs", MountFlags::empty(), c"size=64k").unwrap();
    let segment = |name: &str| Segment::named(name).directory("/mnt").index(16384);
    let kept: Vec<_> = (0..3)
        .map(|number| segment(&format!("fits-{number}")).producer::<u8>().unwrap())
        .collect();
    let error = segment("one-too-many").producer::<u8>().unwrap_err();
    let Error::NoSpace { needed, free } = error else {
        return say(&format!("{error:?}"));
    };
    assert!(needed > free && free < 16384, "{needed} {free}");
    assert_eq!(names(Some("/mnt".as_ref())).unwrap().len(), 3);
    drop(kept);
    say("full");
}

#[test]
fn a_full_file_system_is_an_error_now_and_no_fault_later() {
    let _guard = Guard::new(60);
    let mut player = Player::new("full", "");
    if rustix::process::geteuid().is_root() {
        player.expect("full");
    }
    // Without a file system of one's own: more than there is.
    let scrap = Scrap::new("vast");
    let error = scrap.segment().index(1 << 36).producer::<u8>().unwrap_err();
    let Error::NoSpace { needed, free } = error else {
        panic!("{error:?}");
    };
    assert!(needed > free && needed > 1 << 36);
    assert!(!fs::exists(scrap.path()).unwrap());
}

/// Claims an end as soon as it is told, says how that went, and keeps it.
fn race_to_create(name: &str) {
    say("ready");
    listen();
    let tx = Segment::named(name).line(64).producer::<u64>();
    let rx = Segment::named(name).line(64).consumer::<u64>();
    let won = |is_won, error: Option<Error>| match error {
        None => is_won,
        Some(Error::Busy { .. }) => "busy",
        Some(other) => panic!("{other:?}"),
    };
    say(won("producer", tx.as_ref().err().cloned()));
    say(won("consumer", rx.as_ref().err().cloned()));
    listen();
}

#[test]
fn of_many_that_create_at_once_one_gets_each_end() {
    let _guard = Guard::new(120);
    let scrap = Scrap::new("race");
    for _ in 0..20 {
        let mut players: Vec<_> = (0..4).map(|_| Player::new("race", scrap.name())).collect();
        players.iter_mut().for_each(|player| player.expect("ready"));
        players.iter_mut().for_each(|player| player.tell("go"));
        let won: Vec<_> = players
            .iter_mut()
            .flat_map(|player| [player.hear(), player.hear()])
            .collect();
        for end in ["producer", "consumer"] {
            assert_eq!(won.iter().filter(|won| *won == end).count(), 1, "{won:?}");
        }
        assert_eq!(
            won.iter().filter(|won| *won == "busy").count(),
            6,
            "{won:?}"
        );
        drop(players);
        scrap.segment().remove().unwrap();
    }
}

/// Replaces the segment some fifty times, and says which epochs it made.
fn race_to_replace(name: &str) {
    say("ready");
    listen();
    let mut made = Vec::new();
    while made.len() < 50 {
        // Nobody can replace it while its producer's end is held: who attaches holds that of the current one.
        match Segment::named(name).producer::<u64>() {
            Ok(tx) => assert!(tx.is_current()),
            Err(Error::Busy { .. } | Error::NotFound(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
        match Segment::named(name).line(64).replace().producer::<u64>() {
            Ok(mut tx) => {
                assert!(tx.is_current());
                tx.push(tx.epoch()).unwrap();
                made.push(tx.epoch().to_string());
            }
            Err(Error::Busy { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    say(&made.join(" "));
    listen();
}

#[test]
fn of_many_that_replace_at_once_each_makes_an_epoch_of_its_own() {
    let _guard = Guard::new(120);
    let scrap = Scrap::new("replace");
    let mut players: Vec<_> = (0..4)
        .map(|_| Player::new("replace", scrap.name()))
        .collect();
    players.iter_mut().for_each(|player| player.expect("ready"));
    players.iter_mut().for_each(|player| player.tell("go"));
    let mut made: Vec<u64> = Vec::new();
    for player in &mut players {
        made.extend(
            player
                .hear()
                .split_whitespace()
                .map(|epoch| epoch.parse::<u64>().unwrap()),
        );
    }
    made.sort_unstable();
    assert_eq!(made, (1..=200).collect::<Vec<_>>());
    assert_eq!(scrap.segment().inspect().unwrap().epoch(), 200);
}
