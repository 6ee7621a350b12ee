//! Named sessions: what a later process goes on with.
//!
//! A session's file is one JSON document, `NAME.json` in a folder of the host's choice:
//! `{"v":1,"name":…,"root":…,"kept":{KEY:VALUE,…}}`. Each part of it is a [`Kept`] with a key of its
//! own; parts that nobody here knows are carried over as they are. It is written beside the old one
//! and put in its place, so that no reader sees half of it. While a session is open it holds a lock
//! on `NAME.lock`, so that two processes never go on with the same one.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

const VERSION: u64 = 1;
/// A name is a file's name too.
const LONGEST_NAME: usize = 64;

/// A part of what a session goes on with: what was read, the working folder, a list of tasks.
pub trait Kept: Send + Sync {
    /// Its key in the document. A part whose form changes takes another key.
    fn key(&self) -> &'static str;

    /// What is to be kept of it now.
    fn save(&self) -> Value;

    /// Goes on with what was kept.
    ///
    /// # Errors
    ///
    /// Why that is not what [`Kept::save`] gives.
    fn restore(&self, value: Value) -> Result<(), String>;
}

impl<K: Kept + ?Sized> Kept for Box<K> {
    fn key(&self) -> &'static str {
        (**self).key()
    }

    fn save(&self) -> Value {
        (**self).save()
    }

    fn restore(&self, value: Value) -> Result<(), String> {
        (**self).restore(value)
    }
}

/// Why a session cannot be gone on with.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The name has other characters, or is empty or too long.
    #[error(
        "`{0}` cannot be a session's name; use 1 to 64 letters, digits, `.`, `_` and `-`, and begin \
         with a letter or a digit"
    )]
    BadName(String),
    /// Another process has it open.
    #[error(
        "the session `{0}` is open in another process; wait until that ends, or use another name"
    )]
    Busy(String),
    /// It is about another root.
    #[error("the session `{name}` is about `{root}`; use another name for another root")]
    OtherRoot {
        /// The session's name.
        name: String,
        /// The root that it is about.
        root: String,
    },
    /// Its file is not what it should be.
    #[error("the session's file `{}` cannot be used: {problem}; mend it, or remove it to begin anew", .file.display())]
    BadFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Its files cannot be made or read.
    #[error("the session's file `{}` cannot be read or written: {error}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    v: u64,
    name: String,
    root: String,
    kept: Map<String, Value>,
}

/// The file of a session that is open here and nowhere else.
pub struct SessionFile {
    file: PathBuf,
    name: String,
    root: String,
    parts: Vec<Arc<dyn Kept>>,
    /// What was kept when the file was read.
    kept: Map<String, Value>,
    /// The text that is in the file.
    written: Mutex<Vec<u8>>,
    /// Holds the lock.
    _lock: File,
}

impl SessionFile {
    /// Opens the session of this name in a folder, which is made where it is not there.
    ///
    /// # Errors
    ///
    /// When it cannot be gone on with here and now.
    pub fn open(folder: &Path, name: &str, root: &Path) -> Result<Self, SessionError> {
        if !is_name(name) {
            let shown = name.chars().take(LONGEST_NAME).collect();
            return Err(SessionError::BadName(shown));
        }
        let root = root.to_string_lossy().into_owned();
        let file = folder.join(format!("{name}.json"));
        let failed = |error| SessionError::Io {
            file: file.clone(),
            error,
        };
        let lock = lock(folder, name)
            .map_err(failed)?
            .ok_or_else(|| SessionError::Busy(name.to_owned()))?;
        let (written, kept) = match std::fs::read(&file) {
            Ok(text) => {
                let kept = read(&text, &root).map_err(|wrong| wrong.about(&file, name))?;
                (text, kept)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), Map::new()),
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            file,
            name: name.to_owned(),
            root,
            parts: Vec::new(),
            kept,
            written: Mutex::new(written),
            _lock: lock,
        })
    }

    /// Keeps this part from now on, and goes on with what was kept of it.
    ///
    /// # Errors
    ///
    /// When what was kept is not what it should be.
    pub fn keep(&mut self, part: impl Kept + 'static) -> Result<(), SessionError> {
        if let Some(value) = self.kept.remove(part.key()) {
            part.restore(value)
                .map_err(|problem| SessionError::BadFile {
                    file: self.file.clone(),
                    problem: format!("`kept.{}`: {problem}", part.key()),
                })?;
        }
        self.parts.push(Arc::new(part));
        Ok(())
    }

    /// The session's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes what is to be kept now, if that is not what is in the file. It outlives the process.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self) -> Result<(), SessionError> {
        let mut kept = self.kept.clone();
        for part in &self.parts {
            kept.insert(part.key().to_owned(), part.save());
        }
        let document = Document {
            v: VERSION,
            name: self.name.clone(),
            root: self.root.clone(),
            kept,
        };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let save = || -> io::Result<Option<Vec<u8>>> {
            let text = serde_json::to_vec(&document)?;
            if text == *written {
                return Ok(None);
            }
            self.replace(&text)?;
            Ok(Some(text))
        };
        if let Some(text) = save().map_err(|error| SessionError::Io {
            file: self.file.clone(),
            error,
        })? {
            *written = text;
        }
        Ok(())
    }

    fn replace(&self, text: &[u8]) -> io::Result<()> {
        // The lock is held, so nobody else uses this name.
        let fresh = self.file.with_extension("json.new");
        let mut out = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&fresh)?;
        out.write_all(text)?;
        out.sync_data()?;
        std::fs::rename(&fresh, &self.file)
    }
}

impl std::fmt::Debug for SessionFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionFile")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Whether this can be a session's name.
fn is_name(name: &str) -> bool {
    let is_first = |byte: &u8| byte.is_ascii_alphanumeric();
    (1..=LONGEST_NAME).contains(&name.len())
        && name.as_bytes().first().is_some_and(is_first)
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The lock of a session; nothing where another holds it.
fn lock(folder: &Path, name: &str) -> io::Result<Option<File>> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(folder.join(format!("{name}.lock")))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

enum Wrong {
    Form(String),
    Root(String),
}

impl Wrong {
    fn about(self, file: &Path, name: &str) -> SessionError {
        match self {
            Self::Form(problem) => SessionError::BadFile {
                file: file.to_path_buf(),
                problem,
            },
            Self::Root(root) => SessionError::OtherRoot {
                name: name.to_owned(),
                root,
            },
        }
    }
}

fn read(text: &[u8], root: &str) -> Result<Map<String, Value>, Wrong> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| Wrong::Form(error.to_string()))?;
    if let Some(version) = value.get("v").and_then(Value::as_u64)
        && version > VERSION
    {
        let problem = format!("it has version {version}, and this toolpost knows {VERSION}");
        return Err(Wrong::Form(problem));
    }
    let document: Document =
        serde_json::from_value(value).map_err(|error| Wrong::Form(error.to_string()))?;
    if document.root == root {
        Ok(document.kept)
    } else {
        Err(Wrong::Root(document.root))
    }
}
