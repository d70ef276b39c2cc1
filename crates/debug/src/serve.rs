//! The conversation with gdb.

use std::net::TcpStream;

use gdbstub::common::Signal;
use gdbstub::conn::{Connection, ConnectionExt};
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind;

use crate::DebugError;
use crate::session::{Session, Stopped, Wish};

/// Number of steps between two checks for input from gdb.
const SLICE: u32 = 1 << 14;
/// Maximum number of output bytes in a packet.
const PACKET: usize = 1000;

/// Serves gdb until it disconnects.
///
/// # Errors
/// If the connection breaks.
pub fn serve(session: &mut Session, connection: TcpStream) -> Result<(), DebugError> {
    let _ = connection.set_nodelay(true);
    match GdbStub::new(connection).run_blocking::<Loop>(session) {
        Ok(_) => Ok(()),
        // gdb closes the connection when it is killed.
        Err(error) if error.is_connection_error() => Ok(()),
        Err(error) => Err(DebugError::Connection(error.to_string())),
    }
}

enum Loop {}

type Reason = SingleThreadStopReason<u64>;

impl BlockingEventLoop for Loop {
    type Target = Session;
    type Connection = TcpStream;
    type StopReason = Reason;

    fn wait_for_stop_reason(
        session: &mut Session,
        connection: &mut TcpStream,
    ) -> Result<Event<Reason>, WaitForStopReasonError<std::convert::Infallible, std::io::Error>> {
        let broken = WaitForStopReasonError::Connection;
        loop {
            let stopped = match session.wish {
                Wish::StepBack | Wish::ContinueBack => Some(session.backward()),
                _ => session.forward(SLICE),
            };
            if let Some(stopped) = stopped {
                told(session, connection, stopped).map_err(broken)?;
                return Ok(Event::TargetStopped(reason(stopped)));
            }
            if connection.peek().map_err(broken)?.is_some() {
                return Ok(Event::IncomingData(ConnectionExt::read(connection).map_err(broken)?));
            }
        }
    }

    fn on_interrupt(_session: &mut Session) -> Result<Option<Reason>, std::convert::Infallible> {
        Ok(Some(Reason::Signal(Signal::SIGINT)))
    }
}

/// The stop reason in the terms of the protocol.
fn reason(stopped: Stopped) -> Reason {
    match stopped {
        Stopped::Stepped => Reason::DoneStep,
        Stopped::Breakpoint => Reason::SwBreak(()),
        Stopped::Watch(addr) => Reason::Watch { tid: (), kind: WatchKind::Write, addr },
        Stopped::Begin => Reason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin },
        Stopped::End(None) => Reason::ReplayLog { tid: None, pos: ReplayLogPosition::End },
        Stopped::End(Some(signal)) => Reason::Signal(signal),
        Stopped::Gone(Ok(status)) => Reason::Exited(status),
        Stopped::Gone(Err(signal)) => Reason::Terminated(signal),
    }
}

/// Shows the program's new output on gdb's console, and at the end of the path how it ends.
fn told(session: &mut Session, connection: &mut TcpStream, stopped: Stopped) -> std::io::Result<()> {
    let mut text = session.new_output();
    if let Stopped::End(signal) = stopped {
        if text.last().is_some_and(|&last| last != b'\n') {
            text.push(b'\n');
        }
        text.extend(session.told_end().bytes());
        if signal.is_none() {
            text.extend(b" This is the end of the path; it can be left backwards.");
        }
        text.push(b'\n');
    }
    for piece in text.chunks(PACKET) {
        let body: String = piece.iter().map(|byte| format!("{byte:02x}")).collect();
        let body = format!("O{body}");
        let sum = body.bytes().fold(0u8, u8::wrapping_add);
        Connection::write_all(connection, format!("${body}#{sum:02x}").as_bytes())?;
    }
    Ok(())
}
