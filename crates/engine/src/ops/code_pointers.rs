//! Pointers to code that depend on the input: an indirect call, `goto *label`. They are decided as pointers to data
//! are: function by function and label by label, by address, and then one path for all other values.

use std::rc::Rc;

use cleave_expr::{Node, Term};
use cleave_program::code::{Pc, Program};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// A term with more constants in it than this is not taken apart.
const MOST_VALUES: usize = 1 << 16;

impl Engine {
    /// The address that an indirect call goes to.
    pub(crate) fn called(&mut self, state: &State, target: Reg) -> Result<u64, Stop> {
        let Some(t) = target.term() else { return Ok(target.value) };
        let functions = |engine: &mut Engine, values: Option<&[u64]>| match values {
            Some(values) => {
                let image = engine.image(state);
                values.iter().copied().filter(|a| image.has_function_at(*a)).collect()
            }
            None => {
                let (start, end) = engine.image(state).function_addresses();
                let all = engine.taken_functions(state);
                all.iter().copied().filter(|a| (start..end).contains(a)).collect()
            }
        };
        self.code_pointer(state, t, functions, "a call through a pointer that is no function's")
    }

    /// The value that a computed goto goes to, of those that the labels of the function have.
    pub(crate) fn label(&mut self, state: &State, to: Reg, cases: &[(u64, Pc)]) -> Result<u64, Stop> {
        self.used(state, to, "a computed goto")?;
        let Some(t) = to.term() else { return Ok(to.value) };
        let labels = |_: &mut Engine, values: Option<&[u64]>| {
            let chosen = |a: &u64| values.is_none_or(|values| values.binary_search(a).is_ok());
            let mut labels: Vec<u64> = cases.iter().map(|(value, _)| *value).filter(chosen).collect();
            labels.sort_unstable();
            labels.dedup();
            labels
        };
        self.code_pointer(state, t, labels, "a computed goto to no label of this function")
    }

    /// A pointer to code as one of the `targets`, rising, which are given all its values if they are known; `bad` is the
    /// message if it is none of them.
    fn code_pointer(
        &mut self,
        state: &State,
        t: Term,
        targets: impl FnOnce(&mut Engine, Option<&[u64]>) -> Vec<u64>,
        bad: &str,
    ) -> Result<u64, Stop> {
        let t = self.value(state, t);
        if self.terms.constant64(t).is_some() || self.few_values(t).is_some() {
            return self.concrete_term(state, t);
        }
        let values = self.all_values(t);
        let mut targets = targets(self, values.as_deref());
        let certain = values.is_some_and(|values| values == targets);
        let (lo, hi) = self.terms.range(t);
        targets.retain(|a| (lo..=hi).contains(a));
        self.among(state, t, &targets, certain)?.ok_or_else(|| Stop::bug(BugKind::BadCall, bad))
    }

    /// All constants that a term chooses from, rising. `None` if it is not made of choices among constants alone, or of more
    /// than [`MOST_VALUES`].
    pub(crate) fn all_values(&self, t: Term) -> Option<Vec<u64>> {
        let (mut values, mut todo, mut steps) = (Vec::new(), vec![t], 0);
        while let Some(t) = todo.pop() {
            steps += 1;
            match self.terms.node(t) {
                Node::Const(v) => values.push(v),
                Node::Ite(_, a, b) => todo.extend([a, b]),
                Node::Table(id, _) => values.extend(self.terms.table_entries(id).iter()),
                _ => return None,
            }
            if steps + values.len() > MOST_VALUES {
                return None;
            }
        }
        values.sort_unstable();
        values.dedup();
        Some(values)
    }

    /// Addresses of functions that the program takes: in a constant of its code, or in a variable as it starts. No pointer of
    /// the program holds a function that only the C library and the start-up code take, `main` among them, unless it is wrong;
    /// the library itself calls through all of them.
    fn taken_functions(&mut self, state: &State) -> Rc<[u64]> {
        let program = &self.program;
        let by_library = program.functions[state.frame.func as usize].library;
        let [own, all] =
            self.taken.get_or_insert_with(|| [true, false].map(|own| taken(program, own).into()));
        if by_library { all.clone() } else { own.clone() }
    }
}

/// Addresses of functions that are taken, rising; with `own` only by the program's own parts.
fn taken(program: &Program, own: bool) -> Vec<u64> {
    let mut all = Vec::new();
    // At any offset: a structure may be packed.
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
    for image in program.images() {
        let functions = program.functions.get(image.functions.start as usize..image.functions.end as usize);
        let functions = functions.unwrap_or_default().iter().filter(|f| !own || !f.library);
        let in_code = functions.flat_map(|f| f.constants.iter().copied());
        all.extend(in_code.filter(|&a| image.has_function_at(a)));
        let globals = program.globals.get(image.globals.start as usize..image.globals.end as usize);
        for global in globals.unwrap_or_default().iter().filter(|g| !own || !g.library) {
            // The bytes behind the initialiser are zero, and may belong to an address.
            let init = [&global.init[..], &[0; 7]].concat();
            let bytes = program.target.pointer_bytes() as usize;
            all.extend(init.windows(bytes).map(word).filter(|&a| image.has_function_at(a)));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
