//! A decision with the way to it, and the smallest change that would flip it.

use toolpost_core::{CommandStep, DecidedBy, Decision, Explanation, Verdict};

use crate::engine::{self, Circumstances};
use crate::layer::Source;
use crate::mode::Mode;
use crate::place::{Place, escaped};
use crate::policy::word;
use crate::prepared::{Prepared, Use};
use crate::rule::Rule;
use crate::rules::Rules;
use crate::shell::Kind;
use toolpost_core::Access;

pub(crate) mod suggest;

/// More rules than this are not taken away one after another.
const MOST_RULES: usize = 5;

pub(crate) fn explain(
    prepared: &Prepared<'_>,
    on: &Circumstances<'_>,
    place: &Place<'_>,
    untrusted: &[Rule],
) -> Explanation {
    let (decision, trace) = engine::trace(prepared, on);
    let decision = decision.bound(crate::binding::bind(prepared));
    let flip = Flip {
        prepared,
        on,
        place,
        untrusted,
    }
    .of(&decision);
    let mut explanation = Explanation::new(decision);
    explanation.trace = trace;
    explanation.flip = flip;
    explanation.commands = commands(prepared);
    explanation
}

fn commands(prepared: &Prepared<'_>) -> Vec<CommandStep> {
    let Some(shell) = &prepared.shell else {
        return Vec::new();
    };
    let commands = shell.analysis.commands.iter().zip(&shell.uses);
    commands
        .filter(|(command, _)| command.kind != Kind::Salvaged)
        .map(|(command, uses)| CommandStep {
            argv: command
                .argv
                .iter()
                .map(|word| escaped(word.literal().unwrap_or(&word.raw)))
                .collect(),
            read_only: command.read_only,
            reason: command.reason.clone(),
            reads: paths(uses, Access::Read),
            writes: paths(uses, Access::Write),
        })
        .collect()
}

fn paths(uses: &[Use], access: Access) -> Vec<String> {
    let its_own = uses
        .iter()
        .filter(|used| used.access == access && !used.is_guess);
    its_own
        .map(|used| match &used.forms {
            Some(forms) => escaped(&forms.spot.real.to_string_lossy()),
            None => escaped(&used.raw),
        })
        .collect()
}

struct Flip<'a, 'p> {
    prepared: &'a Prepared<'p>,
    on: &'a Circumstances<'a>,
    place: &'a Place<'a>,
    untrusted: &'a [Rule],
}

impl Flip<'_, '_> {
    fn of(&self, decision: &Decision) -> Option<String> {
        match (decision.effect, decision.by) {
            (_, DecidedBy::SettingsError) => Some("mend the settings".to_owned()),
            (Verdict::Allow, DecidedBy::Rule) => self
                .without_rules(decision)
                .or_else(|| self.by_stricter_rule()),
            (Verdict::Allow, _) => self.by_stricter_rule(),
            (_, DecidedBy::Rule) => self.without_rules(decision),
            (_, DecidedBy::Mode) => self
                .by_trust()
                .or_else(|| self.by_allow_rules())
                .or_else(|| self.by_mode(decision)),
            _ => None,
        }
    }

    /// The rules, less those that decide, until the verdict is another.
    fn without_rules(&self, decision: &Decision) -> Option<String> {
        let mut gone: Vec<(String, String)> = Vec::new();
        let mut now = decision.clone();
        while gone.len() < MOST_RULES {
            let (Some(rule), Some(source)) = (&now.rule, &now.source) else {
                return None;
            };
            gone.push((rule.to_string(), source.to_string()));
            let kept = self.on.rules.iter().filter(|rule| {
                !gone.iter().any(|(text, source)| {
                    **rule.text() == **text && rule.source().to_string() == *source
                })
            });
            now = self.decide(kept.cloned().collect(), self.on.mode);
            if now.effect != decision.effect {
                let names: Vec<String> = gone
                    .iter()
                    .map(|(text, source)| format!("`{text}` ({source})"))
                    .collect();
                let rules = if names.len() == 1 {
                    "the rule"
                } else {
                    "the rules"
                };
                return Some(format!(
                    "without {rules} {} it would be {}",
                    names.join(" and "),
                    word(now.effect)
                ));
            }
        }
        None
    }

    fn by_trust(&self) -> Option<String> {
        if self.untrusted.is_empty() {
            return None;
        }
        let rules = self
            .on
            .rules
            .iter()
            .chain(self.untrusted)
            .cloned()
            .collect();
        (self.decide(rules, self.on.mode).effect == Verdict::Allow)
            .then(|| "`toolpost trust` would let the workspace's own rules allow it".to_owned())
    }

    /// The fewest exact rules that allow it.
    fn by_allow_rules(&self) -> Option<String> {
        let with = |texts: &[String]| self.with_rules(texts, Verdict::Allow);
        let mut texts = suggest::rules(self.prepared, self.place);
        if with(&texts) != Some(Verdict::Allow) {
            return None;
        }
        let mut at = 0;
        while at < texts.len() {
            let mut fewer = texts.clone();
            fewer.remove(at);
            if with(&fewer) == Some(Verdict::Allow) {
                texts = fewer;
            } else {
                at += 1;
            }
        }
        let flags: Vec<String> = texts
            .iter()
            .map(|text| format!("`--allow {}`", quoted(text)))
            .collect();
        (!flags.is_empty()).then(|| format!("{} would allow it", flags.join(" and ")))
    }

    fn by_stricter_rule(&self) -> Option<String> {
        let text = suggest::rules(self.prepared, self.place)
            .into_iter()
            .next()?;
        (self.with_rules(std::slice::from_ref(&text), Verdict::Deny) == Some(Verdict::Deny))
            .then(|| format!("`--deny {}` would deny it", quoted(&text)))
    }

    fn by_mode(&self, decision: &Decision) -> Option<String> {
        let rules: Vec<Rule> = self.on.rules.iter().cloned().collect();
        let modes = [Mode::Default, Mode::AcceptEdits, Mode::Bypass];
        let (mode, effect) = modes
            .into_iter()
            .map(|mode| (mode, self.decide(rules.clone(), mode).effect))
            .find(|(_, effect)| *effect < decision.effect)?;
        Some(format!("in mode `{mode}` it would be {}", word(effect)))
    }

    fn with_rules(&self, texts: &[String], effect: Verdict) -> Option<Verdict> {
        let added = texts
            .iter()
            .map(|text| Rule::parse(text, effect, Source::command_line()));
        let added: Vec<Rule> = added.collect::<Result<_, _>>().ok()?;
        let rules = self.on.rules.iter().cloned().chain(added).collect();
        Some(self.decide(rules, self.on.mode).effect)
    }

    fn decide(&self, rules: Vec<Rule>, mode: Mode) -> Decision {
        let rules = Rules::new(rules, &self.place.root, self.place.disk.home());
        let on = Circumstances {
            rules: &rules,
            mode,
            ..*self.on
        };
        engine::decide(self.prepared, &on)
    }
}

/// As a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/'));
    if is_plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
