//! The address space against a plain model: objects that are vectors of bytes, and a list of those that are gone.

use cleave_expr::Terms;
use cleave_memory::{AddressSpace, Birth, Byte, Fault, FreeFault, Kind};
use cleave_program::code::{Image, Program};
use proptest::prelude::*;

/// What a program does to its memory. Objects are numbered in the order in which they were made, modulo their number.
#[derive(Clone, Debug)]
enum Action {
    Allocate {
        size: u64,
        align: u32,
        undefined: bool,
    },
    Free {
        object: usize,
        off: u64,
    },
    /// `off` counts from 8 bytes before the object.
    Write {
        object: usize,
        off: u64,
        bytes: Vec<u8>,
        symbolic: bool,
    },
    Read {
        object: usize,
        off: u64,
        len: u64,
    },
    StoreKnown {
        object: usize,
        off: u64,
        len: usize,
        value: u64,
    },
    LoadKnown {
        object: usize,
        off: u64,
        len: usize,
    },
    Fork,
    Mark,
    Push {
        size: u64,
    },
    Release,
}

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..40u64, 1 => 4080..4120u64, 1 => 9000..9010u64]
}

fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..60u64, 1 => 4080..4130u64, 1 => 9000..9030u64]
}

fn action() -> impl Strategy<Value = Action> {
    let object = 0..64usize;
    let bytes = prop::collection::vec(any::<u8>(), 1..20);
    prop_oneof![
        4 => (size(), 0..5u32, any::<bool>())
            .prop_map(|(size, log, undefined)| Action::Allocate { size, align: 1 << log, undefined }),
        2 => (object.clone(), prop_oneof![3 => Just(0u64), 1 => 1..9u64])
            .prop_map(|(object, off)| Action::Free { object, off }),
        6 => (object.clone(), offset(), bytes, any::<bool>())
            .prop_map(|(object, off, bytes, symbolic)| Action::Write { object, off, bytes, symbolic }),
        4 => (object.clone(), offset(), 1..40u64)
            .prop_map(|(object, off, len)| Action::Read { object, off, len }),
        4 => (object.clone(), offset(), 1..9usize, any::<u64>())
            .prop_map(|(object, off, len, value)| Action::StoreKnown { object, off, len, value }),
        4 => (object, offset(), 1..9usize).prop_map(|(object, off, len)| Action::LoadKnown { object, off, len }),
        1 => Just(Action::Fork),
        1 => Just(Action::Mark),
        2 => size().prop_map(|size| Action::Push { size }),
        1 => Just(Action::Release),
    ]
}

/// An object of the model. `None` in `bytes` is an input byte.
#[derive(Clone, Debug)]
struct Plain {
    base: u64,
    bytes: Vec<Option<u8>>,
    alive: bool,
    heap: bool,
}

#[derive(Clone, Default)]
struct Model {
    objects: Vec<Plain>,
    marks: Vec<(u64, usize)>,
}

impl Model {
    /// An object, unless it was on the stack and is gone: another one may be in its place.
    fn object(&self, number: usize) -> Option<&Plain> {
        self.objects.get(number % self.objects.len().max(1)).filter(|o| o.alive || o.heap)
    }

    /// The object and the place in it of an access, if it is wholly inside of a live one.
    fn inside(&self, number: usize, off: u64, len: u64) -> Option<(usize, usize)> {
        let index = number % self.objects.len().max(1);
        let object = self.objects.get(index)?;
        let start = off.checked_sub(8)?;
        let fits = start.checked_add(len)? <= object.bytes.len() as u64;
        (object.alive && fits).then_some((index, start as usize))
    }
}

struct World {
    space: AddressSpace,
    model: Model,
}

