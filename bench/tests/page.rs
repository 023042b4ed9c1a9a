//! The page: well formed, complete in itself, and true to the JSON.

use gimmal_bench::page::{page, Content, Source};
use gimmal_bench::report::{Cell, Figures};
use gimmal_bench::study::result::{StudyResult, Value};
use scraper::{ElementRef, Html, Selector};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The results of record.
fn of_record() -> Vec<Source> {
    let folder = std::fs::read_dir(root().join("docs/results")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    assert!(!files.is_empty());
    files
        .iter()
        .map(|file| Source::read(file).unwrap())
        .collect()
}

/// A study with a figure of every form.
fn every_form() -> Source {
    Source::read(&root().join("bench/tests/data/study-forms.json")).unwrap()
}

/// A comparison of record with single messages in every cell that is a time.
fn with_singles() -> Source {
    let mut source = of_record().remove(0);
    let Content::Comparison(report) = &mut source.content else {
        panic!("{} is no comparison", source.name)
    };
    for cell in &mut report.cells {
        if let Figures::Time { histogram, p50, .. } = &mut cell.figures {
            let middle = *p50 as u64;
            *histogram = Some(vec![
                [middle - 2, 300_000],
                [middle, 400_000],
                [middle * 2, 299_000],
                [middle * 40, 1_000],
            ]);
        }
    }
    source
}

fn all() -> Vec<Source> {
    of_record()
        .into_iter()
        .chain([every_form(), with_singles()])
        .collect()
}

fn parsed(sources: &[Source]) -> (String, Html) {
    let text = page(sources, Some("../"));
    let page = Html::parse_document(&text);
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    (text, page)
}

fn select<'a>(within: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    within.select(&Selector::parse(selector).unwrap()).collect()
}

fn words(element: ElementRef) -> String {
    element.text().collect()
}

/// The numbers in a text, each with what its last digit can be off by.
fn numbers(text: &str) -> Vec<(f64, f64)> {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | 'e');
    text.split(|c| !digits(c))
        .filter_map(|word| {
            let value: f64 = word.parse().ok()?;
            let (mantissa, power) = word.split_once('e').unwrap_or((word, "0"));
            let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
            let last = 10_f64.powi(power.parse::<i32>().ok()? - decimals as i32);
            Some((value, last * 0.500_001))
        })
        .collect()
}

/// Whether a text holds these numbers in this order, rounded, and no other.
fn says(text: &str, expected: &[f64]) -> bool {
    let found = numbers(text);
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|((value, off), expected)| (value - expected).abs() <= *off)
}

#[test]
fn it_is_well_formed_and_needs_nothing_else() {
    let (text, page) = parsed(&all());
    let page = page.root_element();
    assert!(select(
        page,
        "script, link, img, iframe, object, embed, [src], [style]"
    )
    .is_empty());
    for outside in ["url(", "@import", "http:", "https:", "//"] {
        assert!(!text.replace("://", "//").contains(outside), "{outside}");
    }
    let ids: Vec<&str> = select(page, "[id]")
        .iter()
        .filter_map(|element| element.attr("id"))
        .collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id comes twice");
    for link in select(page, "[href]") {
        let target = link.attr("href").unwrap();
        match target.strip_prefix('#') {
            Some(id) => assert!(unique.contains(id), "{target} leads nowhere"),
            None => assert!(target.starts_with("../docs/adr/"), "{target}"),
        }
    }
    assert_eq!(select(page, "meta[name=viewport]").len(), 1);
    assert!(text.contains("prefers-color-scheme: dark"));
}

