//! The live view: a ladder of one symbol, the latency of the last minute, the ring, and all symbols.

use super::text::{known, mark, state};
use gimmal_feed::book::{Level, Quantity};
use gimmal_feed::report::{trimmed, Report, SymbolReport};
use gimmal_feed::units::{self, count};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Gauge, Paragraph, Row, Sparkline, Table};
use ratatui::{DefaultTerminal, Frame};
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

/// The screen, and what it has shown.
pub struct View {
    terminal: DefaultTerminal,
    shown: Shown,
}

/// What the screen shows beside the report.
#[derive(Default)]
struct Shown {
    /// Which symbol's ladder.
    selected: usize,
    /// The 99th percentiles of the last reports, in nanoseconds.
    latencies: VecDeque<u64>,
    /// The last trouble.
    trouble: Option<(f64, String)>,
}

/// So many seconds a trouble stays on the screen.
const LASTS: f64 = 10.0;
/// As many as a wide terminal has columns.
const MOST: usize = 400;

impl View {
    /// Takes the screen.
    pub fn open() -> io::Result<Self> {
        Ok(Self {
            terminal: ratatui::try_init()?,
            shown: Shown::default(),
        })
    }

    /// Gives the screen back.
    pub fn close(mut self) -> io::Result<()> {
        // What a terminal keeps of it after its size has changed goes, too.
        self.terminal.clear()?;
        ratatui::try_restore()
    }

    /// Draws a report; breaks if a key was pressed that ends it.
    pub fn show(&mut self, report: &Report) -> io::Result<ControlFlow<()>> {
        self.shown.take(report);
        while event::poll(Duration::ZERO)? {
            let Event::Key(key) = event::read()? else {
                continue;
            };
            if key.kind != KeyEventKind::Press {
                continue;
            }
            let is_interrupt =
                key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(ControlFlow::Break(())),
                _ if is_interrupt => return Ok(ControlFlow::Break(())),
                KeyCode::Tab | KeyCode::Down | KeyCode::Right => self.shown.selected += 1,
                KeyCode::BackTab | KeyCode::Up | KeyCode::Left => {
                    let count = report.symbols.len().max(1);
                    self.shown.selected += count - 1;
                }
                _ => {}
            }
        }
        let shown = &self.shown;
        self.terminal.draw(|frame| draw(frame, report, shown))?;
        Ok(ControlFlow::Continue(()))
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // Restoring twice does no harm, and an error has nowhere to go.
        let _ = ratatui::try_restore();
    }
}

impl Shown {
    fn take(&mut self, report: &Report) {
        if report.recent_latency.count > 0 {
            self.latencies.push_front(report.recent_latency.p99);
            self.latencies.truncate(MOST);
        }
        if let Some(trouble) = report.troubles.last() {
            self.trouble = Some((
                report.seconds,
                format!("{:.1} s: {trouble}", report.seconds),
            ));
        } else {
            self.trouble
                .take_if(|(since, _)| report.seconds - *since > LASTS);
        }
    }
}

fn draw(frame: &mut Frame<'_>, report: &Report, shown: &Shown) {
    let height = report.symbols.len().clamp(1, 8) as u16 + 3;
    let [above, symbols, below] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(height),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(above);
    let [latency, ring, book] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(4),
        Constraint::Length(6),
    ])
    .areas(right);
    let selected = report
        .symbols
        .get(shown.selected % report.symbols.len().max(1));
    draw_ladder(frame, left, selected);
    draw_latency(frame, latency, report, shown);
    draw_ring(frame, ring, report);
    draw_book(frame, book, report);
    draw_symbols(frame, symbols, report, selected);
    let keys = " q quits, Tab next symbol ";
    let line = match &shown.trouble {
        Some((_, trouble)) => Line::from(vec![
            Span::raw(keys),
            Span::styled(trouble.as_str(), Style::new().fg(Color::Yellow)),
        ]),
        None => Line::raw(keys),
    };
    frame.render_widget(line, below);
}

