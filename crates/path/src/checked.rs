//! Checks of a path by the facts of its components: if a model that differs in a few bytes satisfies the path, and if a
//! condition contradicts it. Only conditions and facts on the bytes at hand are evaluated. The solver's layers for long
//! paths call it.

use cleave_expr::{ByteId, Term, Terms, Witness};

use crate::component::filter_bit;
use crate::condition::PathCondition;
use crate::facts::{Apart, Fact, Facts, Pair, Shape, number};
use crate::words::ranges::{Arc, Ranges};

/// A condition or fact of a path that a witness violates.
pub enum Broken {
    /// A condition.
    Condition(Term),
    /// A word has a value that the path excludes; with the next allowed values below and above.
    Word(Term, [Option<u64>; 2]),
    /// The difference of two words is outside its bounds.
    Apart(Pair, Apart),
}

impl PathCondition {
    /// The first condition or fact about these bytes that does not hold under `w`.
    pub fn broken(&self, terms: &mut Terms, w: &Witness, changed: &[(ByteId, u8)]) -> Option<Broken> {
        changed.iter().find_map(|(id, _)| {
            let component = self.component(self.component_of(*id)?)?;
            if let Some(facts) = &component.facts {
                return facts.of_byte(*id).find_map(|fact| facts.broken(terms, w, fact));
            }
            let mut touched = component.relations.iter().filter(|r| r.bytes & filter_bit(*id) != 0);
            touched.find(|r| !terms.holds(r.term, w)).map(|r| Broken::Condition(r.term))
        })
    }

    /// Returns true if a fact about these bytes does not hold under `w` and concerns only bytes that `only` reports as
    /// having no other value.
    pub fn contradicts(
        &self,
        terms: &mut Terms,
        w: &Witness,
        bytes: &[(ByteId, u8)],
        only: impl Fn(ByteId) -> bool,
    ) -> bool {
        bytes.iter().any(|(id, _)| {
            let component = self.component_of(*id).and_then(|slot| self.component(slot));
            let Some(facts) = component.and_then(|c| c.facts.as_ref()) else { return false };
            facts.of_byte(*id).any(|fact| {
                let on = fact.terms();
                on.into_iter().flatten().all(|t| terms.bytes_of(t).iter().all(|id| only(*id)))
                    && facts.broken(terms, w, fact).is_some()
            })
        })
    }

    /// Returns true if the facts of one component contradict a condition.
    pub fn refutes(&self, terms: &mut Terms, cond: Term) -> bool {
        let mut slots = terms.bytes_of(cond).to_vec().into_iter().map(|id: ByteId| self.component_of(id));
        let first = slots.next().flatten();
        if first.is_none() || slots.any(|slot| slot != first) {
            return false;
        }
        self.facts_of(terms, cond).is_some_and(|facts| facts.refutes(terms, cond))
    }

    /// The word that a condition compares with a constant, the values of it with which the condition holds, and those
    /// that the facts of its component leave to it.
    pub fn word_of(&self, terms: &mut Terms, cond: Term) -> Option<(Term, Arc, Ranges)> {
        let nothing = Facts::default();
        let facts = self.facts_of(terms, cond).unwrap_or(&nothing);
        let Shape::Word(word, Some(arc)) = facts.shape(terms, cond) else { return None };
        Some((word, arc, facts.ranges(terms, word)))
    }

    /// The facts of the component of a term.
    fn facts_of(&self, terms: &Terms, t: Term) -> Option<&Facts> {
        self.component(self.component_of(terms.some_byte(t)?)?)?.facts.as_ref()
    }
}

impl Fact {
    /// The terms of the fact.
    fn terms(self) -> [Option<Term>; 2] {
        match self {
            Fact::Word(t) | Fact::Other(t) => [Some(t), None],
            Fact::Pair(pair) => pair.words.map(Some),
        }
    }
}

impl Facts {
    fn broken(&self, terms: &mut Terms, w: &Witness, fact: Fact) -> Option<Broken> {
        match fact {
            Fact::Other(cond) => (!terms.holds(cond, w)).then_some(Broken::Condition(cond)),
            Fact::Word(word) => {
                let (value, ranges) = (terms.eval(word, w), self.ranges(terms, word));
                let next = || [ranges.last_in((0, value)), ranges.first_in((value, ranges.whole()))];
                (!ranges.contains(value)).then(|| Broken::Word(word, next()))
            }
            Fact::Pair(pair) => {
                let apart = self.apart(pair);
                let [x, y] =
                    pair.words.map(|word| number(terms.eval(word, w), terms.width(word), pair.signed));
                (!(apart.least..=apart.most).contains(&(x - y))).then_some(Broken::Apart(pair, apart))
            }
        }
    }
}
