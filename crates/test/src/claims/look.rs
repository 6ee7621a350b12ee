//! What the answers of a tool say of each other, for one input and over all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use toolpost_core::{
    Access, Check, Claim, Effects, Facts, FailureReach, Footprint, Scope, Subject, Tool,
    WorkingFolder,
};

use super::{ClaimFaultKind, Company, Found};

/// All that a tool says of one input.
#[derive(Debug, PartialEq)]
pub(super) struct Answers {
    effects: Effects,
    footprint: Footprint,
    is_concurrency_safe: bool,
    subjects: Vec<Subject>,
    check: Check,
    reach: FailureReach,
    description: String,
}

impl Answers {
    /// Nothing when the tool panics on the input.
    pub(super) fn of<P, T: Tool<P>>(tool: &T, input: &T::Input, facts: &Facts) -> Option<Self> {
        let ask = || Self {
            effects: tool.effects(input),
            footprint: tool.footprint(input, facts),
            is_concurrency_safe: tool.is_concurrency_safe(input),
            subjects: tool.subjects(input, facts),
            check: tool.check_permissions(input, facts),
            reach: tool.failure_reach(input),
            description: tool.describe(input),
        };
        catch_unwind(AssertUnwindSafe(ask)).ok()
    }

    /// The method whose answer differs first.
    pub(super) fn first_other(&self, other: &Self) -> &'static str {
        let same = [
            ("effects", self.effects == other.effects),
            ("footprint", self.footprint == other.footprint),
            (
                "is_concurrency_safe",
                self.is_concurrency_safe == other.is_concurrency_safe,
            ),
            ("subjects", self.subjects == other.subjects),
            ("check_permissions", self.check == other.check),
            ("failure_reach", self.reach == other.reach),
        ];
        let differs = same.into_iter().find(|(_, is_same)| !is_same);
        differs.map_or("describe", |(name, _)| name)
    }

    fn company(&self) -> Company {
        Company::of(&self.footprint)
    }

    /// What it claims to write, or names as written, and by which method. Everything is no claim.
    fn written(&self) -> Option<(&'static str, String)> {
        if let Footprint::Claims(claims) = &self.footprint {
            // Where the shell stands is no one's file: moving it changes nothing that could be lost.
            let write = claims.iter().find(|claim| {
                claim.access == Access::Write && claim.scope.path() != WorkingFolder::NODE
            });
            if let Some(claim) = write {
                return Some(("footprint", claim.scope.path().to_owned()));
            }
        }
        self.subjects.iter().find_map(|subject| match subject {
            Subject::Path {
                path,
                access: Access::Write,
            } => Some(("subjects", path.display().to_string())),
            _ => None,
        })
    }
}

type Seen = [(Value, Answers)];

/// Looks at each input, after what holds for all inputs has been said as one fault.
pub(super) fn look_at(seen: &Seen, facts: &Facts, found: &mut Found) {
    constant_read_only(seen, found);
    constant_concurrency(seen, found);
    for (input, answers) in seen {
        One {
            input,
            answers,
            found,
        }
        .look(facts);
    }
}

fn constant_read_only(seen: &Seen, found: &mut Found) {
    let all_read_only = seen.iter().all(|(_, answers)| answers.effects.read_only);
    let mut writing = seen
        .iter()
        .filter(|(_, answers)| answers.written().is_some());
    if let (true, Some((input, answers)), Some(_)) = (
        all_read_only,
        writing.next(),
        seen.iter().find(|(_, answers)| answers.written().is_none()),
    ) {
        let by = answers.written().map_or("footprint", |(by, _)| by);
        let message = format!(
            "`effects` says read_only for every input, while `{by}` writes for some; let `effects` look at the \
             input as well"
        );
        found.add(ClaimFaultKind::ConstantReadOnly, message, Some(input));
    }
}

fn constant_concurrency(seen: &Seen, found: &mut Found) {
    let writing = seen.iter().find(|(_, answers)| !answers.effects.read_only);
    let reading = seen.iter().find(|(_, answers)| answers.effects.read_only);
    let (Some((writing, _)), Some((reading, first))) = (writing, reading) else {
        return;
    };
    let company = first.company();
    let is_constant = seen.iter().all(|(_, other)| other.company() == company);
    let (says, example) = if seen.iter().all(|(_, answers)| answers.is_concurrency_safe) {
        ("`is_concurrency_safe` says yes for every input", writing)
    } else {
        match company {
            Company::Reads if is_constant => {
                ("`footprint` claims only reads for every input", writing)
            }
            Company::Writes if is_constant => {
                ("`footprint` claims a write for every input", reading)
            }
            _ => return,
        }
    };
    let message = format!(
        "{says}, while `effects` says read_only for some and not for others; let it depend on the input in the \
         same way"
    );
    found.add(ClaimFaultKind::ConstantConcurrency, message, Some(example));
}

