//! The connection to a NATS server, in a thread of its own. It reconnects by itself, and guarantees no delivery: a packet
//! that cannot be sent now is dropped, because channels repeat it.

use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::status::Traffic;

/// Maximum time for the first connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two attempts to reconnect.
const AGAIN: Duration = Duration::from_millis(200);
/// Time between two pings of the server. After three without an answer the connection is down: that has to be known
/// before [`crate::SILENCE`] is over, because a node that cannot be reached does not count as silent.
const PING: Duration = Duration::from_millis(1_500);
/// Maximum number of packets waiting to be read. More are dropped.
const BACKLOG: usize = 16_384;
/// Time between two calls of the regular publisher.
const REGULARLY: Duration = Duration::from_secs(1);

/// A message to publish: subject and content.
pub(crate) type Outgoing = (String, Vec<u8>);
/// Called once a second for a message to publish, from another thread.
pub(crate) type Regularly = Box<dyn FnMut() -> Outgoing + Send>;

/// Start of the current connection; `None` if there is none.
type Up = Arc<Mutex<Option<Instant>>>;

/// A connection.
pub(crate) struct Connection {
    /// `None` once it is closed.
    outgoing: Option<UnboundedSender<Outgoing>>,
    arrivals: Receiver<(Instant, Vec<u8>)>,
    up: Up,
    client: Client,
    traffic: Arc<Mutex<Traffic>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Connection {
    /// Sends what was published before, if that is possible at once.
    fn drop(&mut self) {
        self.outgoing = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The address in a URL.
///
/// # Errors
/// A description of the error.
pub(crate) fn address(url: &str) -> Result<ServerAddr, String> {
    // No error quotes the URL: it may have a password.
    if !["nats://", "tls://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err("the address of a NATS server is like nats://host or nats://host:4222".into());
    }
    let wrong = |why: &str| {
        format!("the address of the NATS server makes no sense ({why}); it is like nats://host:4222")
    };
    let address = ServerAddr::from_str(url).map_err(|e| wrong(&e.to_string()))?;
    if address.host().is_empty() {
        return Err(wrong("it names no host"));
    }
    Ok(address)
}

/// The server's address for display: without a password.
pub(crate) fn shown(address: &ServerAddr) -> String {
    format!("{}://{}:{}", address.scheme(), address.host(), address.port())
}

impl Connection {
    /// Connects, and subscribes to `subjects`.
    ///
    /// # Errors
    /// Reason of the failure, and advice.
    pub(crate) fn open(
        url: &str,
        subjects: Vec<String>,
        regularly: Option<Regularly>,
    ) -> Result<Connection, String> {
        let address = address(url)?;
        let (outgoing, to_send) = unbounded_channel();
        let (arrived, arrivals) = sync_channel(BACKLOG);
        let (told, first) = sync_channel(1);
        let up = Up::default();
        let (known, server) = (up.clone(), shown(&address));
        let traffic = Arc::<Mutex<Traffic>>::default();
        let counted = traffic.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| format!("cannot prepare to connect to {server}: {e}"))?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                match connect(address, subjects, known).await {
                    Ok((client, subscribers)) => {
                        let _ = told.send(Ok(client.clone()));
                        carry(&client, subscribers, to_send, &arrived, &counted, regularly).await;
                        let _ = tokio::time::timeout(AGAIN, client.flush()).await;
                    }
                    Err(e) => {
                        let _ = told.send(Err(e));
                    }
                }
            });
        });
        match first.recv() {
            Ok(Ok(client)) => {
                let (outgoing, thread) = (Some(outgoing), Some(thread));
                Ok(Connection { outgoing, arrivals, up, client, traffic, thread })
            }
            Ok(Err(e)) => {
                Err(format!("cannot connect to {server}: {e}; is a nats-server there, and may you use it?"))
            }
            Err(_) => Err(format!("the thread that connects to {server} ended")),
        }
    }

    /// Publishes, if that is possible now.
    pub(crate) fn publish(&self, subject: &str, bytes: Vec<u8>) {
        if let (Some(_), Some(outgoing)) = (self.up_since(), &self.outgoing) {
            let _ = outgoing.send((subject.to_string(), bytes));
        }
    }

    /// The next packet, and its arrival time; `None` if none came within `wait`.
    ///
    /// # Errors
    /// If none can come any more.
    pub(crate) fn receive(&self, wait: Duration) -> Result<Option<(Instant, Vec<u8>)>, String> {
        match self.arrivals.recv_timeout(wait) {
            Ok(arrival) => Ok(Some(arrival)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("the connection to the NATS server is closed".into()),
        }
    }

    /// Start of the current connection; `None` if there is none.
    pub(crate) fn up_since(&self) -> Option<Instant> {
        *self.up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This machine's address as the server sees it; empty if the server does not send it.
    pub(crate) fn own_address(&self) -> String {
        self.client.server_info().client_ip
    }

    /// The traffic so far.
    pub(crate) fn traffic(&self) -> Traffic {
        *self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Subscribers = stream::SelectAll<async_nats::Subscriber>;

async fn connect(
    address: ServerAddr,
    subjects: Vec<String>,
    up: Up,
) -> Result<(Client, Subscribers), String> {
    let known = up.clone();
    let note = move |event| {
        let up = match event {
            Event::Connected => Some(Some(Instant::now())),
            Event::Disconnected | Event::Closed => Some(None),
            _ => None,
        };
        if let Some(up) = up {
            *known.lock().unwrap_or_else(PoisonError::into_inner) = up;
        }
        std::future::ready(())
    };
    let options = ConnectOptions::new()
        .name("cleave")
        .connection_timeout(PATIENCE)
        .ping_interval(PING)
        .max_reconnects(None)
        .reconnect_delay_callback(|_| AGAIN)
        .event_callback(note);
    let client = options.connect(address).await.map_err(|e| e.to_string())?;
    let mut subscribers = Vec::new();
    for subject in subjects {
        subscribers.push(client.subscribe(subject).await.map_err(|e| e.to_string())?);
    }
    let flushed = tokio::time::timeout(PATIENCE, client.flush()).await;
    flushed.map_err(|_| "it does not answer".to_string())?.map_err(|e| e.to_string())?;
    up.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
    Ok((client, stream::select_all(subscribers)))
}

/// Carries packets until the other side of this thread is gone.
async fn carry(
    client: &Client,
    mut subscribers: Subscribers,
    mut to_send: UnboundedReceiver<Outgoing>,
    arrived: &SyncSender<(Instant, Vec<u8>)>,
    traffic: &Mutex<Traffic>,
    mut regularly: Option<Regularly>,
) {
    let count =
        |what: &dyn Fn(&mut Traffic)| what(&mut traffic.lock().unwrap_or_else(PoisonError::into_inner));
    let mut ticks = tokio::time::interval(REGULARLY);
    loop {
        let outgoing = tokio::select! {
            packet = subscribers.next() => {
                let Some(packet) = packet else { return };
                count(&|traffic| traffic.came(packet.payload.len()));
                // Without room the packet counts as lost.
                let _ = arrived.try_send((Instant::now(), packet.payload.to_vec()));
                continue;
            }
            outgoing = to_send.recv() => match outgoing {
                Some(outgoing) => outgoing,
                None => return,
            },
            _ = ticks.tick() => match &mut regularly {
                Some(regularly) => regularly(),
                None => continue,
            },
        };
        if client.connection_state() == State::Connected {
            let (subject, bytes) = outgoing;
            count(&|traffic| traffic.went(bytes.len()));
            let _ = client.publish(subject, bytes.into()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_nats_and_shown_without_a_password() {
        let good = |url: &str| shown(&address(url).unwrap());
        assert_eq!(good("nats://host"), "nats://host:4222");
        assert_eq!(good("tls://me:secret@host:99"), "tls://host:99");
        for url in ["host", "http://host", "nats://", "nats://host:port", ""] {
            assert!(address(url).is_err(), "{url}");
        }
    }
}
