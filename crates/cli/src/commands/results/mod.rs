//! Commands that show what a run has found.

mod allocators; // Allocators of a program's own.
pub mod coverage; // `cleave coverage`: lines, branches and functions of the program that the tests of a run cover.
pub mod doctor; // `cleave doctor`: what holds a run back.
pub mod explain; // `cleave explain`: the path of a test as source lines.
pub mod list; // `cleave list`: tests, bugs and open regions of a run.
pub mod report; // `cleave report`: findings and coverage of a run, as a file for people or for another tool.
pub mod stats; // `cleave stats`: the account of a run.
pub mod suites; // Folders of tests made from a run: in Test-Comp's XML, and of its unexplored regions.
