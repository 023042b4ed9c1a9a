//! Names of segments, and the files they lead to.

use crate::Error;
use std::path::{Path, PathBuf};

/// Where segments lie unless told otherwise.
pub(crate) const DIRECTORY: &str = "/dev/shm";
/// What the files of segments begin with.
pub(crate) const PREFIX: &str = "gimmal-";
/// What a file begins with while it is on its way to replace the segment of its name.
const NEXT_PREFIX: &str = ".gimmal-";
/// The longest name: a file's is at most 255 bytes.
const LONGEST: usize = 240;

/// A segment's name and directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    directory: PathBuf,
    name: String,
}

impl Name {
    /// The segment called `name` in `directory`.
    pub fn new(directory: &Path, name: &str) -> Result<Self, Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_hidden = name.starts_with('.');
        if name.is_empty() || name.len() > LONGEST || is_hidden || !name.bytes().all(is_plain) {
            return Err(Error::Name(name.into()));
        }
        Ok(Self {
            directory: directory.into(),
            name: name.into(),
        })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Where the segment lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The segment's file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(format!("{PREFIX}{}", self.name))
    }

    /// The file of the segment that is about to replace it.
    pub fn next_path(&self) -> PathBuf {
        self.directory.join(format!("{NEXT_PREFIX}{}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_into_the_directory_and_nowhere_else() {
        let name = Name::new(Path::new("/dev/shm"), "md.ticks-1_A").unwrap();
        assert_eq!(name.path(), Path::new("/dev/shm/gimmal-md.ticks-1_A"));
        assert_eq!(name.next_path(), Path::new("/dev/shm/.gimmal-md.ticks-1_A"));
        let too_long = "a".repeat(LONGEST + 1);
        for bad in ["", "a/b", "a\0b", "ä", " ", "..", ".a", &too_long] {
            let refused = Name::new(Path::new("/dev/shm"), bad);
            assert_eq!(refused, Err(Error::Name(bad.into())), "{bad:?}");
        }
    }
}
