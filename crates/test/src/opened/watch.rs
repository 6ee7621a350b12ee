//! What the system tells of the files below a folder.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use toolpost_core::Access;

/// One file or folder that was opened.
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) access: Access,
    pub(super) is_folder: bool,
    /// It was not there before, and is not there any more.
    pub(super) is_fleeting: bool,
}

/// Watches every folder below a root.
pub(super) struct Watch {
    queue: OwnedFd,
    folders: HashMap<i32, PathBuf>,
    /// All that was there before.
    before: HashSet<PathBuf>,
}

impl Watch {
    pub(super) fn begin(root: &Path) -> io::Result<Self> {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut folders = HashMap::new();
        let mut before: HashSet<PathBuf> = below(root)?.into_iter().collect();
        before.insert(root.to_path_buf());
        for folder in before.iter().filter(|path| is_folder(path)) {
            let number = inotify::add_watch(&queue, folder, WatchFlags::ALL_EVENTS)?;
            folders.insert(number, folder.clone());
        }
        let mut watch = Self {
            queue,
            folders,
            before,
        };
        // Looking at what is there has been seen too.
        watch.take()?;
        Ok(watch)
    }

    /// All that was opened since.
    pub(super) fn end(mut self) -> io::Result<Vec<Seen>> {
        let mut touched = self.take()?;
        // A folder that is new was not watched, so all in it counts as written.
        let new: Vec<PathBuf> = touched
            .keys()
            .filter(|path| !self.before.contains(*path) && is_folder(path))
            .cloned()
            .collect();
        for folder in new {
            for path in below(&folder)? {
                touched.insert(path, Access::Write);
            }
        }
        let seen = touched.into_iter().map(|(path, access)| Seen {
            is_folder: is_folder(&path),
            is_fleeting: !self.before.contains(&path) && path.symlink_metadata().is_err(),
            path,
            access,
        });
        Ok(seen.collect())
    }

    fn take(&mut self) -> io::Result<BTreeMap<PathBuf, Access>> {
        let mut touched = BTreeMap::new();
        let mut buffer = [const { MaybeUninit::uninit() }; 16 << 10];
        let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(touched),
                Err(error) => return Err(error.into()),
            };
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                return Err(io::Error::other("more happened than the system tells of"));
            }
            let (Some(folder), Some(access)) = (self.folders.get(&event.wd()), access(flags))
            else {
                continue;
            };
            let name = event
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let path = name.map_or_else(|| folder.clone(), |name| folder.join(name));
            let known = touched.entry(path).or_insert(access);
            if access == Access::Write {
                *known = Access::Write;
            }
        }
    }
}

/// A folder is only read when it is listed; opening it is how a file in it is made to last.
fn access(flags: ReadFlags) -> Option<Access> {
    let writes = ReadFlags::MODIFY
        | ReadFlags::ATTRIB
        | ReadFlags::CREATE
        | ReadFlags::DELETE
        | ReadFlags::CLOSE_WRITE
        | ReadFlags::MOVED_FROM
        | ReadFlags::MOVED_TO;
    let reads = if flags.contains(ReadFlags::ISDIR) {
        ReadFlags::ACCESS
    } else {
        ReadFlags::ACCESS | ReadFlags::OPEN
    };
    if flags.intersects(writes) {
        Some(Access::Write)
    } else if flags.intersects(reads) {
        Some(Access::Read)
    } else {
        None
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Everything below a folder; links are not followed.
fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if is_folder(&path) {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    Ok(found)
}
