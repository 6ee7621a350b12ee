//! What a run leaves behind for later ones: its record in the journal, its questions, and what its
//! session goes on with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use toolpost_core::{Outcome, Toolbox};
use toolpost_policy::{Settings, SettingsError};
use toolpost_run::journal::{Journal, JournalError, Mask, Recorder, Recording, Retention};
use toolpost_run::session_file::{Kept, SessionFile};
use toolpost_run::{Session, SessionBuilder};
use toolpost_tools::FileState;

use crate::args::{self, Common, OnAsk};
use crate::exit::usage;
use crate::kept::{Seen, Stand};
use crate::prompt::Allowed;
use crate::settings::Loaded;
use crate::setup;

/// What a session is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Calls run, and what happens is kept.
    Run,
    /// Nothing runs, so nothing is kept.
    Plan,
}

/// What is kept of one run.
pub(crate) struct Keeping {
    purpose: Purpose,
    recorder: Option<Recorder>,
    file: Option<SessionFile>,
    /// Whether the operator was told that the session's file cannot be written.
    is_told: AtomicBool,
}

impl Keeping {
    pub(crate) fn begin(
        common: &Common,
        loaded: &Loaded,
        toolbox: &Arc<Toolbox>,
        purpose: Purpose,
    ) -> anyhow::Result<Self> {
        let file = match &common.session {
            Some(name) => Some(session_file(common, name)?),
            None => None,
        };
        let recorder = match purpose {
            Purpose::Run => recorder(common, loaded, toolbox)?,
            Purpose::Plan => None,
        };
        if recorder.is_none() && purpose == Purpose::Run && common.on_ask == Some(OnAsk::Queue) {
            return Err(usage(
                "`--on-ask queue` keeps questions in the journal, and there is none; give \
                 `--journal FILE`",
            ));
        }
        Ok(Self {
            purpose,
            recorder,
            file,
            is_told: AtomicBool::new(false),
        })
    }

    /// Has the session tell the journal what happens, and ask there.
    pub(crate) fn attach(&self, mut builder: SessionBuilder, on_ask: OnAsk) -> SessionBuilder {
        let Some(recorder) = &self.recorder else {
            return builder;
        };
        if on_ask == OnAsk::Queue {
            builder = builder.approver(recorder.queue());
        }
        builder.store(recorder.clone())
    }

