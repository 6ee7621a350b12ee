//! The links of the real disk, for [`Facts`](toolpost_core::Facts).

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use toolpost_core::Links;

use crate::folding;

#[cfg(test)]
mod tests;

/// As many links as the system itself would follow.
const MOST_LINKS: usize = 40;

/// Looks links up on the disk, each time anew: nothing is kept, so nothing is out of date.
///
/// The longest existing part of a path is followed; what comes after it is kept as spelled. A
/// link that leads nowhere is followed to where it would lead. A path that leads round in a
/// circle stays as it is spelled, and opening it fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskLinks;

impl Links for DiskLinks {
    fn resolve(&self, path: &Path) -> PathBuf {
        match path.canonicalize() {
            Ok(real) => real,
            Err(_) => follow(path).unwrap_or_else(|| path.to_path_buf()),
        }
    }

    fn folded(&self, path: &Path) -> Option<PathBuf> {
        folding::folded(path)
    }
}

/// Part by part, as the kernel does; nothing when the links go round in a circle.
fn follow(path: &Path) -> Option<PathBuf> {
    let mut rest: VecDeque<OsString> = parts(path).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        let is_link = next
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
        let target = if is_link { next.read_link().ok() } else { None };
        let Some(target) = target else {
            real = next;
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return None;
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(part);
        }
    }
    Some(real)
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}
