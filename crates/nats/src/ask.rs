//! Asks the coordinator of a run for its status: the body of `cleave cluster status`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::key::Key;
use cleave_campaign::version;

use crate::packet::{Id, Packet};
use crate::status::Status;

/// Time between two repetitions of the query.
const AGAIN: Duration = Duration::from_millis(700);
/// Bytes of a part of an answer; a server takes a MiB.
const PART: usize = 256 << 10;
/// Maximum number of parts of an answer.
const MOST_PARTS: u32 = 64;

/// An answer in parts, as packets.
pub(crate) fn answer(question: Id, status: &Status) -> Vec<Packet> {
    let bytes = postcard::to_stdvec(status).expect("a status has no types that postcard refuses");
    let parts: Vec<&[u8]> = bytes.chunks(PART).take(MOST_PARTS as usize).collect();
    let count = parts.len() as u32;
    let packet = |(part, bytes): (usize, &[u8])| Packet::Status {
        question,
        version: version(),
        part: part as u32,
        parts: count,
        bytes: bytes.to_vec(),
    };
    parts.into_iter().enumerate().map(packet).collect()
}

/// The received parts of an answer.
#[derive(Default)]
struct Parts(BTreeMap<u32, Vec<u8>>);

impl Parts {
    /// Takes a part; returns the answer if it is complete.
    fn take(&mut self, part: u32, parts: u32, bytes: Vec<u8>) -> Option<Result<Status, String>> {
        if !(1..=MOST_PARTS).contains(&parts) || part >= parts {
            return None;
        }
        self.0.insert(part, bytes);
        if self.0.len() < parts as usize {
            return None;
        }
        let all: Vec<u8> = self.0.values().flatten().copied().collect();
        Some(postcard::from_bytes(&all).map_err(|e| format!("the run answers what is no status ({e})")))
    }
}

/// The status of the run with this key, by the server at `url`.
///
/// # Errors
/// The reason if it is unknown: there is no server, no run with this key, or its coordinator does not answer within `patience`.
pub fn ask(url: &str, key: &Key, patience: Duration) -> Result<Status, String> {
    let (subject, address) = (key.subject(), Id::random()?);
    let subjects = vec![format!("{subject}.all"), format!("{subject}.node.{address}")];
    let connection = Connection::open(url, subjects, None)?;
    let (start, mut put, mut is_there) = (Instant::now(), None, false);
    let (mut question, mut parts) = (Id::random()?, Parts::default());
    while start.elapsed() < patience {
        if put.is_none_or(|at: Instant| at.elapsed() > AGAIN) {
            put = Some(Instant::now());
            (question, parts) = (Id::random()?, Parts::default());
            connection.publish(&format!("{subject}.in"), key.seal(&Packet::Ask { address, question }));
        }
        let Some((_, bytes)) = connection.receive(Duration::from_millis(50))? else { continue };
        match key.open(&bytes) {
            Some(Packet::Beat { over, .. }) => is_there = !over,
            Some(Packet::Status { question: asked, version: its, part, parts: count, bytes })
                if asked == question =>
            {
                let own = version();
                if its != own {
                    return Err(format!(
                        "this is Cleave {own}, and the run's is {its}; ask with the run's version"
                    ));
                }
                if let Some(status) = parts.take(part, count, bytes) {
                    return status;
                }
            }
            _ => {}
        }
    }
    Err(if is_there {
        "a run with this key is there, but its coordinator is too busy to answer; ask again".into()
    } else {
        "no run with this key is there; `cleave run --cluster` begins one, `cleave resume --cluster` goes on with one".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::MemberStatus;

    fn status(members: usize) -> Status {
        let member =
            |n| MemberStatus { name: format!("machine{n}/1"), paths: n as u64, ..MemberStatus::default() };
        Status { paths: 7, members: (0..members).map(member).collect(), ..Status::default() }
    }

    fn put_together(packets: Vec<Packet>) -> Option<Status> {
        let mut parts = Parts::default();
        packets.into_iter().find_map(|packet| match packet {
            Packet::Status { part, parts: count, bytes, .. } => parts.take(part, count, bytes)?.ok(),
            _ => None,
        })
    }

    #[test]
    fn an_answer_comes_in_parts_in_any_order_and_with_repetitions() {
        for members in [0, 1, 8_192] {
            let packets = answer(Id([3; 16]), &status(members));
            assert_eq!(packets.len() > 1, members > 1_000, "{members} members in {} parts", packets.len());
            assert_eq!(put_together(packets.clone()), Some(status(members)));
            let backwards = packets.iter().rev().flat_map(|packet| [packet.clone(), packet.clone()]);
            assert_eq!(put_together(backwards.collect()), Some(status(members)));
            assert_eq!(put_together(packets[1..].to_vec()), None);
        }
    }

    #[test]
    fn parts_that_cannot_be_are_none() {
        let mut parts = Parts::default();
        for (part, count) in [(0, 0), (1, 1), (7, 3), (0, MOST_PARTS + 1), (u32::MAX, u32::MAX)] {
            assert!(parts.take(part, count, vec![1]).is_none(), "{part} of {count}");
        }
        assert!(matches!(parts.take(0, 1, vec![0xff; 3]), Some(Err(why)) if why.contains("no status")));
    }
}
