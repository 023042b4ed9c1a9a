//! Messages between every pair of languages, over every kind of ring, for as long as is asked.

use super::record::Record;
use super::Part;
use crate::project;
use anyhow::{Context, Result};
use std::fs;

pub const PART: Part = Part {
    name: "soak",
    purpose: "every pair of languages passes 10^10 messages in all, or GIMMAL_MESSAGES, or those of GIMMAL_SECONDS",
    needs: &[],
    run,
};

fn run(record: &mut Record) -> Result<()> {
    let result = record.folder()?.join("result");
    let mut test = project::cargo("test --quiet --release --package gimmal-c-tests --test mix");
    test.args(["--", "--ignored", "--exact", "soak", "--nocapture"])
        .env("GIMMAL_RESULT", &result);
    record.run(test)?;
    record.note(fs::read_to_string(&result).context("the soak left no result")?);
    record.note("0 lost, torn or out of order: the first would have ended the run");
    Ok(())
}
