//! The order in which the layers of the solver are asked: one table, [`LAYERS`], for all kinds of questions.
//!
//! [`Solver::ask`](crate::Solver::ask) and its relatives walk through the table from its top and take the first answer.
//! A row names its layer, its cost, the preparation of the question that it needs, its modes, and the function that
//! answers. A new layer is a row here, a name in `options.rs`, and the function in a file of its own.
//!
//! The functions get the whole solver, because layers share what they learn: a conflict that `rewriting` finds serves
//! `cores`.

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::options::LayerName;
use crate::question::{Cost, Mode, Prepared, Question, Stage};
use crate::solver::Solver;

const EITHER: u8 = Mode::Either as u8;
const REFUTATION: u8 = Mode::Refutation as u8;
const MODEL: u8 = Mode::Model as u8;

/// A row of [`LAYERS`].
pub(crate) struct Layer {
    pub(crate) name: LayerName,
    pub(crate) cost: Cost,
    needs: Stage,
    /// Bits of [`Mode`].
    modes: u8,
    answer: fn(&mut Solver, &mut Question) -> Option<LayerAnswer>,
}

const fn row(
    name: LayerName,
    cost: Cost,
    needs: Stage,
    modes: u8,
    answer: fn(&mut Solver, &mut Question) -> Option<LayerAnswer>,
) -> Layer {
    Layer { name, cost, needs, modes, answer }
}

/// All layers before the back ends, in the order in which they are asked. The first row of a layer is its cheapest. The
/// back ends come after the last row (`Solver::by_rounds`).
#[rustfmt::skip]
pub(crate) static LAYERS: [Layer; 23] = {
    use Cost::{Budgeted, Cheap};
    use LayerName::*;
    use Stage::{Gathered, Given, Linked, Query};
    const SPLIT: Stage = Stage::Split;
    [
        // layer          cost      needs     modes                  the question ...
        row(Constants,    Cheap,    Given,    EITHER,              |s, q| s.by_constant(q)),          // is a constant
        row(Witness,      Cheap,    Given,    EITHER | MODEL,      |s, q| s.by_witness(q)),           // holds under the model at hand
        row(Trying,       Cheap,    Given,    EITHER,              |s, q| s.by_path_rows(q)),         // is about the path's enumerated models
        row(ByteSets,     Cheap,    SPLIT,    EITHER | REFUTATION, |s, _| s.by_empty_byte()),         // leaves a byte no value
        row(ByteSets,     Cheap,    SPLIT,    EITHER | MODEL,      |s, q| s.by_free_bytes(q)),        // is about bytes that nothing links
        row(Trying,       Cheap,    Linked,   EITHER,              |s, q| s.by_survivors(q.terms, q.pc, q.near, false)), // has cached models
        row(Words,        Cheap,    Linked,   EITHER,              |s, q| s.by_refuting_facts(q)),    // contradicts the facts of a long path
        row(ByteSets,     Cheap,    Linked,   EITHER,              |s, q| s.by_byte_under_facts(q)),  // is about one byte of a long path
        row(Patching,     Cheap,    Linked,   EITHER,              |s, q| s.by_patch_under_facts(q)), // can be met by a change that keeps those facts
        row(Slices,       Cheap,    Gathered, EITHER | REFUTATION, |s, q| s.by_contradiction(q.terms, q.conds[0])), // negates a condition
        row(ByteSets,     Cheap,    Gathered, EITHER | MODEL,      |s, q| s.by_one_byte(q)),          // is about one byte: its values
        row(Words,        Cheap,    Gathered, EITHER | REFUTATION, |s, q| s.by_words(q)),             // closes a cycle of difference constraints
        row(Cores,        Cheap,    Gathered, EITHER | REFUTATION, |s, q| s.by_recent_core(q)),       // contains a recent core
        row(Patching,     Cheap,    Gathered, EITHER | MODEL,      |s, q| s.by_patch(q)),             // can be met by a local change of the model
        row(Values,       Cheap,    Gathered, EITHER,              |s, q| s.by_known_values(q.terms, q.pc, q.near)), // is about a term of known values
        row(Trying,       Cheap,    Gathered, EITHER,              |s, q| s.by_trying(q.terms, q.pc, q.near)),       // has few bytes: all their values
        row(Intervals,    Cheap,    Gathered, EITHER,              |s, q| s.by_boxes(q.terms, q.pc, q.near)),        // has floats: branch and prune
        row(Search,       Cheap,    Gathered, EITHER,              |s, q| s.by_search(q.terms, q.pc, q.near)),       // has floats: local search
        row(Rewriting,    Budgeted, Query,    EITHER | MODEL,      |s, q| s.by_rewriting(q.terms)),   // contradicts itself in simpler forms
        row(Values,       Budgeted, Query,    EITHER | MODEL,      |s, q| s.by_all_values(q.terms, q.pc, q.near)),   // is about a term: all its values
        row(Sweeping,     Budgeted, Query,    EITHER | MODEL,      |s, q| s.by_listed_solutions(q)),  // is one of many about the same bytes
        row(Sweeping,     Budgeted, Query,    EITHER | MODEL,      |s, q| s.by_first_sweep(q)),       // byte after byte, equal prefix states merged
        row(Sampling,     Budgeted, Query,    EITHER | MODEL,      |s, q| s.by_chance(q.terms, q.pc, q.near)),       // holds under random inputs
    ]
};

