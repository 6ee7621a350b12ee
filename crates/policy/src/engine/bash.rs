//! Command lines: every command in them is a part, and so is every path that one touches.

use toolpost_core::{Access, DecidedBy, Verdict};

use super::cover::{Cover, Part};
use super::join::Said;
use super::{Judge, touches};
use crate::mode::Mode;
use crate::place::escaped;
use crate::prepared::{Shell, Use, is_unknown};
use crate::rule::command::{Fit, basename};
use crate::shell::{Command, Kind};

const BASH: &str = "Bash";

/// Programs that run what their words say.
const RUN_TEXT: [&str; 10] = [
    ".", "bash", "dash", "eval", "exec", "ksh", "sh", "source", "trap", "zsh",
];

impl<'r> Judge<'_, '_, 'r> {
    pub(super) fn bash(&mut self, is_ruled: bool) {
        let prepared = self.prepared;
        let Some(shell) = &prepared.shell else {
            return;
        };
        let Shell { analysis, uses, .. } = shell;
        let tool_said = |effect| Said::new(effect, DecidedBy::Tool, "shell");
        if let Some(reason) = &analysis.invalid {
            return self
                .join
                .add(tool_said(Verdict::Deny), &|| reason.clone().into());
        }
        for reason in &analysis.undecidable {
            if self.on.mode == Mode::Plan {
                let said = Said::new(Verdict::Deny, DecidedBy::Mode, "mode");
                self.join.add(said, &|| {
                    format!(
                        "mode `plan` only looks, and it cannot be told what this does: {reason}"
                    )
                    .into()
                });
            }
            self.join.add(tool_said(Verdict::Ask), &|| {
                format!("it cannot be told what it does: {reason}").into()
            });
        }
        let every = self.on.rules.allows_tool(BASH);
        if analysis.commands.is_empty() && analysis.undecidable.is_empty() && !is_ruled {
            match every {
                Some(rule) => self.join.rule(rule, BASH, &|| "it runs nothing".into()),
                None => self.join.add(Said::by_mode(Verdict::Allow, BASH), &|| {
                    "it runs nothing".into()
                }),
            }
        }
        let mut covers: Vec<Cover<'r>> = Vec::with_capacity(analysis.commands.len());
        for (place, (command, uses)) in analysis.commands.iter().zip(uses).enumerate() {
            let has_inner = analysis
                .commands
                .iter()
                .any(|other| other.parent == Some(place));
            let part = Part {
                command,
                uses,
                has_inner,
            };
            let parent = command
                .parent
                .and_then(|parent| covers.get(parent))
                .copied();
            let cover = self.cover(part, parent, every);
            covers.push(cover);
            self.command(part, cover, is_ruled);
        }
    }

    fn command(&mut self, part: Part<'_>, cover: Cover<'r>, is_ruled: bool) {
        let command = part.command;
        let shown = shown(command);
        let mut is_ruled = self.command_rules(command, &shown) || is_ruled;
        if let Some(reason) = &command.critical {
            is_ruled = true;
            let said = Said::new(Verdict::Ask, DecidedBy::Tool, "critical").of(&shown);
            self.join.add(said, &|| {
                format!("`{shown}` is a critical removal: {reason}").into()
            });
        }
        for used in part.uses {
            is_ruled |= self.path_of_command(used, cover);
        }
        self.unknown_words(part, &shown);
        if command.kind == Kind::Salvaged {
            return;
        }
        if self.on.mode == Mode::Plan && !command.read_only {
            let said = Said::by_mode(Verdict::Deny, &shown);
            self.join.add(said, &|| {
                format!(
                    "mode `plan` only looks, and `{shown}` does not: {}",
                    command.reason
                )
                .into()
            });
        }
        if is_ruled {
            return;
        }
        match cover {
            Cover::Every(rule) | Cover::Words { rule, .. } => {
                self.join
                    .rule(rule, &shown, &|| format!("it runs `{shown}`").into());
            }
            Cover::None if !command.read_only => {
                let said = Said::by_mode(Verdict::Ask, &shown);
                self.by_default(said, &|| {
                    format!(
                        "`{shown}` is not known to only look ({}), and no rule allows it",
                        command.reason
                    )
                    .into()
                });
            }
            Cover::None => match part.uses.iter().find(|used| !self.may_look_at(used)) {
                Some(used) => {
                    let said = Said::by_mode(Verdict::Ask, &shown);
                    self.by_default(said, &|| match &used.forms {
                        Some(forms) => format!(
                            "`{}` is outside the root, and no rule allows it",
                            forms.shown
                        )
                        .into(),
                        None => format!(
                            "it cannot be told what `{}` is, and no rule allows it",
                            escaped(&used.raw)
                        )
                        .into(),
                    });
                }
                None => {
                    let said = Said::by_mode(Verdict::Allow, &shown);
                    self.join.add(said, &|| {
                        format!("`{shown}` only looks, inside the root").into()
                    });
                }
            },
        }
    }

