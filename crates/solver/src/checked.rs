//! Checks of a witness that differs in a few bytes from a witness of the path. Only conditions and facts on the changed
//! bytes are evaluated. The patching layer calls it.

use cleave_expr::{ByteId, Term, Terms, Witness};

use crate::facts::{Apart, Fact, Facts, Pair, number};
use crate::path::{PathCondition, filter_bit};

/// A condition or fact of a path that a witness violates.
pub(crate) enum Broken {
    Condition(Term),
    /// A word has a value that the path excludes; with the next allowed values below and above.
    Word(Term, [Option<u64>; 2]),
    /// The difference of two words is outside its bounds.
    Apart(Pair, Apart),
}

impl PathCondition {
    /// The first condition or fact about these bytes that does not hold under `w`.
    pub(crate) fn broken(&self, terms: &mut Terms, w: &Witness, changed: &[(ByteId, u8)]) -> Option<Broken> {
        changed.iter().find_map(|(id, _)| {
            let component = self.component(self.component_of(*id)?)?;
            if let Some(facts) = &component.facts {
                return facts.of_byte(*id).find_map(|fact| facts.broken(terms, w, fact));
            }
            let mut touched = component.relations.iter().filter(|r| r.bytes & filter_bit(*id) != 0);
            touched.find(|r| !terms.holds(r.term, w)).map(|r| Broken::Condition(r.term))
        })
    }
}

impl PathCondition {
    /// Returns true if a fact about these bytes does not hold under `w` and concerns only bytes that `only` reports as
    /// having no other value.
    pub(crate) fn contradicts(
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
