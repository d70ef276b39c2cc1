//! HTTP server for browsers and other readers: `cleave report --serve`, and `--metrics` while a run goes on. It is read-only.

use std::net::{IpAddr, SocketAddr};

use tiny_http::{Header, Method, Request, Response, Server};

use crate::failure::Failure;

/// The kind and text of an answer, or a status and why.
pub type Answer = Result<(&'static str, String), (u16, String)>;

/// Listens at an address.
///
/// # Errors
/// If the address is not available.
pub fn listen(address: SocketAddr) -> Result<Server, Failure> {
    Server::http(address).map_err(|e| {
        let (ip, port) = (address.ip(), address.port());
        Failure::new(format!("cannot listen on port {port} of {ip}: {e}; give another one, or 0 for any"))
    })
}

/// Answers all requests, until the server is unblocked; `answer` gets the path that is asked for.
pub fn serve(server: &Server, mut answer: impl FnMut(&str) -> Answer) {
    let own = server.server_addr().to_ip().is_none_or(|address| address.ip().is_loopback());
    for request in server.incoming_requests() {
        let (code, kind, text) = match check(&request, own).and_then(|()| answer(request.url())) {
            Ok((kind, text)) => (200, kind, text),
            Err((code, why)) => (code, "text/plain", why),
        };
        let mut response = Response::from_string(text).with_status_code(code);
        if let Ok(header) = Header::from_bytes("Content-Type", kind) {
            response.add_header(header);
        }
        // A client that has gone away needs no answer.
        let _ = request.respond(response);
    }
}

/// Checks that a request may be answered; with `own`, only this machine may ask.
fn check(request: &Request, own: bool) -> Result<(), (u16, String)> {
    // A page of another site in the same browser must not read this server under a name of its own (DNS rebinding).
    let host = request.headers().iter().find(|h| h.field.equiv("Host")).map(|h| h.value.as_str());
    if own && !host.is_some_and(is_this_machine) {
        return Err((403, "ask for 127.0.0.1\n".into()));
    }
    match request.method() {
        Method::Get => Ok(()),
        _ => Err((405, "this can only be read\n".into())),
    }
}

/// Returns true if the header `Host` names this machine itself.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_are_known_and_no_others() {
        for host in
            ["127.0.0.1", "127.0.0.1:80", "localhost", "localhost:9", "[::1]:80", "[::1]", "127.0.0.2:1"]
        {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["", "example.org", "127.0.0.1.example.org:80", "10.0.0.1:80", "localhost.example.org", ":80"]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