    /// Joins deny and ask rules about the command. Says whether there was one.
    fn command_rules(&mut self, command: &Command, shown: &str) -> bool {
        let argv: Vec<Option<&str>> = command.argv.iter().map(|word| word.literal()).collect();
        let mut is_ruled = false;
        for (rule, fit) in self.on.rules.of_argv(&argv, self.prepared.folds_case) {
            is_ruled = true;
            match fit {
                Fit::Yes => self
                    .join
                    .rule(rule, shown, &|| format!("it runs `{shown}`").into()),
                _ => self.join.near_rule(rule, shown, &|| {
                    format!("`{shown}` may become a command of the rule").into()
                }),
            }
        }
        let is_run = matches!(command.kind, Kind::Simple | Kind::Salvaged);
        if is_run
            && command.program.is_none()
            && let Some(rule) = self.on.rules.any_broad_command()
        {
            is_ruled = true;
            self.join.near_rule(rule, shown, &|| {
                format!("it cannot be told which program `{shown}` runs").into()
            });
        }
        if is_run && is_unknown(command) {
            let words = argv.iter().skip(1).flatten();
            let hidden = words
                .filter_map(|word| {
                    self.on
                        .rules
                        .broad_program(word)
                        .map(|rule| (rule, basename(word)))
                })
                .next();
            if let Some((rule, word)) = hidden {
                is_ruled = true;
                self.join.near_rule(rule, shown, &|| {
                    format!("`{shown}` may run `{word}`").into()
                });
            }
        }
        // `eval $X` and `env $X` run what cannot be told either.
        let runs_text = command
            .program
            .as_deref()
            .is_some_and(|p| RUN_TEXT.contains(&p));
        let runs_unknown = (command.is_wrapper || runs_text) && argv.iter().any(Option::is_none);
        if is_run
            && runs_unknown
            && let Some(rule) = self.on.rules.any_broad_command()
        {
            is_ruled = true;
            self.join.near_rule(rule, shown, &|| {
                format!("it cannot be told what `{shown}` runs").into()
            });
        }
        for host in &command.hosts {
            for rule in self
                .on
                .rules
                .of_host("WebFetch", host)
                .into_iter()
                .filter(|rule| rule.is_broad())
            {
                is_ruled = true;
                self.join.near_rule(rule, shown, &|| {
                    format!("`{shown}` reaches `{host}`").into()
                });
            }
        }
        is_ruled
    }