impl World {
    fn act(&mut self, action: &Action, terms: &mut Terms) {
        let (space, model) = (&mut self.space, &mut self.model);
        match *action {
            Action::Allocate { size, align, undefined } => {
                let birth = Birth { place: 1, undefined, allocator: 0 };
                let base = space.allocate_born(size, align.into(), Kind::Heap, birth).unwrap();
                assert!(base.is_multiple_of(align.into()));
                let apart = |o: &Plain| o.base + (o.bytes.len() as u64) < base || base + size < o.base;
                assert!(model.objects.iter().filter(|o| o.alive).all(apart), "objects overlap");
                model.objects.push(Plain {
                    base,
                    bytes: vec![Some(0); size as usize],
                    alive: true,
                    heap: true,
                });
            }
            Action::Free { object, off } => self.free(object, off),
            Action::Write { object, off, ref bytes, symbolic } => {
                self.write(terms, (object, off), bytes, symbolic);
            }
            Action::Read { object, off, len } => {
                let Some(base) = model.object(object).map(|o| o.base) else { return };
                let read = space.read((base + off).wrapping_sub(8), len);
                match model.inside(object, off, len) {
                    Some((index, start)) => {
                        let expected = &model.objects[index].bytes[start..start + len as usize];
                        same(terms, &read.unwrap(), expected);
                    }
                    None => assert!(
                        matches!(read, Err(Fault::Dead { .. } | Fault::OutOfBounds { .. })),
                        "{read:?}"
                    ),
                }
            }
            Action::StoreKnown { object, off, len, value } => {
                let Some(base) = model.object(object).map(|o| o.base) else { return };
                let done = space.store_known((base + off).wrapping_sub(8), len, value);
                let inside = model.inside(object, off, len as u64);
                assert!(done.is_none() || inside.is_some(), "written outside");
                if let (Some(()), Some((index, start))) = (done, inside) {
                    for (to, b) in
                        model.objects[index].bytes[start..].iter_mut().zip(&value.to_le_bytes()[..len])
                    {
                        *to = Some(*b);
                    }
                }
            }
            Action::LoadKnown { object, off, len } => {
                let Some(base) = model.object(object).map(|o| o.base) else { return };
                let Some(value) = space.load_known((base + off).wrapping_sub(8), len) else { return };
                let (index, start) = model.inside(object, off, len as u64).expect("read outside");
                let expected: Option<Vec<u8>> =
                    model.objects[index].bytes[start..start + len].iter().copied().collect();
                let expected = expected.expect("an input byte is not known");
                let mut bytes = [0; 8];
                bytes[..len].copy_from_slice(&expected);
                assert_eq!(value, u64::from_le_bytes(bytes));
            }
            Action::Fork => {}
            Action::Mark => model.marks.push((space.stack_mark(), model.objects.len())),
            Action::Push { size } => {
                let base = space.allocate_stack(size, Kind::Stack).unwrap();
                model.objects.push(Plain {
                    base,
                    bytes: vec![Some(0); size as usize],
                    alive: true,
                    heap: false,
                });
            }
            Action::Release => {
                let Some((mark, first)) = model.marks.pop() else { return };
                space.release_stack(mark, 3);
                model.objects[first..].iter_mut().filter(|o| !o.heap).for_each(|o| o.alive = false);
            }
        }
    }

    fn free(&mut self, object: usize, off: u64) {
        let (space, model) = (&mut self.space, &mut self.model);
        let Some(plain) = model.object(object).cloned() else { return };
        let index = object % model.objects.len();
        let result = space.free(plain.base + off, Kind::Heap, 2);
        if plain.alive && plain.heap && off == 0 {
            assert_eq!(result, Ok(()));
            model.objects[index].alive = false;
        } else if plain.heap && !plain.alive && off == 0 {
            assert!(matches!(result, Err(FreeFault::Twice(_))), "{result:?}");
        } else {
            assert!(result.is_err());
        }
    }

