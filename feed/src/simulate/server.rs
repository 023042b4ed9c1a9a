//! The thread that takes connections, and what is to be ended when the exchange stops.

use super::connection;
use super::state::Shared;
use super::transport::Transport;
use anyhow::Result;
use rustls::ServerConfig;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A connection's socket and thread.
type Connection = (TcpStream, JoinHandle<()>);

/// Takes connections.
pub(super) struct Server {
    address: SocketAddr,
    connections: Arc<Mutex<Vec<Connection>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens at a port of the loopback interface, 0 for any that is free.
    pub(super) fn start(
        shared: &Arc<Shared>,
        port: u16,
        tls: Option<Arc<ServerConfig>>,
    ) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let connections = Arc::new(Mutex::new(Vec::new()));
        let thread = spawn("accept", {
            let (shared, connections) = (shared.clone(), connections.clone());
            move || accept(&shared, &listener, &connections, tls)
        })?;
        Ok(Self {
            address,
            connections,
            thread: Some(thread),
        })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all connections, once the exchange is stopped.
    pub(super) fn stop(&mut self) {
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let connections = std::mem::take(&mut *lock(&self.connections));
        for (socket, _) in &connections {
            let _ = socket.shutdown(Shutdown::Both);
        }
        for (_, thread) in connections {
            let _ = thread.join();
        }
    }
}

fn accept(
    shared: &Arc<Shared>,
    listener: &TcpListener,
    connections: &Mutex<Vec<Connection>>,
    tls: Option<Arc<ServerConfig>>,
) {
    for socket in listener.incoming() {
        if shared.is_stopped() {
            return;
        }
        let started = socket.map_err(anyhow::Error::from).and_then(|socket| {
            socket.set_nodelay(true)?;
            let other = socket.try_clone()?;
            let stream = Transport::new(socket, tls.clone())?;
            let shared = shared.clone();
            // Clients come and go as they like: how a connection ends is no error of the exchange's.
            let thread = spawn("connection", move || {
                drop(connection::serve(&shared, stream))
            })?;
            Ok((other, thread))
        });
        let mut connections = lock(connections);
        connections.retain(|(_, thread)| !thread.is_finished());
        connections.extend(started);
    }
}

fn lock(connections: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread with a name.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(format!("exchange {name}"));
    Ok(builder.spawn(work)?)
}
