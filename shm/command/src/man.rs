//! The manual page.

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};

/// Prints the page of the command, with a section for each subcommand.
pub fn print(command: &Command) -> Result<()> {
    let mut page = Vec::new();
    let whole = Man::new(command.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let man = Man::new(sub.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        writeln!(page, ".SH {}", sub.get_name().to_uppercase())?;
        // Its sections are parts of this one.
        let section = String::from_utf8(section)?;
        page.extend(section.replace(".SH ", ".SS ").bytes());
    }
    whole.render_version_section(&mut page)?;
    io::stdout().write_all(&page)?;
    Ok(())
}