impl Solver {
    /// Answers a question by the cheap layers, then by the budgeted layers and the back ends.
    pub(crate) fn found(&mut self, q: &mut Question, mode: Mode) -> (LayerName, LayerAnswer) {
        // Layers that answer before the slice is begun find the flag of an earlier question.
        self.slice.blames_all = false;
        let cheap = self.walk(q, mode, Cost::Cheap);
        cheap.unwrap_or_else(|| self.hard(q, mode))
    }

    /// The budgeted layers, then the back ends.
    fn hard(&mut self, q: &mut Question, mode: Mode) -> (LayerName, LayerAnswer) {
        let never = self.prepare(q, Stage::Query, mode) == Prepared::NeverHolds || self.slice.impossible;
        if never && mode != Mode::Model {
            return (LayerName::Constants, LayerAnswer::Unsat(Conflict::default()));
        }
        let listed = self.budget.solutions();
        // The layers answer from the slice, and conjuncts that never hold are not in it.
        let found = if never { None } else { self.walk(q, mode, Cost::Budgeted) };
        found.unwrap_or_else(|| self.by_rounds(q, listed))
    }

    /// The first answer of the rows of [`LAYERS`] with this cost.
    pub(crate) fn walk(
        &mut self,
        q: &mut Question,
        mode: Mode,
        cost: Cost,
    ) -> Option<(LayerName, LayerAnswer)> {
        for layer in LAYERS.iter().filter(|layer| layer.cost == cost && layer.modes & mode as u8 != 0) {
            if !self.is_asked(layer.name, mode) {
                continue;
            }
            if q.stage < layer.needs && self.prepare(q, layer.needs, mode) == Prepared::NeverHolds {
                // The back ends find the condition that fails among several: the query has all of them.
                let conflict = LayerAnswer::Unsat(Conflict::default());
                return (mode != Mode::Model).then_some((LayerName::Constants, conflict));
            }
            if let Some(found) = (layer.answer)(self, q) {
                return Some((layer.name, found));
            }
        }
        None
    }

    /// Returns true if the layer is used. With the option `feeding`, layers that refute without a search are used for
    /// refutations even if they are switched off.
    pub(crate) fn is_asked(&self, layer: LayerName, mode: Mode) -> bool {
        use LayerName::{ByteSets, Slices, Words};
        let fed = mode == Mode::Refutation && self.options.feeding;
        self.on(layer) || fed && matches!(layer, ByteSets | Slices | Words)
    }

    /// Prepares a question up to a stage.
    pub(crate) fn prepare(&mut self, q: &mut Question, stage: Stage, mode: Mode) -> Prepared {
        while q.stage < stage {
            q.stage = match q.stage {
                Stage::Given => {
                    self.slice.begin(q.terms, q.pc, q.conds);
                    Stage::Split
                }
                Stage::Split => {
                    self.slice.link(q.terms, q.pc);
                    Stage::Linked
                }
                Stage::Linked => {
                    self.slice.gather(q.pc, !self.is_asked(LayerName::Slices, mode));
                    Stage::Gathered
                }
                Stage::Gathered | Stage::Query => {
                    self.make_query(q.pc, q.conds);
                    Stage::Query
                }
            };
            if self.slice.impossible && mode != Mode::Model {
                return Prepared::NeverHolds;
            }
        }
        if self.slice.impossible { Prepared::NeverHolds } else { Prepared::Ready }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_a_row_and_rows_never_go_back_in_cost_or_stage() {
        for name in LayerName::ALL.into_iter().filter(|name| *name != LayerName::Sat) {
            assert!(LAYERS.iter().any(|layer| layer.name == name), "{name}");
        }
        assert!(LAYERS.is_sorted_by_key(|layer| (layer.cost == Cost::Budgeted, layer.needs)));
    }

    #[test]
    fn names_of_layers_stand_in_the_order_in_which_rows_first_name_them_or_later() {
        let last = |name: LayerName| LAYERS.iter().rposition(|layer| layer.name == name);
        let budgeted = [LayerName::Rewriting, LayerName::Sweeping, LayerName::Sampling];
        let places: Vec<_> = budgeted.into_iter().map(last).collect();
        assert!(places.is_sorted());
    }
}
