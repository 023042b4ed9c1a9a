//! JSON as it is written to files: a line for each key, and lists of plain values on one line.

use anyhow::Result;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// A value as JSON.
///
/// # Errors
///
/// If it has no such form.
pub fn text(value: &impl Serialize) -> Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Layout::default()))?;
    out.push(b'\n');
    Ok(String::from_utf8(out)?)
}

/// Which of the things that are open are lists, and how many are objects.
#[derive(Default)]
struct Layout {
    lists: Vec<bool>,
    depth: usize,
}

impl Layout {
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }

    fn comma_unless<W: ?Sized + Write>(out: &mut W, first: bool) -> io::Result<()> {
        if first {
            Ok(())
        } else {
            out.write_all(b",")
        }
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists.push(true);
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists.pop();
        out.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        Self::comma_unless(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.lists.last() == Some(&true) {
            self.line(out)?;
        }
        self.lists.push(false);
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists.pop();
        self.depth -= 1;
        self.line(out)?;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        Self::comma_unless(out, first)?;
        self.line(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    #[test]
    fn lists_of_numbers_take_one_line_and_nothing_is_lost() {
        let value = json!({"cells": [{"histogram": [[1, 2], [3, 4]], "name": "a,\"b\""}, {}], "none": null});
        let text = text(&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(text.contains("\"histogram\": [[1,2],[3,4]],\n"), "{text}");
        assert!(text.lines().all(|line| !line.ends_with(' ')), "{text}");
    }
}
