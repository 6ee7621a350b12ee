//! A dry run: what would be decided, and what would wait for what. Nothing runs.

use std::collections::HashSet;
use std::sync::Arc;

use toolpost_core::{
    Answer, Answered, Decided, Footprint, Ledger, Outcome, Place, RawCall, Time, Wait,
};

use crate::session::Session;

/// Plans calls one after another, in program order.
#[derive(Debug)]
pub struct Planner<'a> {
    session: &'a Session,
    ids: HashSet<Arc<str>>,
    ledger: Ledger,
    earlier: Vec<(Place, Arc<str>, Footprint)>,
}

impl<'a> Planner<'a> {
    /// A plan that begins with an empty session.
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            ids: HashSet::new(),
            ledger: Ledger::new(usize::MAX),
            earlier: Vec::new(),
        }
    }

    /// What would come of the next call: planned, pending where a person would be asked, denied or
    /// invalid. Its time tells the calls that it would wait for, and why.
    pub fn plan(&mut self, call: RawCall) -> Outcome {
        let session = self.session;
        if !self.ids.insert(Arc::clone(call.id())) {
            return crate::session::duplicate(&call);
        }
        let facts = session.facts();
        let call = match session
            .toolbox()
            .validate(call, facts, session.read_options())
        {
            Ok(call) => call,
            Err(outcome) => return *outcome,
        };
        let id = Arc::clone(call.id());
        let footprint = call.footprint(facts);
        let place = self.ledger.admit(footprint.clone(), None);
        let waits = self.waits(place, &footprint);
        let mut outcome = match call.decide(session.policy(), facts) {
            Decided::Permitted(call) => call.plan(),
            Decided::Denied(outcome) => *outcome,
            Decided::Asked(asked) => match asked.answer(Answer::Later) {
                Answered::Permitted(call) => call.plan(),
                Answered::Ended(outcome) => *outcome,
                Answered::Revised(call) => Outcome::cancelled(call.id(), call.name(), false),
            },
        };
        outcome.footprint = Some(footprint.clone());
        outcome.time = Some(Box::new(Time {
            waited_for: waits.iter().map(|wait| Arc::clone(&wait.call)).collect(),
            waits,
            ..Time::default()
        }));
        self.earlier.push((place, id, footprint));
        outcome
    }

    fn waits(&self, place: Place, footprint: &Footprint) -> Vec<Wait> {
        let blockers = self.ledger.waits_for(place);
        let earlier = self.earlier.iter();
        let blocking = earlier.filter(|(place, ..)| blockers.contains(place));
        blocking
            .map(|(_, id, earlier)| {
                let (claim, meets) = footprint.conflict(earlier).unzip();
                Wait {
                    call: Arc::clone(id),
                    claim,
                    meets,
                }
            })
            .collect()
    }
}
