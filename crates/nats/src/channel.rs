//! Messages in order and each once, over packets that may be lost, doubled or late. Coordinator and nodes use one for each node.
//!
//! A message is cut into pieces with rising places. The receiver takes the next piece only, and reports the place that it
//! expects. A few pieces may be under way. If no answer comes, the sender repeats the first of them alone, and waits
//! longer each time, so that repetitions do not pile up at a busy receiver.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::packet::{Frame, Piece};

/// Bytes of a piece. Servers take up to a MiB; larger pieces were no faster.
const PIECE: usize = 64 << 10;
/// Pieces under way.
const WINDOW: usize = 16;
/// Maximum length of a message, in bytes: a longer one would fill this process's memory.
const LONGEST: usize = 1 << 30;
/// Time until a piece without an answer is repeated; it doubles up to `SLOWEST`.
const REPEAT: Duration = Duration::from_millis(250);
const SLOWEST: Duration = Duration::from_secs(2);
/// Bytes that may wait before the sender should produce no more.
const ENOUGH: usize = 2 << 20;

/// One end of a connection between two.
pub(crate) struct Channel {
    /// The number of the next frame.
    number: u64,
    /// Number of the last frame taken; frames up to it are repetitions.
    heard: u64,
    /// Messages not wholly acknowledged, with the place of the first piece of each; `end` is the place behind the last one.
    messages: VecDeque<(u64, Arc<[u8]>)>,
    end: u64,
    /// The first piece that is not acknowledged, and the first that is not sent.
    acknowledged: u64,
    sent: u64,
    /// Bytes in `messages`.
    backlog: usize,
    /// Maximum number of pieces under way.
    window: u64,
    /// Time of the next repetition, and the wait after it.
    repeat_at: Option<Instant>,
    repeat_after: Duration,
    /// The place of the next piece, and the earlier pieces of its message.
    expected: u64,
    partial: Vec<u8>,
    /// True if a frame is owed: an acknowledgement, or a sign of life.
    owes: bool,
}

/// Number of pieces of a message.
fn pieces(message: &[u8]) -> u64 {
    message.len().div_ceil(PIECE).max(1) as u64
}

impl Channel {
    pub(crate) fn new() -> Channel {
        Channel {
            number: 0,
            heard: 0,
            messages: VecDeque::new(),
            end: 0,
            acknowledged: 0,
            sent: 0,
            backlog: 0,
            window: WINDOW as u64,
            repeat_at: None,
            repeat_after: REPEAT,
            expected: 0,
            partial: Vec::new(),
            owes: false,
        }
    }

    /// Queues a message; [`Channel::due`] returns its pieces.
    pub(crate) fn push(&mut self, message: Arc<[u8]>) {
        let first = self.end;
        self.end += pieces(&message);
        self.backlog += message.len();
        self.messages.push_back((first, message));
    }

    /// True if few bytes wait.
    pub(crate) fn has_room(&self) -> bool {
        self.backlog < ENOUGH
    }

    /// True if the other end has everything.
    pub(crate) fn is_settled(&self) -> bool {
        self.messages.is_empty()
    }

    /// Makes the next [`Channel::due`] return at least one frame, as a sign of life.
    pub(crate) fn owe(&mut self) {
        self.owes = true;
    }

