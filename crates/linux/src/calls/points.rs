//! Names of the points of a schedule, for messages.

use crate::calls::table::name_of;
use crate::processes::orders::Point;

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Point::Use => f.write_str("a point of the C library"),
            Point::Call(number) => write!(f, "a call of {}", name_of(*number)),
            Point::Access => f.write_str("an atomic or volatile access"),
            Point::Plain => f.write_str("an access that races"),
            Point::Spin(count) => write!(f, "access {count}, where it spins"),
            Point::Cancellation => f.write_str("a point of cancellation"),
            Point::Wait => f.write_str("a call that waits"),
            Point::End => f.write_str("its end"),
        }
    }
}
