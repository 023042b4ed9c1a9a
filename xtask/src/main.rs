//! The automation behind gimmal's commands.
fn main() {}
