//! `gimmal top`: `ls`, live.

use crate::columns::{cut, fit};
use crate::row::{Row, Rows};
use crate::Place;
use anyhow::{ensure, Result};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Table};
use ratatui::Frame;
use std::io::{stdout, IsTerminal};
use std::time::Duration;

/// Options of `top`.
#[derive(clap::Args)]
pub struct Args {
    /// Between two looks, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=60_000))]
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
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let head = Row::HEAD.map(str::to_owned);
    let cells: Vec<_> = rows.segments.iter().map(Row::cells).collect();
    let widest = |column: usize| {
        let rows = cells.iter().chain([&head]);
        rows.map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let wanted: Vec<usize> = (0..head.len()).map(widest).collect();
    let inside = Block::bordered().inner(frame.area());
    let fitted = fit(&wanted, &Row::FIRST_TO_GO, inside.width.into());
    let shown = |row: &[String; 10]| {
        let cells = fitted.shown.iter().zip(&fitted.widths);
        ratatui::widgets::Row::new(cells.map(|(column, width)| cut(&row[*column], *width)))
    };
    let widths = fitted.widths.iter().map(|width| *width as u16);
    let table = Table::new(cells.iter().map(shown), widths)
        .header(shown(&head).style(bold))
        .block(Block::bordered().title(title(rows)));
    frame.render_widget(table, frame.area());
}

fn title(rows: &Rows) -> String {
    let segments = match rows.segments.len() {
        1 => "1 segment".to_owned(),
        count => format!("{count} segments"),
    };
    let others = match rows.unreadable.len() {
        0 => String::new(),
        1 => ", 1 file that is none".to_owned(),
        count => format!(", {count} files that are none"),
    };
    format!(" {segments}{others}, q quits ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::end::End;
    use crate::row::Unreadable;
    use ratatui::backend::TestBackend;
    use ratatui::Terminal;

    fn end(peer: &str, pid: u32) -> End {
        End {
            peer: peer.into(),
            pid: Some(pid),
            claims: 1,
            last_beat: None,
        }
    }

    fn row(name: &str) -> Row {
        Row {
            name: name.into(),
            kind: "line".into(),
            element_size: 48,
            capacity: 1534,
            depth: 1000,
            dropped: 2,
            rate: 1234.5,
            is_closed: name == "orders",
            producers: vec![end("alive", 117_342)],
            consumer: end("dead", 43),
            epoch: 3,
        }
    }

    fn screen(width: u16, rows: &Rows) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, 6)).unwrap();
        terminal.draw(|frame| draw(frame, rows)).unwrap();
        terminal.backend().to_string()
    }

    fn rows() -> Rows {
        Rows {
            segments: vec![row("market-data-of-the-exchange-1"), row("orders")],
            unreadable: vec![Unreadable {
                name: "odd".into(),
                error: "no segment".into(),
            }],
        }
    }

    #[test]
    fn a_screen_shows_every_segment() {
        let screen = screen(110, &rows());
        for shown in [
            "2 segments, 1 file that is none",
            "NAME",
            "market-data-of-the-exchange-1",
            "orders",
            "closed",
            "1000/1534",
            "1234",
            "alive (117342)",
            "dead (43)",
        ] {
            assert!(screen.contains(shown), "{shown} in\n{screen}");
        }
    }

    #[test]
    fn a_narrow_screen_shows_less_and_cuts_no_number() {
        for width in 24..110 {
            let screen = screen(width, &rows());
            let lines: Vec<_> = screen.lines().collect();
            let words = |line: &str| -> Vec<String> {
                let inside = line.trim_matches(['"', '│']).to_owned();
                let inside = inside.replace(" B", "B").replace(" (", "(");
                inside.split_whitespace().map(str::to_owned).collect()
            };
            let [head, first, second] = [1, 2, 3].map(|line| words(lines[line]));
            assert_eq!(head[0], "NAME", "{screen}");
            assert_eq!(head.len(), first.len(), "{screen}");
            let name = &first[0];
            assert!(
                name == "market-data-of-the-exchange-1" || name.contains('…'),
                "{screen}"
            );
            assert_eq!(second[0], "orders", "{screen}");
            let whole = [
                "line",
                "48B",
                "open",
                "1000/1534",
                "2",
                "1234",
                "alive(117342)",
                "dead(43)",
                "3",
            ];
            for cell in &first[1..] {
                assert!(whole.contains(&cell.as_str()), "{cell} in\n{screen}");
            }
            if width >= 80 {
                assert!(head.contains(&"CONSUMER".to_owned()), "{screen}");
            }
        }
    }
}
