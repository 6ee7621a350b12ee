//! `toolpost doctor`: what works here and what does not, each with what to do about it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;
use toolpost_policy::Settings;
use toolpost_run::journal::{Filter, Journal, JournalError};

use crate::args::Common;
use crate::settings::{self, Loaded};
use crate::{exit, keeping, mistakes, setup, trust};

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// It works, and not as well as it could.
    Warning,
    /// It does not work.
    Error,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    v: u8,
    check: &'static str,
    level: Level,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
}

impl Finding {
    fn new(check: &'static str, level: Level, message: impl Into<String>) -> Self {
        Self {
            v: 1,
            check,
            level,
            message: message.into(),
            advice: None,
        }
    }

    fn advice(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }
}

pub(crate) fn doctor(common: &Common) -> anyhow::Result<u8> {
    let root = setup::root(common)?;
    let loaded = Loaded::of(common)?;
    let mut findings = vec![Finding::new(
        "version",
        Level::Ok,
        format!(
            "toolpost {}, root {}",
            env!("CARGO_PKG_VERSION"),
            root.display()
        ),
    )];
    findings.extend(files(common, &root, &loaded));
    findings.extend(policy(common, &loaded)?);
    findings.extend(mistakes(common, &loaded, &root));
    findings.push(trust(&loaded));
    findings.extend(trust::problem().map(|problem| {
        Finding::new("trust", Level::Error, problem)
            .advice("no workspace is trusted until it is mended; move it away and trust them again")
    }));
    findings.push(state());
    findings.push(journal(common));
    findings.extend(session(common));
    findings.push(shell());
    findings.push(processes());
    findings.push(sandbox());
    for finding in &findings {
        if common.json {
            println!("{}", serde_json::to_string(finding)?);
        } else {
            print!("{}", for_a_person(finding));
        }
    }
    let is_wrong = findings.iter().any(|finding| finding.level == Level::Error);
    Ok(if is_wrong {
        exit::UNEXPECTED
    } else {
        exit::DONE
    })
}

fn for_a_person(finding: &Finding) -> String {
    let word = match finding.level {
        Level::Ok => "ok",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut text = format!("{word:<8}{}: {}\n", finding.check, finding.message);
    if let Some(advice) = finding.advice {
        text.push_str(&format!("        {advice}\n"));
    }
    text
}

/// Each place where settings can be, and what is there.
fn files(common: &Common, root: &Path, loaded: &Loaded) -> Vec<Finding> {
    let places: Vec<(&str, Option<PathBuf>)> = match &common.settings {
        Some(path) => vec![
            ("managed", Some(settings::MANAGED.into())),
            ("given", Some(path.clone())),
        ],
        None => vec![
            ("managed", Some(settings::MANAGED.into())),
            ("user", settings::user_file()),
            ("project", Some(root.join("toolpost.toml"))),
            ("local", Some(root.join(".toolpost/local.toml"))),
        ],
    };
    let mut findings = Vec::new();
    for (name, place) in places {
        let Some(place) = place else {
            let message = format!("{name}: there is no home folder to look in");
            findings.push(
                Finding::new("settings", Level::Warning, message)
                    .advice("set HOME or XDG_CONFIG_HOME"),
            );
            continue;
        };
        let file = loaded.files.iter().find(|file| is_of(file, &place, root));
        let what = match file {
            None => "not there".to_owned(),
            Some(file) => format!(
                "{} rules, {} tests",
                file.permissions.rules.len(),
                file.permissions.tests.len()
            ),
        };
        findings.push(Finding::new(
            "settings",
            Level::Ok,
            format!("{name}: {}: {what}", place.display()),
        ));
    }
    findings
}

fn is_of(file: &Settings, place: &Path, root: &Path) -> bool {
    root.join(&*file.file) == place || Path::new(&*file.file) == place
}

fn policy(common: &Common, loaded: &Loaded) -> anyhow::Result<Vec<Finding>> {
    let policy = loaded.policy(common)?;
    let errors = policy.load_errors();
    if errors.is_empty() {
        let message = format!(
            "loaded, mode `{}`, {} rules count",
            policy.mode(),
            policy.rules().len()
        );
        return Ok(vec![Finding::new("policy", Level::Ok, message)]);
    }
    Ok(errors
        .iter()
        .map(|error| {
            Finding::new("policy", Level::Error, error)
                .advice("nothing is allowed without asking until this is mended")
        })
        .collect())
}

/// What would stop a run, or make it ask about everything, though the policy loads.
fn mistakes(common: &Common, loaded: &Loaded, root: &Path) -> Vec<Finding> {
    let stops = mistakes::of(common, loaded, root).into_iter();
    let stops = stops.map(|message| {
        Finding::new("settings", Level::Error, message)
            .advice("`toolpost run` refuses to begin until this is mended")
    });
    let missing = mistakes::missing_hooks(loaded, root).into_iter();
    let missing = missing.map(|message| {
        Finding::new("hooks", Level::Error, message)
            .advice("a hook that does not run is no consent, so a person is asked about each call")
    });
    stops.chain(missing).collect()
}

fn trust(loaded: &Loaded) -> Finding {
    let own = loaded
        .files
        .iter()
        .filter(|file| file.layer.is_of_workspace());
    let waits = own.clone().any(|file| {
        let allows = |rule: &toolpost_policy::Rule| rule.effect() == toolpost_core::Verdict::Allow;
        file.permissions.rules.iter().any(allows)
            || file.permissions.mode.is_some()
            || !file.hooks.before.is_empty()
            || !file.hooks.after.is_empty()
            || !file.tools.is_empty()
            || !file.servers.is_empty()
    });
    match (loaded.is_trusted, waits) {
        (true, _) => Finding::new("trust", Level::Ok, "this workspace is trusted"),
        (false, false) => Finding::new(
            "trust",
            Level::Ok,
            "this workspace is not trusted, and has nothing that would need it",
        ),
        (false, true) => Finding::new(
            "trust",
            Level::Warning,
            "this workspace is not trusted, so what it allows or runs does not count",
        )
        .advice("read its settings, then `toolpost trust`"),
    }
}

/// Whether what must be remembered can be.
fn state() -> Finding {
    let Some(folder) = setup::state_folder() else {
        return Finding::new("state", Level::Error, "there is no state folder")
            .advice("set HOME or XDG_STATE_HOME to an absolute path");
    };
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&probe, "x"));
    // It is only there to see whether it can be.
    let _ = fs::remove_file(&probe);
    let shown = folder.display();
    match written {
        Err(error) => Finding::new(
            "state",
            Level::Error,
            format!("`{shown}` cannot be written: {error}"),
        )
        .advice("long results, trust and the journal need it; mend its owner and mode"),
        Ok(()) => {
            let mode = folder
                .metadata()
                .map_or(0, |found| found.permissions().mode());
            if mode & 0o022 == 0 {
                Finding::new("state", Level::Ok, format!("{shown}"))
            } else {
                Finding::new(
                    "state",
                    Level::Warning,
                    format!("others may write to `{shown}`"),
                )
                .advice("whoever can write there can trust workspaces; `chmod go-w` it")
            }
        }
    }
}

