//! Descriptions of elements for the command `gimmal`: what they describe is read, and shown as JSON.

use std::hint::black_box;

#[allow(dead_code)]
#[path = "../../shm/command/src/fields.rs"]
mod description;

/// The first line describes, the rest is the element, or zeros where it is shorter.
pub fn fields(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (text, element) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(fields) = text.parse::<description::Fields>() else {
        return;
    };
    let Some(size) = fields.size().filter(|&size| size <= 1 << 16) else {
        return;
    };
    let mut element = element.as_bytes().to_vec();
    element.resize(size, 0);
    let read = fields.read(&element);
    let shown = serde_json::to_string(&read).expect("fields are JSON");
    let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON is read again");
    assert!(value
        .as_object()
        .is_some_and(|fields| fields.len() <= text.len()));
    black_box(shown);
}