    /// The frames to send now.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<Frame> {
        if self.repeat_at.is_some_and(|at| now >= at) {
            self.sent = self.acknowledged;
            self.window = 1;
            self.repeat_after = (self.repeat_after * 2).min(SLOWEST);
            self.repeat_at = None;
        }
        let mut frames = Vec::new();
        while self.sent < self.end && self.sent < self.acknowledged + self.window {
            let Some(piece) = self.piece(self.sent) else { break };
            self.sent += 1;
            frames.push(self.frame(Some(piece)));
        }
        if !frames.is_empty() && self.repeat_at.is_none() {
            self.repeat_at = Some(now + self.repeat_after);
        }
        if frames.is_empty() && self.owes {
            frames.push(self.frame(None));
        }
        self.owes = false;
        frames
    }

    fn frame(&mut self, piece: Option<Piece>) -> Frame {
        self.number += 1;
        Frame { number: self.number, expects: self.expected, piece }
    }

    fn piece(&self, place: u64) -> Option<Piece> {
        let (first, message) = self.messages.iter().rev().find(|(first, _)| *first <= place)?;
        let start = usize::try_from(place - first).ok()?.checked_mul(PIECE)?;
        let end = (start + PIECE).min(message.len());
        let last = end == message.len();
        Some(Piece { place, last, bytes: message.get(start..end)?.into() })
    }

    /// Takes a frame of the other end; returns the message that it completes.
    ///
    /// # Errors
    /// If a message is too long to be one.
    pub(crate) fn take(&mut self, frame: Frame, now: Instant) -> Result<Option<Vec<u8>>, String> {
        if frame.number <= self.heard {
            return Ok(None);
        }
        self.heard = frame.number;
        self.acknowledge(frame.expects, now);
        let Some(piece) = frame.piece else { return Ok(None) };
        self.owes = true;
        if piece.place != self.expected {
            return Ok(None);
        }
        if self.partial.len() + piece.bytes.len() > LONGEST {
            return Err("a message of more than a GiB".into());
        }
        self.expected += 1;
        self.partial.extend_from_slice(&piece.bytes);
        Ok(piece.last.then(|| std::mem::take(&mut self.partial)))
    }

    fn acknowledge(&mut self, expects: u64, now: Instant) {
        // No valid frame expects a piece that was never sent.
        if expects <= self.acknowledged || expects > self.end {
            return;
        }
        self.acknowledged = expects;
        self.sent = self.sent.max(expects);
        while let Some((first, message)) = self.messages.front()
            && first + pieces(message) <= expects
        {
            self.backlog -= message.len();
            self.messages.pop_front();
        }
        self.window = WINDOW as u64;
        self.repeat_after = REPEAT;
        self.repeat_at = (self.acknowledged < self.sent).then(|| now + self.repeat_after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fate of a frame on its way.
    #[derive(Clone, Copy, Debug)]
    enum Fate {
        Arrives,
        IsLost,
        IsDoubled,
        IsLate,
    }

    fn fate() -> impl Strategy<Value = Fate> {
        prop_oneof![4 => Just(Fate::Arrives), 1 => Just(Fate::IsLost), 1 => Just(Fate::IsDoubled), 1 => Just(Fate::IsLate)]
    }

    /// Passes frames from one end to the other; returns the messages that are complete.
    fn carry(
        from: &mut Channel,
        to: &mut Channel,
        now: Instant,
        fates: &mut impl Iterator<Item = Fate>,
    ) -> Vec<Vec<u8>> {
        let mut arriving = Vec::new();
        let mut late = Vec::new();
        for frame in from.due(now) {
            match fates.next().unwrap_or(Fate::Arrives) {
                Fate::Arrives => arriving.push(frame),
                Fate::IsLost => {}
                Fate::IsDoubled => arriving.extend([frame.clone(), frame]),
                Fate::IsLate => late.push(frame),
            }
        }
        arriving.extend(late);
        arriving.into_iter().filter_map(|frame| to.take(frame, now).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn messages_arrive_in_order_and_once_whatever_becomes_of_packets(
            lengths in prop::collection::vec(0_usize..300_000, 1..6),
            fates in prop::collection::vec(fate(), 0..120),
        ) {
            let all: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, n)| vec![i as u8; *n]).collect();
            let (mut a, mut b) = (Channel::new(), Channel::new());
            for message in &all {
                a.push(message.as_slice().into());
                b.push(message.as_slice().into());
            }
            let mut fates = fates.into_iter();
            let (mut at_a, mut at_b, mut now) = (Vec::new(), Vec::new(), Instant::now());
            for _ in 0..1_000 {
                at_b.extend(carry(&mut a, &mut b, now, &mut fates));
                at_a.extend(carry(&mut b, &mut a, now, &mut fates));
                now += Duration::from_millis(100);
            }
            prop_assert!(at_a == all && at_b == all);
            prop_assert!(a.is_settled() && b.is_settled() && a.backlog == 0);
        }
    }

    #[test]
    fn who_hears_nothing_repeats_one_piece_and_seldom() {
        let (mut channel, start) = (Channel::new(), Instant::now());
        channel.push(vec![0; 10 << 20].into());
        assert!(!channel.has_room());
        assert_eq!(channel.due(start).len(), WINDOW);
        let minute = (1..6_000).map(|i| channel.due(start + Duration::from_millis(10 * i)).len());
        let repeated: usize = minute.sum();
        assert!((25..=35).contains(&repeated), "{repeated}");
    }

    #[test]
    fn an_answer_to_what_was_never_sent_is_none() {
        let (mut channel, now) = (Channel::new(), Instant::now());
        channel.push(vec![1; 10].into());
        assert_eq!(channel.due(now).len(), 1);
        channel.take(Frame { number: 1, expects: 7, piece: None }, now).unwrap();
        assert!(!channel.is_settled());
        channel.take(Frame { number: 2, expects: 1, piece: None }, now).unwrap();
        assert!(channel.is_settled());
        channel.push(vec![1; 10].into());
        channel.take(Frame { number: 2, expects: 2, piece: None }, now).unwrap();
        assert!(!channel.is_settled(), "a frame that is repeated says nothing");
    }
}
