//! Running programs: their output is shown, or taken.

use anyhow::{bail, Context, Result};
use indicatif::ProgressBar;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// Runs a program and prints what it writes, line by line, above `bar`; fails if the program does.
pub fn run(bar: &ProgressBar, command: Command) -> Result<()> {
    let line = describe(&command);
    let status = status(bar, command)?;
    if !status.success() {
        bail!("`{line}`: {status}");
    }
    Ok(())
}

/// Like [`run`], for programs whose failures differ: how it ended.
pub fn status(bar: &ProgressBar, mut command: Command) -> Result<ExitStatus> {
    let (reader, writer) = os_pipe::pipe()?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let mut child = start(&mut command)?;
    // The command holds this side's ends of the pipe: while they are open the output does not end.
    drop(command);
    for text in BufReader::new(reader).split(b'\n') {
        let text = text?;
        bar.suspend(|| println!("{}", String::from_utf8_lossy(&text)));
    }
    Ok(child.wait()?)
}

/// What a program writes to its standard output; if it fails, an error with what it wrote to the other.
pub fn capture(command: &mut Command) -> Result<String> {
    let child = start(
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    )?;
    judge(command, child.wait_with_output()?)
}

/// Like [`capture`], for programs of little output; one that has not finished in `limit` is ended.
pub fn capture_within(limit: Duration, command: &mut Command) -> Result<String> {
    let output = output_within(limit, command)?;
    judge(command, output)
}

/// What a program of little output writes and ends with; one that has not finished in `limit` is ended.
pub fn output_within(limit: Duration, command: &mut Command) -> Result<Output> {
    let mut child = start(
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    )?;
    if child.wait_timeout(limit)?.is_none() {
        child.kill()?;
        child.wait()?;
        bail!(
            "`{}`: no answer in {} s",
            describe(command),
            limit.as_secs()
        );
    }
    Ok(child.wait_with_output()?)
}

/// Whether a program can be started and succeeds.
pub fn succeeds(command: &mut Command) -> bool {
    capture(command).is_ok()
}

fn start(command: &mut Command) -> Result<std::process::Child> {
    command
        .spawn()
        .with_context(|| format!("cannot start `{}`", describe(command)))
}

fn judge(command: &Command, output: Output) -> Result<String> {
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{}`: {}\n{}",
            describe(command),
            output.status,
            complaint.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it, without directory and environment.
fn describe(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_what_the_program_said() {
        let error = capture(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("exit status: 3") && text.contains("why"),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let limit = Duration::from_millis(50);
        let error = capture_within(limit, Command::new("sleep").arg("600")).unwrap_err();
        assert!(error.to_string().contains("no answer"), "{error}");
    }

    #[test]
    fn run_reports_the_status() {
        let bar = ProgressBar::hidden();
        assert!(run(&bar, Command::new("true")).is_ok());
        assert!(run(&bar, Command::new("false")).is_err());
        assert!(run(&bar, Command::new("no-such-program-anywhere")).is_err());
    }
}
