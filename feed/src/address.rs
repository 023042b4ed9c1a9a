//! Addresses, as far as they can be judged before anybody connects.

use anyhow::{ensure, Result};
use tungstenite::http::Uri;

/// That an address has one of two schemes, a host, and a port that can be one, if any.
pub fn check(address: &str, schemes: [&str; 2]) -> Result<()> {
    let uri: Uri = address.parse()?;
    let [plain, encrypted] = schemes;
    ensure!(
        uri.scheme_str().is_some_and(|one| schemes.contains(&one)),
        "it must begin with {plain}:// or {encrypted}://"
    );
    let host = uri.host().unwrap_or_default();
    ensure!(!host.is_empty(), "it names no host");
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    // An address of version 6 is written in brackets.
    let end = authority.rsplit(']').next().unwrap_or_default();
    let is_port = uri.port_u16().is_some();
    ensure!(is_port || !end.contains(':'), "its port is none");
    Ok(())
}