/// The best levels, asks above bids, with bars for the quantities.
fn draw_ladder(frame: &mut Frame<'_>, area: Rect, symbol: Option<&SymbolReport>) {
    let name = symbol.map_or_else(
        || "no symbol yet".into(),
        |symbol| format!("{}{}", symbol.symbol, mark(symbol)),
    );
    let block = Block::bordered().title(format!(" {name} "));
    let inside = block.inner(area);
    let Some(symbol) = symbol else {
        frame.render_widget(block, area);
        return;
    };
    let each = usize::from(inside.height.saturating_sub(1) / 2);
    let (bids, asks) = (&symbol.ladder.bids, &symbol.ladder.asks);
    let bids = &bids[..each.min(bids.len())];
    let asks = &asks[..each.min(asks.len())];
    let quantity = |level: &Level| level.quantity.raw();
    let most = bids.iter().chain(asks).map(quantity).max().unwrap_or(1);
    let width = usize::from(inside.width.saturating_sub(30)).max(1);
    let longest = trimmed(&Quantity::from_raw(most).to_string());
    let block = block.title_bottom(format!(" longest bar {longest} "));
    frame.render_widget(block, area);
    let row = |level: &Level, color: Color| {
        let length = (quantity(level) as f64 / most as f64 * width as f64).ceil() as usize;
        let right = |text: String| Cell::from(Line::raw(text).alignment(Alignment::Right));
        Row::new([
            right(trimmed(&level.price.to_string())),
            right(trimmed(&level.quantity.to_string())),
            Cell::from(Span::styled("█".repeat(length), Style::new().fg(color))),
        ])
    };
    let blank = each.saturating_sub(asks.len());
    let spread = symbol.spread.as_deref().unwrap_or("-");
    let mid = symbol.mid.as_deref().unwrap_or("-");
    let middle = Row::new([
        Cell::from(Line::raw(format!("mid {mid}")).alignment(Alignment::Right)),
        Cell::from(Line::raw(format!("spread {spread}")).alignment(Alignment::Right)),
    ]);
    let rows = (0..blank)
        .map(|_| Row::new([""]))
        .chain(asks.iter().rev().map(|level| row(level, Color::Red)))
        .chain([middle.style(Style::new().add_modifier(Modifier::BOLD))])
        .chain(bids.iter().map(|level| row(level, Color::Green)));
    let widths = [
        Constraint::Length(14),
        Constraint::Length(14),
        Constraint::Fill(1),
    ];
    frame.render_widget(Table::new(rows, widths), inside);
}

fn draw_latency(frame: &mut Frame<'_>, area: Rect, report: &Report, shown: &Shown) {
    let recent = &report.recent_latency;
    let title = format!(
        " p50 {}, p99 {}, all p99 {} ",
        known(recent, recent.p50),
        known(recent, recent.p99),
        known(&report.latency, report.latency.p99),
    );
    let highest = shown.latencies.iter().max().copied();
    let scale = highest.map_or(String::new(), |highest| {
        format!(" latency, p99 up to {} ", units::time(highest as f64))
    });
    let block = Block::bordered().title(title).title_bottom(scale);
    // The newest is at the right.
    let columns = usize::from(block.inner(area).width);
    let latencies: Vec<u64> = shown
        .latencies
        .iter()
        .take(columns)
        .copied()
        .rev()
        .collect();
    let sparkline = Sparkline::default()
        .block(block)
        .data(&latencies)
        .style(Style::new().fg(Color::Cyan));
    frame.render_widget(sparkline, area);
}