/// One input with its answers.
struct One<'a> {
    input: &'a Value,
    answers: &'a Answers,
    found: &'a mut Found,
}

impl One<'_> {
    fn add(&mut self, kind: ClaimFaultKind, message: impl Into<String>) {
        self.found.add(kind, message.into(), Some(self.input));
    }

    fn look(&mut self, facts: &Facts) {
        if let Some(contradiction) = self.answers.effects.contradiction() {
            self.add(
                ClaimFaultKind::Contradiction,
                format!("`effects` {contradiction}; leave one of the two out"),
            );
        }
        self.written();
        self.safe();
        self.paths(facts);
        self.hosts();
    }

    /// What is said once for all inputs is not said again for each.
    fn is_said(&self) -> bool {
        self.found.has(ClaimFaultKind::ConstantReadOnly)
            || self.found.has(ClaimFaultKind::ConstantConcurrency)
    }

    fn written(&mut self) {
        let Answers { effects, .. } = *self.answers;
        match self.answers.written() {
            Some((by, what)) if effects.read_only && !self.is_said() => self.add(
                ClaimFaultKind::ReadOnlyWrites,
                format!(
                    "`effects` says read_only, while `{by}` writes `{what}`; say read_only only where nothing is \
                     changed, or name it as read"
                ),
            ),
            None if !effects.read_only
                && self.answers.company() == Company::Reads
                && !self.is_said() =>
            {
                self.add(
                    ClaimFaultKind::WritesNothing,
                    "`effects` does not say read_only, while `footprint` claims no write and lets others run beside \
                     it; claim what is changed, or say read_only",
                );
            }
            _ => {}
        }
    }

    fn safe(&mut self) {
        if !self.answers.is_concurrency_safe || self.found.has(ClaimFaultKind::ConstantConcurrency)
        {
            return;
        }
        let claims = match self.answers.company() {
            Company::Reads => return,
            Company::Alone => "claims everything, so the call runs alone",
            Company::Writes => "claims a write",
        };
        self.add(
            ClaimFaultKind::SafeYetWrites,
            format!(
                "`is_concurrency_safe` says yes, while `footprint` {claims}; leave `is_concurrency_safe` out, the \
                 footprint says it all"
            ),
        );
    }

    /// Rules see paths and the order of calls sees claims, so a path in one is in the other.
    fn paths(&mut self, facts: &Facts) {
        let claims = self.answers.footprint.claims();
        for subject in &self.answers.subjects {
            let Subject::Path { path, access } = subject else {
                continue;
            };
            // A probe that writes meets every claim on the place.
            let probe = Claim::write(Scope::file(&facts.resolve(path)));
            let is_claimed = claims.iter().any(|claim| {
                probe.conflicts_with(claim)
                    && (*access == Access::Read || claim.access == Access::Write)
            });
            let is_other_fault = *access == Access::Write && self.answers.effects.read_only;
            if !is_claimed && !is_other_fault {
                let (does, claim) = match access {
                    Access::Read => ("read", "reading"),
                    Access::Write => ("written", "writing"),
                };
                let message = format!(
                    "`subjects` names `{}` as {does}, while `footprint` has no such claim; add \
                     `.{claim}(Scope::file(…))` of it",
                    path.display()
                );
                self.add(ClaimFaultKind::UnclaimedPath, message);
            }
        }
    }

    fn hosts(&mut self) {
        if self.answers.effects.open_world {
            return;
        }
        let host = self
            .answers
            .subjects
            .iter()
            .find_map(|subject| match subject {
                Subject::Host(host) => Some(("subjects", host.clone())),
                _ => None,
            });
        let claim = || match &self.answers.footprint {
            Footprint::Everything => None,
            Footprint::Claims(claims) => claims.iter().find_map(|claim| {
                let host = claim.scope.path().strip_prefix("net/")?;
                Some(("footprint", host.to_owned()))
            }),
        };
        if let Some((by, host)) = host.or_else(claim) {
            let message = format!(
                "`{by}` names the host `{host}`, while `effects` does not say open_world; add `.reaching_out()`"
            );
            self.add(ClaimFaultKind::NotOpenWorld, message);
        }
    }
}
