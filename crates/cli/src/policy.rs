//! `toolpost policy`: the settings loaded and looked at, held to cases, compared.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolpost_core::{Decision, Facts};
use toolpost_policy::{Case, Layer, RulePolicy, SampleCall, Settings};
use toolpost_run::journal::Filter;
use toolpost_tools::HostDisk;
use toolpost_wire::Format;

use crate::args::{Common, Policy, PolicyAction};
use crate::exit::{self, usage};
use crate::settings::{self, Loaded};
use crate::{input, keeping, mistakes, setup};

pub(crate) fn policy(common: &Common, policy: &Policy) -> anyhow::Result<u8> {
    match &policy.action {
        None | Some(PolicyAction::Check) => check(common),
        Some(PolicyAction::Test { file }) => test(common, file),
        Some(PolicyAction::Diff { old, new, calls }) => diff(common, old, new, calls.as_deref()),
    }
}

#[derive(Serialize)]
struct Finding {
    v: u8,
    /// `error` stops what it is in from counting; `warning` does not.
    level: &'static str,
    message: String,
}

fn check(common: &Common) -> anyhow::Result<u8> {
    let loaded = Loaded::of(common)?;
    let policy = loaded.policy(common)?;
    let mistakes = mistakes::of(common, &loaded, &setup::root(common)?);
    // Where a tool's entry is wrong, that is said, and the rest is looked at all the same.
    let toolbox = setup::tools(common, &loaded).or_else(|_| setup::builtins(common))?;
    let mut tools: Vec<&str> = toolbox.names().collect();
    tools.extend(setup::NAMES_TO_COME);
    let servers: Vec<&str> = loaded
        .files
        .iter()
        .flat_map(|file| file.servers.iter().map(|server| server.name.as_str()))
        .collect();
    let errors = policy.load_errors().iter().map(|message| Finding {
        v: 1,
        level: "error",
        message: message.clone(),
    });
    let mistakes = mistakes.into_iter().map(|message| Finding {
        v: 1,
        level: "error",
        message,
    });
    let warnings = toolpost_policy::check(policy.rules(), &tools, &servers);
    let missing = mistakes::missing_hooks(&loaded, &setup::root(common)?);
    let warnings = warnings.iter().map(ToString::to_string).chain(missing);
    let warnings = warnings.map(|message| Finding {
        v: 1,
        level: "warning",
        message,
    });
    let findings: Vec<Finding> = errors.chain(mistakes).chain(warnings).collect();
    let mut out = io::stdout().lock();
    for finding in &findings {
        if common.json {
            writeln!(out, "{}", serde_json::to_string(finding)?)?;
        } else {
            writeln!(out, "{}: {}", finding.level, finding.message)?;
        }
    }
    settings::report_untrusted(&policy, common);
    if findings.is_empty() {
        if !common.quiet && !common.json {
            let files = loaded.files.len();
            eprintln!(
                "toolpost: {} rules in {files} files, nothing to mend",
                policy.rules().len()
            );
        }
        return Ok(exit::DONE);
    }
    Ok(exit::UNEXPECTED)
}

/// One case that is wrong.
#[derive(Serialize)]
struct Wrong {
    v: u8,
    id: Option<String>,
    expect: Option<String>,
    verdict: Option<String>,
    reason: String,
}

fn test(common: &Common, file: &Path) -> anyhow::Result<u8> {
    let mut lines = input::lines(input::open(Some(file))?);
    let (mut passed, mut failed) = (0_usize, 0_usize);
    let mut out = io::stdout().lock();
    while let Some(line) = lines.blocking_recv() {
        let line = line?;
        let number = line.number;
        let wrong = match line.text {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => wrong(&text, number),
            Err(error) => Some(bad_line(number, &error)),
        };
        let Some(wrong) = wrong else {
            passed += 1;
            continue;
        };
        failed += 1;
        if common.json {
            writeln!(out, "{}", serde_json::to_string(&wrong)?)?;
        } else {
            let id = wrong.id.as_deref().unwrap_or("?");
            match (&wrong.verdict, &wrong.expect) {
                (Some(verdict), Some(expect)) => {
                    writeln!(out, "{id}: {verdict}, not {expect}: {}", wrong.reason)?;
                }
                _ => writeln!(out, "{}", wrong.reason)?,
            }
        }
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(if failed == 0 {
        exit::DONE
    } else {
        exit::UNEXPECTED
    })
}

fn wrong(text: &str, number: u64) -> Option<Wrong> {
    let case = match Case::parse(text) {
        Ok(case) => case,
        Err(error) => return Some(bad_line(number, &format!("no case: {error}"))),
    };
    let decision = case.decide();
    (decision.effect != case.expect).then(|| Wrong {
        v: 1,
        id: Some(case.id),
        expect: Some(decision_word(case.expect)),
        verdict: Some(decision_word(decision.effect)),
        reason: decision.reason.into_owned(),
    })
}

fn bad_line(number: u64, error: &str) -> Wrong {
    Wrong {
        v: 1,
        id: None,
        expect: None,
        verdict: None,
        reason: format!("line {number} is {error}"),
    }
}

fn decision_word(verdict: toolpost_core::Verdict) -> String {
    format!("{verdict:?}").to_lowercase()
}

/// A call that another policy decides about differently.
#[derive(Serialize)]
struct Changed<'a> {
    v: u8,
    change: &'static str,
    name: &'a str,
    arguments: &'a Value,
    old: &'a Decision,
    new: &'a Decision,
}