#[test]
fn every_picture_has_words_and_every_figure_says_where_it_is_from() {
    let sources = all();
    let (_, page) = parsed(&sources);
    let page = page.root_element();
    for svg in select(page, "svg") {
        for label in svg.attr("aria-labelledby").unwrap().split(' ') {
            let element = select(svg, &format!("[id={label}]"));
            assert!(element.len() == 1 && words(element[0]).len() > 3, "{label}");
        }
        let drawn = select(svg, "path, rect, circle, polygon");
        assert!(
            !drawn.is_empty(),
            "{} is empty",
            svg.attr("aria-labelledby").unwrap()
        );
        for element in select(svg, "*") {
            let numeric = [
                "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "points", "d",
            ];
            for value in numeric.iter().filter_map(|name| element.attr(name)) {
                assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
                assert!(value != "M", "a line through no point");
            }
        }
    }
    for (section, source) in select(page, "main > section").into_iter().zip(&sources) {
        let (command, machine) = match &source.content {
            Content::Comparison(report) => (&report.command, &report.machine),
            Content::Study(study) => (&study.command, &study.machine),
        };
        let blocks = select(section, "details.machine");
        assert_eq!(blocks.len(), 1, "once in a section");
        assert_eq!(&words(select(blocks[0], "code")[0]), command);
        let block = words(blocks[0]);
        let parts = [
            &machine.cpu_model,
            &machine.kernel,
            &machine.compilers.rustc,
            &machine.compilers.cxx,
            &machine.flags,
        ];
        for part in parts {
            assert!(block.contains(part), "{part}");
        }
        let origin = format!("#{}", blocks[0].attr("id").unwrap());
        let figures = select(section, "figure");
        // A study may answer by a table alone.
        let expected = match &source.content {
            Content::Comparison(_) => 1,
            Content::Study(study) => study.figures.len(),
        };
        assert!(figures.len() >= expected, "{}", source.name);
        for figure in figures {
            let lines = select(figure, "p.source");
            assert_eq!(lines.len(), 1);
            assert!(words(lines[0]).contains(&machine.cpu_model));
            assert_eq!(select(lines[0], "a")[0].attr("href").unwrap(), origin);
        }
    }
}

#[test]
fn results_of_record_say_when_and_by_what_they_were_taken() {
    let sources = of_record();
    let (_, page) = parsed(&sources);
    for (section, source) in select(page.root_element(), "main > section")
        .into_iter()
        .zip(&sources)
    {
        let (command, taken, machine) = match &source.content {
            Content::Comparison(report) => (&report.command, &report.taken, &report.machine),
            Content::Study(study) => (&study.command, &study.taken, &study.machine),
        };
        let taken = taken.as_ref().unwrap();
        let block = words(select(section, "details.machine")[0]);
        assert!(
            block.contains(&taken.date) && block.contains(&taken.version),
            "{}: {block}",
            source.name
        );
        assert!(
            command.starts_with("cargo xtask "),
            "{}: {command}",
            source.name
        );
        // The summary, the caution and, in a comparison, the threats.
        let text = words(section);
        assert_eq!(
            text.contains("sched_rt_runtime_us at"),
            machine.throttling().is_some(),
            "{}",
            source.name
        );
        let json = match &source.content {
            Content::Comparison(report) => report.threats.clone(),
            Content::Study(study) => study.notes.clone(),
        };
        let throttling = machine.throttling();
        assert!(
            throttling.is_none_or(|throttling| json.contains(&throttling)),
            "{}",
            source.name
        );
    }
}

#[test]
fn sections_are_told_apart_by_their_titles() {
    let sources = of_record();
    let (_, page) = parsed(&sources);
    let titles: Vec<String> = select(page.root_element(), "main > section > h2")
        .into_iter()
        .map(words)
        .collect();
    let different: BTreeSet<&String> = titles.iter().collect();
    // Two runs of one study on one day are told apart by their files.
    let runs = sources
        .iter()
        .filter(|source| source.name.starts_with("study-co-"))
        .count();
    assert_eq!(different.len(), titles.len() - (runs - 1), "{titles:?}");
    let summary = select(page.root_element(), "section.summary li");
    assert_eq!(summary.len(), sources.len());
    for (line, source) in summary.into_iter().zip(&sources) {
        let text = words(line);
        match &source.content {
            Content::Study(study) => assert!(study
                .claim
                .as_ref()
                .is_none_or(|claim| text.to_lowercase().contains(claim.verdict.words()))),
            Content::Comparison(_) => assert!(
                text.contains("the best of gimmal's queues") && text.contains("Targets"),
                "{text}"
            ),
        }
    }
}

#[test]
fn headings_go_down_one_level_at_a_time() {
    let (_, page) = parsed(&all());
    let mut last = 0;
    for heading in select(page.root_element(), "h1, h2, h3, h4, h5, h6") {
        let level: u32 = heading.value().name()[1..].parse().unwrap();
        assert!(level <= last + 1, "{} is below h{last}", words(heading));
        last = level;
    }
}

