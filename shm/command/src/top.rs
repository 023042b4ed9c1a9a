//! `gimmal top`: `ls`, live.

use crate::row::{Row, Rows};
use crate::Place;
use anyhow::{ensure, Result};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Constraint;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Table};
use ratatui::Frame;
use std::io::{stdout, IsTerminal};
use std::time::Duration;

/// Options of `top`.
#[derive(clap::Args)]
pub struct Args {
    /// Between two looks, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..))]
    interval: u64,
}

/// Shows the segments until `q` is pressed.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    ensure!(
        stdout().is_terminal(),
        "top needs a terminal: ls prints once"
    );
    let interval = Duration::from_millis(args.interval);
    let mut terminal = ratatui::try_init()?;
    let shown = loop {
        let rows = match Rows::read(place, interval) {
            Ok(rows) => rows,
            Err(error) => break Err(error),
        };
        if let Err(error) = terminal.draw(|frame| draw(frame, &rows)) {
            break Err(error.into());
        }
        // Reading the rows has taken the interval, unless there are none.
        let wait = if rows.segments.is_empty() {
            interval
        } else {
            Duration::ZERO
        };
        match is_over(wait) {
            Ok(false) => {}
            Ok(true) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    ratatui::try_restore()?;
    shown
}

/// Whether a key that ends it was pressed.
fn is_over(wait: Duration) -> std::io::Result<bool> {
    let mut wait = wait;
    while event::poll(wait)? {
        wait = Duration::ZERO;
        if let Event::Key(key) = event::read()? {
            let is_interrupt =
                key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
            let is_quit = matches!(key.code, KeyCode::Char('q') | KeyCode::Esc);
            if key.kind == KeyEventKind::Press && (is_interrupt || is_quit) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn draw(frame: &mut Frame<'_>, rows: &Rows) {
    let count = rows.segments.len();
    let title = match rows.unreadable.len() {
        0 => format!(" {count} segments, q quits "),
        others => format!(" {count} segments, {others} files that are none, q quits "),
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let table = Table::new(
        rows.segments
            .iter()
            .map(|row| ratatui::widgets::Row::new(row.cells())),
        [
            Constraint::Fill(2),
            Constraint::Length(6),
            Constraint::Length(9),
            Constraint::Fill(1),
            Constraint::Length(9),
            Constraint::Length(12),
            Constraint::Fill(1),
            Constraint::Fill(1),
            Constraint::Length(6),
        ],
    )
    .header(ratatui::widgets::Row::new(Row::HEAD).style(bold))
    .block(Block::bordered().title(title));
    frame.render_widget(table, frame.area());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Unreadable;
    use ratatui::backend::TestBackend;
    use ratatui::Terminal;

    #[test]
    fn a_screen_shows_every_segment() {
        let row = |name: &str| Row {
            name: name.into(),
            kind: "line".into(),
            element_size: 48,
            capacity: 1024,
            depth: 7,
            dropped: 2,
            rate: 1234.5,
            producers: vec!["alive (42)".into()],
            consumer: "dead (43)".into(),
            epoch: 3,
        };
        let rows = Rows {
            segments: vec![row("ticks"), row("orders")],
            unreadable: vec![Unreadable {
                name: "odd".into(),
                error: "no segment".into(),
            }],
        };
        let mut terminal = Terminal::new(TestBackend::new(110, 6)).unwrap();
        terminal.draw(|frame| draw(frame, &rows)).unwrap();
        let screen = terminal.backend().to_string();
        for shown in [
            "2 segments, 1 files",
            "NAME",
            "ticks",
            "orders",
            "7/1024",
            "1234",
            "alive (42)",
            "dead (43)",
        ] {
            assert!(screen.contains(shown), "{shown} in\n{screen}");
        }
    }
}
