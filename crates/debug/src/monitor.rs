//! The commands that gdb passes on: `monitor other`, for example.

use std::path::Path;

use crate::session::Session;
use crate::timeline::Other;

/// Number of decisions shown by `monitor condition` without an argument.
const SHOWN: usize = 10;

const HELP: &str = "\
monitor condition [N]  the last N decisions behind this place, 10 by default, or `all`
monitor input          the input of this path
monitor other [N]      take the other side at the next decision, or at the Nth from here on
monitor save FILE      write the input as a test (.ktest)
monitor end            say how this path ends";

impl Session {
    /// Executes a monitor command; returns the text for the user.
    pub(crate) fn monitor(&mut self, command: &str) -> String {
        let mut words = command.split_whitespace();
        let (name, argument) = (words.next().unwrap_or("help"), words.next());
        let number = argument.map(str::parse::<usize>);
        match (name, number) {
            ("condition", None) => self.condition(SHOWN),
            ("condition", Some(Ok(n))) => self.condition(n),
            ("condition", Some(Err(_))) if argument == Some("all") => self.condition(usize::MAX),
            ("input", None) => self.input(),
            ("other", None) => self.other(1),
            ("other", Some(Ok(n))) if n > 0 => self.other(n),
            ("end", None) => {
                self.foretold().map_or("This path has no end that is near.".into(), |(_, text)| text)
            }
            ("save", Some(_)) => self.save_to(command.trim_start()["save".len()..].trim()),
            ("help", _) => HELP.into(),
            _ => format!("There is no such command as `{}`. These are there:\n{HELP}", command.trim()),
        }
    }

    fn condition(&self, most: usize) -> String {
        let depth = self.timeline.state.depth() as usize;
        let first = depth.saturating_sub(most);
        let lines = self.timeline.engine.describe(&self.timeline.state, first..depth);
        let head = format!("{depth} decisions lie behind this place");
        match (depth, first) {
            (0, _) => format!("{head}."),
            (_, 0) => format!("{head}:\n{}", lines.join("\n")),
            _ => format!("{head}; the last {}:\n{}", lines.len(), lines.join("\n")),
        }
    }

    /// The input as far as this path has asked for it.
    fn input(&mut self) -> String {
        let test = self.test();
        let line = |object: &cleave_region::Object| {
            format!("{} ({} bytes): \"{}\"", object.name, object.bytes.len(), object.bytes.escape_ascii())
        };
        let lines: Vec<String> = test.objects.iter().map(line).collect();
        if lines.is_empty() { "The path has no input.".into() } else { lines.join("\n") }
    }

    /// The input of the whole path, to its end.
    fn test(&mut self) -> cleave_region::Test {
        let here = self.timeline.now();
        self.timeline.go_to_end();
        let timeline = &mut self.timeline;
        let test = timeline.engine.write_down(&timeline.state, &timeline.witness);
        timeline.go_to(here);
        test
    }

    fn other(&mut self, nth: usize) -> String {
        match self.timeline.other(nth - 1) {
            Other::Taken(text) => {
                let input = self.input();
                format!("From here on the path goes another way, with another input.\n{text}\n{input}")
            }
            Other::Infeasible(text) => {
                format!("No input comes here and goes the other way: what was decided before implies\n{text}")
            }
            Other::Unknown(why) => format!("Whether an input goes the other way is not known: {why}."),
            Other::None => "There is no such decision between here and the end of the path.".into(),
        }
    }

    fn save_to(&mut self, file: &str) -> String {
        let test = self.test();
        match (self.save)(Path::new(file), &test) {
            Ok(()) => format!("The input is written to {file}."),
            Err(sentence) => sentence,
        }
    }
}
