//! What went wrong, as a line of text.

/// An error and its causes, the outermost first. Many errors name their cause themselves: what was said already is not said again.
pub fn text(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// An address without its path: enough to tell where something went wrong.
pub fn place(address: &str) -> &str {
    let host = address.find("://").map_or(0, |at| at + 3);
    let end = address[host..].find(['/', '?']);
    end.map_or(address, |at| &address[..host + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn a_cause_is_named_once() {
        let error = anyhow!("refused").context("IO error: refused");
        assert_eq!(text(&error), "IO error: refused");
        let error = anyhow!("refused").context("cannot connect");
        assert_eq!(text(&error), "cannot connect: refused");
    }

    #[test]
    fn a_place_has_no_path() {
        for (address, expected) in [
            ("wss://h:1/stream?streams=x", "wss://h:1"),
            ("http://h", "http://h"),
            ("h:1/x", "h:1"),
        ] {
            assert_eq!(place(address), expected);
        }
    }
}