    /// Goes on with all that the session's file keeps: each part is one line here.
    pub(crate) fn go_on(
        &mut self,
        session: &Session,
        seen: &FileState,
        allowed: Option<Allowed>,
    ) -> anyhow::Result<()> {
        let mut parts: Vec<Box<dyn Kept>> = vec![
            Box::new(Seen(seen.clone())),
            Box::new(Stand(session.facts().clone())),
        ];
        // A run without a prompt leaves what a person has said there as it is.
        parts.extend(allowed.map(|allowed| Box::new(allowed) as Box<dyn Kept>));
        if let Some(file) = &mut self.file {
            for part in parts {
                file.keep(part).map_err(|error| usage(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// After a call that may have changed something, what the session goes on with is written at
    /// once: a process may end in any way.
    pub(crate) fn after(&self, outcome: &Outcome) {
        if outcome.effects.is_some_and(|effects| !effects.read_only) {
            self.save();
        }
    }

    /// Writes all that is left to be written.
    pub(crate) fn close(&self) {
        self.save();
        if let Some(recorder) = &self.recorder {
            recorder.close();
            if let Some(trouble) = recorder.trouble() {
                eprintln!(
                    "toolpost: the journal could not be written, and lacks something: {trouble}"
                );
            }
        }
    }

    fn save(&self) {
        if self.purpose == Purpose::Plan {
            return;
        }
        if let Some(Err(error)) = self.file.as_ref().map(SessionFile::save)
            && !self.is_told.swap(true, Ordering::Relaxed)
        {
            eprintln!("toolpost: {error}");
        }
    }
}

pub(crate) fn session_file(common: &Common, name: &str) -> anyhow::Result<SessionFile> {
    let Some(state) = setup::state_folder() else {
        return Err(usage(
            "`--session` needs a state folder; set XDG_STATE_HOME or HOME",
        ));
    };
    SessionFile::open(&state.join("sessions"), name, &setup::root(common)?)
        .map_err(|error| usage(error.to_string()))
}

/// Where the journal is, as far as anybody says.
pub(crate) enum Place {
    /// None is wanted.
    None,
    /// There is no state folder, and nobody named a file.
    Nowhere,
    /// A person named this file.
    Named(PathBuf),
    /// The state folder's.
    Usual(PathBuf),
}

impl Place {
    pub(crate) fn of(common: &Common) -> Self {
        match &common.journal {
            Some(name) if name == Path::new("none") => Self::None,
            Some(file) => Self::Named(file.clone()),
            None => setup::state_folder().map_or(Self::Nowhere, |folder| {
                Self::Usual(folder.join("journal.db"))
            }),
        }
    }
}

/// The record of a run. Where nobody asked for a journal and there cannot be one, that is said and
/// the run goes on without.
fn recorder(
    common: &Common,
    loaded: &Loaded,
    toolbox: &Arc<Toolbox>,
) -> anyhow::Result<Option<Recorder>> {
    // A mask that cannot be used must not let anything through, whatever becomes of the journal.
    let kept = Wanted::of(loaded)?;
    let without = |why: &str| {
        if !common.quiet {
            eprintln!("toolpost: {why}; nothing is kept of this run");
        }
        Ok(None)
    };
    let broken = loaded.trusted_files().find_map(unreadable);
    let (file, is_named) = match Place::of(common) {
        Place::None => return Ok(None),
        Place::Nowhere => return without("there is no state folder for a journal"),
        Place::Named(file) => (file, true),
        Place::Usual(file) => (file, common.on_ask == Some(OnAsk::Queue)),
    };
    if let Some(problem) = broken {
        let why = format!("{problem}, so nobody knows what must not be written to the journal");
        return if is_named {
            Err(usage(why))
        } else {
            without(&why)
        };
    }
    match open(common, &file, kept, toolbox) {
        Ok(recorder) => Ok(Some(recorder)),
        Err(error) if is_named => Err(usage(format!("`{}`: {error}", file.display()))),
        Err(error) => without(&format!("`{}`: {error}", file.display())),
    }
}

fn open(
    common: &Common,
    file: &Path,
    kept: Wanted,
    toolbox: &Arc<Toolbox>,
) -> Result<Recorder, JournalError> {
    let journal = Journal::open(file)?;
    journal.retain(kept.retention)?;
    if !common.quiet {
        journal.tell_unknown(|calls| eprintln!("toolpost: {}", of_unknown(calls)))?;
    }
    let root = setup::root(common).unwrap_or_default();
    let mut recording = Recording::new(Arc::clone(toolbox), root);
    recording.name.clone_from(&common.session);
    recording.mask = kept.mask;
    if let Some(last) = kept.questions_last {
        recording.questions_last = last;
    }
    journal.record(recording)
}

fn of_unknown(calls: usize) -> String {
    let (calls, they) = match calls {
        1 => ("1 call was".to_owned(), "it"),
        _ => (format!("{calls} calls were"), "they"),
    };
    format!(
        "{calls} running when the process ended, and nobody knows how far {they} came; see `toolpost \
         log --status unknown` before anything is run again"
    )
}

/// What the settings say of the journal.
pub(crate) struct Wanted {
    mask: Mask,
    retention: Retention,
    questions_last: Option<Duration>,
}

impl Wanted {
    /// All masks count, and of the rest what the layer with the last word says. What an untrusted
    /// workspace says does not count: it could hide what its own calls did.
    pub(crate) fn of(loaded: &Loaded) -> anyhow::Result<Self> {
        let mut files: Vec<&Settings> = loaded.trusted_files().collect();
        files.sort_by_key(|file| file.layer);
        for file in &files {
            mask(file).map_err(|error| usage(format!("{}: {error}", file.file)))?;
        }
        let masks = files.iter().flat_map(|file| &file.journal.mask);
        let duration = |key: &str, of: fn(&Settings) -> Option<&String>| {
            let found = files.iter().find_map(|file| Some((file, of(file)?)));
            let read = found.map(|(file, text)| {
                let wrong = |error| usage(format!("{}: journal.{key}: {error}", file.file));
                args::duration(text).map_err(wrong)
            });
            read.transpose()
        };
        let max_age = duration("max_age", |file| file.journal.max_age.as_ref())?;
        let last = duration("questions_last", |file| {
            file.journal.questions_last.as_ref()
        })?;
        let max_bytes = files.iter().find_map(|file| file.journal.max_bytes);
        let usual = Retention::default();
        Ok(Self {
            mask: Mask::new(masks).map_err(|error| usage(error.to_string()))?,
            retention: Retention {
                max_age: max_age.or(usual.max_age),
                max_bytes: max_bytes.or(usual.max_bytes),
            },
            questions_last: last,
        })
    }
}

/// The masks of all files that count.
pub(crate) fn masks(common: &Common) -> anyhow::Result<Mask> {
    Ok(Wanted::of(&Loaded::of(common)?)?.mask)
}

/// The masks of one file, or what is wrong with them.
fn mask(file: &Settings) -> Result<Mask, String> {
    let is_about_it = |error: &&SettingsError| {
        let problem = error.problem.trim_start_matches("unknown key ");
        problem.starts_with("`journal")
    };
    if let Some(error) = file.errors.iter().find(is_about_it) {
        return Err(error.problem.clone());
    }
    Mask::new(&file.journal.mask).map_err(|error| format!("journal.mask: {error}"))
}

/// What is wrong with a file whose masks may not have been read.
fn unreadable(file: &Settings) -> Option<String> {
    let hides_all = |error: &&SettingsError| {
        error.source_place.line == 0 || error.problem.contains("is no TOML")
    };
    file.errors.iter().find(hides_all).map(ToString::to_string)
}

/// The journal, where there is one.
pub(crate) fn existing(common: &Common) -> anyhow::Result<Option<Journal>> {
    let file = match Place::of(common) {
        Place::None => {
            return Err(usage(
                "`--journal none` leaves nothing to look at; name a file",
            ));
        }
        Place::Nowhere => {
            return Err(usage(
                "there is no state folder; set XDG_STATE_HOME or HOME, or give `--journal FILE`",
            ));
        }
        Place::Named(file) if !file.exists() => {
            return Err(usage(format!("there is no file `{}`", file.display())));
        }
        // A link that leads nowhere is something that is there and does not open.
        Place::Usual(file) if file.symlink_metadata().is_err() => return Ok(None),
        Place::Named(file) | Place::Usual(file) => file,
    };
    Journal::open(&file)
        .map(Some)
        .map_err(|error| usage(format!("`{}`: {error}", file.display())))
}
