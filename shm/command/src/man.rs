//! The manual page.

use anyhow::Result;
use clap::Command;
use std::io::{self, Write};

/// Prints the page of the command, then those of its subcommands as its further sections.
pub fn print(command: &Command) -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let man = clap_mangen::Man::new(sub.clone());
        writeln!(page, ".SH {}", sub.get_name().to_uppercase())?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    io::stdout().write_all(&page)?;
    Ok(())
}