    fn write(&mut self, terms: &mut Terms, (object, off): (usize, u64), bytes: &[u8], symbolic: bool) {
        let (space, model) = (&mut self.space, &mut self.model);
        let Some(base) = model.object(object).map(|o| o.base) else { return };
        let input = terms.byte(0, 0);
        let make = |&b: &u8| {
            if symbolic && b & 1 == 1 { Byte::from_term(terms, input) } else { Byte::Known(b) }
        };
        let made: Vec<Byte> = bytes.iter().map(make).collect();
        let result = space.write((base + off).wrapping_sub(8), &made);
        match model.inside(object, off, bytes.len() as u64) {
            Some((index, start)) => {
                assert_eq!(result, Ok(()));
                for (to, &b) in model.objects[index].bytes[start..].iter_mut().zip(bytes) {
                    *to = if symbolic && b & 1 == 1 { None } else { Some(b) };
                }
            }
            None => assert!(result.is_err(), "written outside"),
        }
    }

    /// All that is alive is as the model has it, and what is not alive cannot be read.
    fn compare(&self, terms: &mut Terms) {
        for object in &self.model.objects {
            let read = self.space.read(object.base, object.bytes.len() as u64);
            match object.alive {
                true => same(terms, &read.unwrap(), &object.bytes),
                false if object.bytes.is_empty() => {}
                false => assert!(read.is_err() || !object.heap, "read after its end"),
            }
        }
        let alive = self.model.objects.iter().filter(|o| o.alive && o.heap);
        assert_eq!(self.space.heap_bytes(), alive.map(|o| o.bytes.len() as u64).sum::<u64>());
    }
}

fn same(terms: &mut Terms, bytes: &[Byte], expected: &[Option<u8>]) {
    assert_eq!(bytes.len(), expected.len());
    let input = terms.byte(0, 0);
    for (byte, expected) in bytes.iter().zip(expected) {
        match (byte, expected) {
            (Byte::Known(b), Some(e)) => assert_eq!(b, e),
            (Byte::Symbolic(_), None) => assert_eq!(byte.term(terms), input),
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is done: bytes read are the bytes written last, nothing is read or written outside of an object or after
    /// its end, and a fork sees nothing of what the other one does.
    #[test]
    fn memory_is_what_was_written_there(actions in prop::collection::vec(action(), 1..80)) {
        let mut terms = Terms::new();
        let main = Image { heap_slot: 16, ..Image::default() };
        let empty = Program { main, ..Program::default() };
        let mut world = World { space: AddressSpace::new(&empty, &empty.main), model: Model::default() };
        let mut forks = Vec::new();
        for action in &actions {
            if matches!(action, Action::Fork) {
                forks.push(World { space: world.space.clone(), model: world.model.clone() });
            }
            world.act(action, &mut terms);
        }
        for fork in forks.iter().chain([&world]) {
            fork.compare(&mut terms);
        }
        // A fork goes on by itself.
        if let Some(mut fork) = forks.pop() {
            actions.iter().rev().for_each(|action| fork.act(action, &mut terms));
            fork.compare(&mut terms);
            world.compare(&mut terms);
        }
    }

    /// Words that are written byte by byte and read in any cut have the value of these bytes.
    #[test]
    fn words_are_made_of_their_bytes(values in prop::collection::vec(any::<u8>(), 1..17), known in any::<u16>(), at in 0..16usize, len in 1..17usize) {
        let mut terms = Terms::new();
        let mut bytes = Vec::new();
        for (k, &value) in values.iter().enumerate() {
            let input = terms.byte(0, k as u32);
            bytes.push(if known >> k & 1 == 1 { Byte::Known(value) } else { Byte::from_term(&terms, input) });
        }
        let at = at % values.len();
        let len = 1 + len % (values.len() - at);
        let word = Byte::word(&mut terms, &bytes[at..at + len]);
        let expected = values[at..at + len].iter().rev().fold(0u128, |v, &b| v << 8 | u128::from(b));
        let witness = terms.witness(&values);
        prop_assert_eq!(terms.eval_wide(word, &witness), expected);
        // And taken apart again.
        let again = Byte::of_word(&mut terms, word);
        let whole = Byte::word(&mut terms, &again);
        prop_assert_eq!(whole, word);
    }
}