fn draw_ring(frame: &mut Frame<'_>, area: Rect, report: &Report) {
    let ring = &report.ring;
    let block = Block::bordered().title(" ring ");
    let [counts, depth] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(block.inner(area));
    frame.render_widget(block, area);
    let color = if ring.dropped == 0 {
        Color::Reset
    } else {
        Color::Red
    };
    let line = Line::from(vec![
        Span::raw(format!(
            "{} produced, {} consumed, ",
            ring.produced, ring.consumed
        )),
        Span::styled(format!("{} dropped", ring.dropped), Style::new().fg(color)),
    ]);
    frame.render_widget(line, counts);
    let share = ring.depth as f64 / ring.capacity.max(1) as f64;
    let gauge = Gauge::default()
        .ratio(share.clamp(0.0, 1.0))
        .label(format!("{} of {} B", ring.depth, ring.capacity))
        .gauge_style(Style::new().fg(Color::Blue));
    frame.render_widget(gauge, depth);
}

fn draw_book(frame: &mut Frame<'_>, area: Rect, report: &Report) {
    let total = &report.total;
    let lines = vec![
        Line::raw(format!(
            "{} applied, {} stale, {} held",
            total.applied, total.stale, total.held
        )),
        Line::raw(format!(
            "{}, {}, {}",
            count(total.gaps, "gap"),
            count(total.resyncs, "resync"),
            count(report.connections, "connection")
        )),
        Line::raw(format!(
            "{} of {} checked by best prices, {} differ",
            total.checked, total.applied, total.disagreed
        )),
        Line::raw(format!("{} messages malformed", report.malformed)),
    ];
    let paragraph = Paragraph::new(lines).block(Block::bordered().title(" books "));
    frame.render_widget(paragraph, area);
}

fn draw_symbols(
    frame: &mut Frame<'_>,
    area: Rect,
    report: &Report,
    selected: Option<&SymbolReport>,
) {
    let head = [
        "SYMBOL",
        "BID",
        "ASK",
        "SPREAD",
        "IMBALANCE",
        "LEVELS",
        "GAPS",
        "STATE",
    ];
    let cells = report.symbols.iter().map(|symbol| {
        let price = |price: &Option<String>| price.clone().unwrap_or_else(|| "-".into());
        let imbalance = symbol.imbalance.map(|share| format!("{share:+.3}"));
        [
            symbol.symbol.clone(),
            price(&symbol.bid),
            price(&symbol.ask),
            price(&symbol.spread),
            price(&imbalance),
            symbol.levels.to_string(),
            symbol.counters.gaps.to_string(),
            state(symbol).to_owned(),
        ]
    });
    let cells: Vec<_> = cells.collect();
    let widths = head.each_ref().map(|title| title.len());
    let widths = cells.iter().fold(widths, |mut widths, row| {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
        widths
    });
    let shown = columns(&widths, usize::from(area.width.saturating_sub(2)));
    let rows = report.symbols.iter().zip(&cells).map(|(symbol, cells)| {
        let row = Row::new(shown.iter().map(|&column| cells[column].clone()));
        if selected.is_some_and(|selected| selected.symbol == symbol.symbol) {
            row.style(Style::new().add_modifier(Modifier::REVERSED))
        } else {
            row
        }
    });
    let header = Row::new(shown.iter().map(|&column| head[column]));
    let widths = shown
        .iter()
        .map(|&column| Constraint::Min(widths[column] as u16));
    let table = Table::new(rows, widths)
        .header(header.style(Style::new().add_modifier(Modifier::BOLD)))
        .block(Block::bordered().title(format!(" {:.0} s ", report.seconds)));
    frame.render_widget(table, area);
}

/// The columns of symbols that go first where there is no room for all: a number that is cut is another number.
const FIRST_TO_GO: [usize; 7] = [5, 4, 6, 3, 7, 2, 1];

/// Which of the columns of these widths are shown in so much room.
fn columns(widths: &[usize], room: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    for gone in FIRST_TO_GO {
        let needed: usize = shown.iter().map(|&column| widths[column] + 1).sum();
        if needed <= room + 1 {
            break;
        }
        shown.retain(|&column| column != gone);
    }
    shown
}

#[cfg(test)]
mod tests;