#[test]
fn a_comparison_s_tables_say_what_its_json_says() {
    for source in of_record() {
        let Content::Comparison(report) = &source.content else {
            continue;
        };
        let (_, page) = parsed(std::slice::from_ref(&source));
        let tables = select(page.root_element(), "div.tables tbody tr");
        assert_eq!(tables.len(), report.cells.len());
        let mut cells: Vec<&Cell> = report.cells.iter().collect();
        // As the page has them: by benchmark, then by placement.
        cells.sort_by_key(|cell| {
            let benchmarks = gimmal_bench::catalog::BENCHMARKS;
            let placements = ["sibling", "near", "far"];
            (
                benchmarks
                    .iter()
                    .position(|each| each.name() == cell.benchmark),
                placements.iter().position(|each| *each == cell.placement),
            )
        });
        for (row, cell) in tables.into_iter().zip(cells) {
            let columns: Vec<String> = select(row, "th, td").into_iter().map(words).collect();
            let said = |column: usize, (value, interval): (Option<f64>, Option<[f64; 2]>)| {
                let expected: Vec<f64> = value
                    .into_iter()
                    .chain(interval.into_iter().flatten())
                    .collect();
                let text = columns[column].trim_start_matches('-');
                assert!(
                    says(text, &expected),
                    "{}: {text} for {expected:?}",
                    cell.queue
                );
            };
            assert_eq!(columns[0], cell.queue);
            said(1, (Some(cell.value()), None));
            said(2, cell.to_reference());
            said(4, cell.to_limit());
        }
    }
}

#[test]
fn a_study_s_tables_and_figures_say_what_its_json_says() {
    let source = every_form();
    let Content::Study(study) = &source.content else {
        panic!("no study")
    };
    let study: &StudyResult = study;
    let (_, page) = parsed(std::slice::from_ref(&source));
    let page = page.root_element();

    let rows = select(page, "section > div.wide tbody tr");
    let expected: Vec<_> = study.tables.iter().flat_map(|table| &table.rows).collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.into_iter().zip(expected) {
        for (cell, value) in select(row, "td").into_iter().zip(expected) {
            let text = words(cell);
            match value {
                Value::Missing => assert_eq!(text, "–"),
                Value::Text(value) => assert_eq!(&text, value),
                Value::Number(value) => assert!(says(&text, &[*value]), "{text}"),
                Value::Within(value) => {
                    assert!(says(&text, &[value.value, value.low, value.high]), "{text}")
                }
            }
        }
    }
    for (drawn, figure) in select(page, "figure").into_iter().zip(&study.figures) {
        assert_eq!(words(select(drawn, "h3")[0]), figure.title);
        let table: String = select(drawn, "tbody td")
            .into_iter()
            .map(|cell| words(cell) + " ")
            .collect();
        let shown = numbers(&table);
        let is_shown = |value: f64| {
            shown
                .iter()
                .any(|(shown, off)| (shown - value).abs() <= *off)
        };
        let density = figure.form == gimmal_bench::study::result::Form::Density;
        for point in figure
            .series
            .iter()
            .flat_map(|series| &series.points)
            .filter(|_| !density)
        {
            for value in [Some(point.y), point.low, point.high].into_iter().flatten() {
                assert!(is_shown(value), "{}: {value} in {table}", figure.title);
            }
        }
        let svg = select(drawn, "svg")[0];
        for series in &figure.series {
            let texts: Vec<String> = select(svg, "text").into_iter().map(words).collect();
            let all_words = series
                .name
                .split(' ')
                .all(|word| texts.iter().any(|text| text.contains(word)));
            assert!(
                all_words || figure.series.len() == 1,
                "{} is not named",
                series.name
            );
        }
    }
    let claim = study.claim.as_ref().unwrap();
    let shown = words(select(page, "div.claim")[0]);
    for part in [&claim.prediction, &claim.margin, &claim.record] {
        assert!(shown.contains(part.as_str()), "{part}");
    }
    let link = select(page, "div.claim a")[0].attr("href").unwrap();
    assert_eq!(link, format!("../{}", claim.record));
}

#[test]
fn single_messages_are_drawn_where_they_were_recorded() {
    let strips = |source: Source| {
        let (_, page) = parsed(&[source]);
        (
            select(page.root_element(), "rect.ink").len(),
            select(page.root_element(), "path.line").len(),
        )
    };
    assert_eq!(strips(of_record().remove(0)), (0, 0));
    let (ink, lines) = strips(with_singles());
    assert!(ink > 100 && lines > 10, "{ink} {lines}");
}

#[test]
fn what_is_no_result_is_refused() {
    let refused = |text: &str, reason: &str| {
        let error = format!("{:#}", Source::from_json("x", text).unwrap_err());
        assert!(error.contains(reason), "{error}");
    };
    refused("{", "no JSON");
    refused("[]", "neither");
    refused("{\"cells\": 1}", "not a report");
    refused(
        &json!({"study": "x"}).to_string(),
        "not the result of a study",
    );
}
