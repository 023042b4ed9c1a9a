//! Encrypted connections, and plain ones, behind one type.

use anyhow::{anyhow, ensure, Context, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The certificates in a PEM file.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = || -> Result<Vec<_>> {
        let text = std::fs::read(path)?;
        Ok(CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>()?)
    };
    let certificates = read().with_context(|| format!("certificates in {}", path.display()))?;
    ensure!(
        !certificates.is_empty(),
        "no certificate in {}",
        path.display()
    );
    Ok(certificates)
}

/// Trusts the authorities in a file, or else those that browsers trust.
pub fn config(authorities: Option<&Path>) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            for certificate in certificates(path)? {
                roots
                    .add(certificate)
                    .with_context(|| format!("certificates in {}", path.display()))?;
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// A connection.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, made once a connection"
)]
pub enum Stream {
    /// In the clear.
    Plain(TcpStream),
    /// Encrypted.
    Tls(StreamOwned<ClientConnection, TcpStream>),
}

impl Stream {
    /// Connects to `host`, by any of its addresses.
    pub fn connect(
        host: &str,
        port: u16,
        tls: Option<&Arc<ClientConfig>>,
        timeout: Duration,
    ) -> Result<Self> {
        let addresses = (host, port).to_socket_addrs()?;
        let mut last = anyhow!("{host} has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, timeout) {
                Ok(socket) => return Self::over(socket, host, tls, timeout),
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }

    fn over(
        socket: TcpStream,
        host: &str,
        tls: Option<&Arc<ClientConfig>>,
        timeout: Duration,
    ) -> Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(timeout))?;
        socket.set_write_timeout(Some(timeout))?;
        let Some(config) = tls else {
            return Ok(Self::Plain(socket));
        };
        let name = ServerName::try_from(host.to_owned())?;
        let connection = ClientConnection::new(Arc::clone(config), name)?;
        Ok(Self::Tls(StreamOwned::new(connection, socket)))
    }

    /// The socket beneath.
    pub const fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => &stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(buffer),
            Self::Tls(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