/// Whether the file of calls opens.
fn journal(common: &Common) -> Finding {
    match keeping::existing(common) {
        Ok(None) => Finding::new(
            "journal",
            Level::Ok,
            "not there yet; the first run makes it",
        ),
        Ok(Some(journal)) => match whole(&journal) {
            Ok(()) => Finding::new("journal", Level::Ok, "it opens"),
            Err(error) => broken(error.to_string()),
        },
        Err(error) => broken(error.to_string()),
    }
}

/// Whether the session that is asked about can be gone on with.
fn session(common: &Common) -> Option<Finding> {
    let name = common.session.as_ref()?;
    Some(match keeping::session_file(common, name) {
        Ok(_) => Finding::new(
            "session",
            Level::Ok,
            format!("`{name}` can be gone on with"),
        ),
        Err(error) => Finding::new("session", Level::Error, error.to_string())
            .advice("mend that, or give another name with `--session`"),
    })
}

fn broken(message: String) -> Finding {
    Finding::new("journal", Level::Error, message)
        .advice("move the file away or name another with `--journal`; runs go on without one")
}

/// Whether all that it should hold can be read.
fn whole(journal: &Journal) -> Result<(), JournalError> {
    let newest = Filter {
        limit: Some(1),
        ..Filter::default()
    };
    journal.calls(&newest)?;
    journal.questions()?;
    Ok(())
}

fn shell() -> Finding {
    let output = Command::new("bash")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let version = output
        .ok()
        .filter(|output| output.status.success())
        .map(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.lines().next().unwrap_or_default().to_owned()
        });
    match version {
        Some(version) => Finding::new("bash", Level::Ok, version),
        None => Finding::new("bash", Level::Error, "`bash` cannot be run")
            .advice("the tool Bash needs it; install it or mend PATH"),
    }
}

fn processes() -> Finding {
    if Path::new("/proc/self/environ").exists() {
        Finding::new(
            "processes",
            Level::Ok,
            "what commands leave behind is found and ended",
        )
    } else {
        Finding::new("processes", Level::Warning, "there is no /proc")
            .advice("of a command that is ended, what left its process group may live on")
    }
}

fn sandbox() -> Finding {
    Finding::new(
        "sandbox",
        Level::Warning,
        "there is none: commands that are allowed run with all that you may do",
    )
    .advice("run toolpost in a container or as another user where that is too much")
}
