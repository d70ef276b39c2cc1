//! Detects contradictions between two back ends, or between a model and its query. The chain calls it in a cross-check.

use cleave_expr::Terms;

use crate::backends::backend::{Query, Verdict};
use crate::error::SolverError;
use crate::policy::text;

fn says(v: &Verdict) -> &'static str {
    match v {
        Verdict::Sat(_) => "sat",
        Verdict::Unsat(_) => "unsat",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The text of a query for an error.
pub(crate) fn query_text(terms: &Terms, query: &Query<'_>) -> String {
    let conditions = query.conditions.iter().map(|&c| terms.text(c, text::DEPTH));
    let domains = query.domains.iter().map(|(id, set)| {
        let (object, offset) = terms.byte_position(*id);
        format!("input{object}[{offset}] in {:016x?}", set.0)
    });
    domains.chain(conditions).collect::<Vec<_>>().join("; ")
}

/// The error if two back ends contradict each other, or a model does not satisfy the query; else `None`.
pub(crate) fn disagreement(
    terms: &mut Terms,
    query: &Query<'_>,
    who: (&str, &str),
    verdicts: (&Verdict, &Verdict),
) -> Option<SolverError> {
    for (name, verdict) in [(who.0, verdicts.0), (who.1, verdicts.1)] {
        let Verdict::Sat(values) = verdict else { continue };
        let w = terms.patched(query.near, values.iter().copied());
        let fits = query.conditions.iter().all(|&c| terms.holds(c, &w))
            && query.domains.iter().all(|(id, set)| set.contains(w.get(*id)));
        if !fits {
            let question = query_text(terms, query);
            return Some(SolverError::WrongModel { from: name.to_string(), question });
        }
    }
    match verdicts {
        (Verdict::Sat(_), Verdict::Unsat(_)) | (Verdict::Unsat(_), Verdict::Sat(_)) => {
            Some(SolverError::Disagreement {
                first: who.0.to_string(),
                first_says: says(verdicts.0),
                second: who.1.to_string(),
                second_says: says(verdicts.1),
                question: query_text(terms, query),
            })
        }
        _ => None,
    }
}