fn diff(common: &Common, old: &Path, new: &Path, calls: Option<&Path>) -> anyhow::Result<u8> {
    let root = setup::root(common)?;
    let policies = [alone(&root, old)?, alone(&root, new)?];
    let [old, new] = &policies;
    let calls = match calls {
        Some(name) if name == Path::new("journal") => of_journal(common, &root)?,
        Some(file) => read_calls(file)?,
        None => toolpost_policy::samples(&[old, new]),
    };
    let facts = Facts::new(&root);
    let mut out = io::stdout().lock();
    let changes = toolpost_policy::diff(old, new, &calls, &facts);
    for change in &changes {
        let word = if change.is_looser() {
            "looser"
        } else {
            "stricter"
        };
        if common.json {
            let line = Changed {
                v: 1,
                change: word,
                name: &change.name,
                arguments: &change.arguments,
                old: &change.old,
                new: &change.new,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            writeln!(
                out,
                "{word}: {} {}: {} -> {}, because {}",
                change.name,
                change.arguments,
                decision_word(change.old.effect),
                decision_word(change.new.effect),
                change.new.reason,
            )?;
        }
    }
    if !common.quiet && !common.json {
        let looser = changes.iter().filter(|change| change.is_looser()).count();
        let stricter = changes.len() - looser;
        eprintln!(
            "toolpost: of {} calls, {looser} looser and {stricter} stricter",
            calls.len()
        );
    }
    Ok(exit::DONE)
}

/// The policy of one file alone.
fn alone(root: &Path, file: &Path) -> anyhow::Result<RulePolicy> {
    let settings: Settings = settings::read(file, Layer::User)
        .ok_or_else(|| usage(format!("there is no file `{}`", file.display())))?;
    let disk = Arc::new(HostDisk::new(root, setup::folder_of("HOME")));
    let policy = RulePolicy::builder(root, disk).settings(settings).build();
    settings::loads(&policy)?;
    Ok(policy)
}

fn read_calls(file: &Path) -> anyhow::Result<Vec<SampleCall>> {
    let mut lines = input::lines(input::open(Some(file))?);
    let mut calls = Vec::new();
    while let Some(line) = lines.blocking_recv() {
        let line = line?;
        let number = line.number;
        let bad = |error: String| usage(format!("line {number} is {error}"));
        let text = line.text.map_err(bad)?;
        let message = toolpost_wire::read(text.trim(), Some(Format::Native), number)
            .map_err(|error| bad(error.to_string()))?;
        for call in message.calls {
            let arguments =
                serde_json::from_str(call.input()).map_err(|error| bad(error.to_string()))?;
            calls.push(SampleCall {
                name: call.name().to_string(),
                arguments,
            });
        }
    }
    Ok(calls)
}

/// The calls that the journal keeps of this root. What is masked cannot be compared, and is said so.
fn of_journal(common: &Common, root: &Path) -> anyhow::Result<Vec<SampleCall>> {
    let filter = Filter {
        root: Some(root.to_string_lossy().into_owned()),
        ..Filter::default()
    };
    let kept = match keeping::existing(common)? {
        Some(journal) => journal.calls(&filter)?,
        None => Vec::new(),
    };
    let mut calls: Vec<SampleCall> = Vec::new();
    let mut seen = HashSet::new();
    let mut masked = 0_usize;
    for call in &kept {
        if call.is_masked {
            masked += 1;
            continue;
        }
        let Ok(arguments) = serde_json::from_str(&call.input) else {
            continue;
        };
        if seen.insert((&call.tool, &call.input)) {
            let name = call.tool.clone();
            calls.push(SampleCall { name, arguments });
        }
    }
    if masked > 0 && !common.quiet {
        eprintln!("toolpost: left out of the calls, since they are masked: {masked}");
    }
    Ok(calls)
}