    /// Joins what is said of one path that a command touches. Says whether a rule was.
    fn path_of_command(&mut self, used: &Use, cover: Cover<'r>) -> bool {
        let rules = self.on.rules;
        let access = used.access;
        let head = if access == Access::Read {
            "Read"
        } else {
            "Edit"
        };
        let Some(forms) = &used.forms else {
            let raw = escaped(&used.raw);
            if let Some(rule) = rules.any_broad_path(access) {
                self.join.near_rule(rule, &raw, &|| {
                    format!("it cannot be told what `{raw}` is").into()
                });
            } else if self.needs_edit_rule(used, cover) {
                self.undecided_write(&raw);
            }
            return false;
        };
        let mut is_ruled = false;
        if !used.is_guess {
            for rule in rules.of_tool(head).filter(|rule| rule.is_broad()) {
                is_ruled = true;
                self.join
                    .rule(rule, &forms.shown, &|| touches(access, &forms.shown));
            }
        }
        if used.is_guess {
            // What a little-known program does with a path is not known: it may also write it.
            for access in [Access::Read, Access::Write] {
                // A plain word is one more often than a path: only a rule that names it counts.
                let is_word = !used.raw.contains(['/', '.']);
                let found = rules.of_path(BASH, access, forms).into_iter();
                let found = found.filter(|rule| !is_word || rule.names_path(&used.raw));
                for rule in found.filter(|rule| rule.is_broad()) {
                    is_ruled = true;
                    self.join.rule(rule, &forms.shown, &|| {
                        format!("it may touch `{}`", forms.shown).into()
                    });
                }
            }
            return is_ruled;
        }
        let ruled = self.path_rules(BASH, access, forms, used.is_deep);
        is_ruled |= ruled.is_broad;
        if used.is_deep
            && !is_ruled
            && let Some(rule) = rules.may_deny_below(access, forms)
        {
            is_ruled = true;
            self.join.near_rule(rule, &forms.shown, &|| {
                let shown = &forms.shown;
                format!("it goes through all of `{shown}`, which the rule is about a part of")
                    .into()
            });
        }
        if !is_ruled && self.needs_edit_rule(used, cover) {
            match ruled.narrow.or_else(|| rules.allows_tool(head)) {
                Some(rule) => self
                    .join
                    .rule(rule, &forms.shown, &|| touches(access, &forms.shown)),
                None => {
                    let said = Said::by_mode(Verdict::Ask, &forms.shown);
                    self.by_default(said, &|| {
                        format!("it writes `{}`, and no rule allows that", forms.shown).into()
                    });
                }
            }
        }
        // A rule about a redirection's target says nothing of the command itself.
        is_ruled && !used.is_redirection
    }

    /// A redirection is an edit; so is any other write that no rule spells.
    fn needs_edit_rule(&self, used: &Use, cover: Cover<'_>) -> bool {
        used.access == Access::Write && (used.is_redirection || matches!(cover, Cover::Every(_)))
    }

    fn undecided_write(&mut self, raw: &str) {
        match self.on.rules.allows_tool("Edit") {
            Some(rule) => self
                .join
                .rule(rule, raw, &|| format!("it writes `{raw}`").into()),
            None => {
                let said = Said::by_mode(Verdict::Ask, raw);
                self.by_default(said, &|| {
                    format!("it cannot be told what it writes: `{raw}`").into()
                });
            }
        }
    }

    /// Words of a little-known program that are not decidable may name what a rule denies.
    fn unknown_words(&mut self, part: Part<'_>, shown: &str) {
        let is_open = part
            .command
            .argv
            .iter()
            .skip(1)
            .any(|word| word.literal().is_none());
        if !is_open || !is_unknown(part.command) {
            return;
        }
        if let Some(rule) = self.on.rules.any_broad_path(Access::Read) {
            self.join.near_rule(rule, shown, &|| {
                format!("it cannot be told what `{shown}` reads").into()
            });
        }
    }

    /// Whether a path may be read without a rule for the command, or a write is ruled by itself.
    fn may_look_at(&self, used: &Use) -> bool {
        if used.access == Access::Write || used.is_guess {
            return true;
        }
        let rules = self.on.rules;
        if rules.allows_tool("Read").is_some() {
            return true;
        }
        used.forms.as_ref().is_some_and(|forms| {
            forms.is_inside
                || rules
                    .of_path(BASH, Access::Read, forms)
                    .iter()
                    .any(|rule| !rule.is_broad())
        })
    }
}

fn shown(command: &Command) -> String {
    const MOST_CHARS: usize = 200;
    let mut text = String::new();
    let words = command
        .assignments
        .iter()
        .map(|assignment| &assignment.raw)
        .chain(&command.raw);
    for word in words.chain(
        command
            .redirections
            .iter()
            .map(|redirection| &redirection.raw),
    ) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    let shown: String = escaped(&text);
    match shown.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default()),
        None => shown,
    }
}
