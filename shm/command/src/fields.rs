//! Descriptions of elements, `u64 f64 [8]char` say: what the bytes mean.

use anyhow::{bail, ensure, Context, Result};
use serde::{Serialize, Serializer};
use serde_json::{json, Value};
use std::str::FromStr;

/// One field, or several alike in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: Option<String>,
    kind: Scalar,
    /// How many; `None` for one that is no array.
    count: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
    Char,
    /// Bytes that are not shown.
    Pad,
}

impl Scalar {
    fn size(self) -> usize {
        match self {
            Self::Unsigned(size) | Self::Signed(size) | Self::Float(size) => size,
            Self::Char | Self::Pad => 1,
        }
    }
}

impl FromStr for Scalar {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "u8" => Self::Unsigned(1),
            "u16" => Self::Unsigned(2),
            "u32" => Self::Unsigned(4),
            "u64" => Self::Unsigned(8),
            "i8" => Self::Signed(1),
            "i16" => Self::Signed(2),
            "i32" => Self::Signed(4),
            "i64" => Self::Signed(8),
            "f32" => Self::Float(4),
            "f64" => Self::Float(8),
            "char" => Self::Char,
            "pad" => Self::Pad,
            _ => bail!("no field is of type {text:?}: there are u8 to u64, i8 to i64, f32, f64, char, and pad for bytes not shown"),
        })
    }
}

/// What an element consists of: fields that lie side by side, each `[count]type` with an optional `name:` before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields(Vec<Field>);

impl FromStr for Fields {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let fields = text
            .split_whitespace()
            .map(field)
            .collect::<Result<Vec<_>>>()?;
        ensure!(!fields.is_empty(), "no field is given");
        let names: Vec<_> = fields
            .iter()
            .filter_map(|field| field.name.as_ref())
            .collect();
        for (at, name) in names.iter().enumerate() {
            ensure!(
                !names[..at].contains(name),
                "two fields are called {name:?}"
            );
        }
        Ok(Self(fields))
    }
}

fn field(text: &str) -> Result<Field> {
    let (name, rest) = match text.split_once(':') {
        Some((name, rest)) => {
            let starts_as_a_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            ensure!(
                starts_as_a_name,
                "{name:?} is no name of a field: one begins with a letter"
            );
            (Some(name.to_owned()), rest)
        }
        None => (None, text),
    };
    let (count, kind) = match rest.strip_prefix('[') {
        None => (None, rest),
        Some(rest) => {
            let (count, kind) = rest
                .split_once(']')
                .context("a count has no closing bracket")?;
            (
                Some(
                    count
                        .parse()
                        .with_context(|| format!("{count:?} is no count"))?,
                ),
                kind,
            )
        }
    };
    Ok(Field {
        name,
        kind: kind.parse()?,
        count,
    })
}

impl Fields {
    /// Bytes that are described; `None` if that is no number.
    pub fn size(&self) -> Option<usize> {
        self.0.iter().try_fold(0_usize, |size, field| {
            size.checked_add(field.kind.size().checked_mul(field.count.unwrap_or(1))?)
        })
    }

    /// The element's fields in order. `bytes` are as many as are described.
    pub fn read(&self, mut bytes: &[u8]) -> Read {
        let mut values = Vec::new();
        for (index, field) in self.0.iter().enumerate() {
            let (own, rest) = bytes.split_at(field.kind.size() * field.count.unwrap_or(1));
            bytes = rest;
            if field.kind == Scalar::Pad {
                continue;
            }
            let name = field.name.clone().ok_or(index);
            values.push((name, value(field, own)));
        }
        Read(values)
    }
}

/// An element's fields, each with its name, or with its number if it has none.
pub struct Read(pub Vec<(Result<String, usize>, Value)>);

impl Serialize for Read {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| {
            let name = name.as_ref().map_or_else(ToString::to_string, Clone::clone);
            (name, value)
        }))
    }
}

fn value(field: &Field, bytes: &[u8]) -> Value {
    let mut scalars = bytes
        .chunks(field.kind.size())
        .map(|bytes| scalar(field.kind, bytes));
    match (field.kind, field.count) {
        (Scalar::Char, _) => {
            let text = String::from_utf8_lossy(bytes);
            json!(text.trim_end_matches('\0'))
        }
        (_, Some(_)) => scalars.collect(),
        (_, None) => scalars.next().unwrap_or(Value::Null),
    }
}

/// In the machine's byte order, as the elements are.
fn scalar(kind: Scalar, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    if cfg!(target_endian = "little") {
        wide[..bytes.len()].copy_from_slice(bytes);
    } else {
        wide[8 - bytes.len()..].copy_from_slice(bytes);
    }
    let word = u64::from_ne_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    match kind {
        Scalar::Signed(_) => json!(((word << unused) as i64) >> unused),
        Scalar::Float(4) => json!(f32::from_bits(word as u32)),
        Scalar::Float(_) => json!(f64::from_bits(word)),
        _ => json!(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_described() {
        let fields: Fields = "id:u64 price:f64 [8]char delta:i16 [2]u8 [4]pad i32"
            .parse()
            .unwrap();
        assert_eq!(fields.size(), Some(8 + 8 + 8 + 2 + 2 + 4 + 4));
        let mut bytes = Vec::new();
        bytes.extend(7u64.to_ne_bytes());
        bytes.extend(1.5f64.to_ne_bytes());
        bytes.extend(b"ABC\0\0\0\0\0");
        bytes.extend((-2i16).to_ne_bytes());
        bytes.extend([8, 9, 1, 1, 1, 1]);
        bytes.extend((-1i32).to_ne_bytes());
        let read = serde_json::to_value(fields.read(&bytes)).unwrap();
        let expected =
            json!({"id": 7, "price": 1.5, "2": "ABC", "delta": -2, "4": [8, 9], "6": -1});
        assert_eq!(read, expected);
    }

    #[test]
    fn what_describes_nothing_is_refused() {
        for bad in [
            "",
            "u65",
            "[8char",
            "[x]u8",
            "[-1]u8",
            "a:",
            ":u8",
            "1:u8",
            "a:u8 b:u8 a:u8",
        ] {
            assert!(bad.parse::<Fields>().is_err(), "{bad}");
        }
        let vast: Fields = format!("[{}]u64", usize::MAX).parse().unwrap();
        assert_eq!(vast.size(), None);
        let vast: Fields = format!("[{}]u8 u8", usize::MAX).parse().unwrap();
        assert_eq!(vast.size(), None);
    }

    #[test]
    fn fields_keep_their_order() {
        let many = "z:u8 a:u8 u8 u8 u8 u8 u8 u8 u8 u8 u8 u8";
        let fields: Fields = many.parse().unwrap();
        let read = fields.read(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            r#"{"z":0,"a":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":11}"#
        );
    }
}
