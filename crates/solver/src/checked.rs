//! What of a path does not hold under a witness that differs in a few bytes from one of the path.

use cleave_expr::{ByteId, Term, Terms, Witness};

use crate::facts::{Apart, Fact, Facts, Pair, number};
use crate::path::{PathCondition, filter_bit};

/// Something of a path that a witness does not satisfy.
pub(crate) enum Broken {
    Condition(Term),
    /// The next values below and above that a word could have.
    Word(Term, [Option<u64>; 2]),
    /// Two words are too near or too far.
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
    /// Whether facts about these bytes do not hold under `w`, and are only about bytes of which `only` says that they have no other value.
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
    /// What it is about.
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
