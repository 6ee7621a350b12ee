//! A question with all facts taken: after this, deciding looks at nothing but rules.

use std::path::{Path, PathBuf};

use toolpost_core::Access;

use crate::forms::Forms;
use crate::place::Place;
use crate::question::{Body, Question};
use crate::shell::{self, Analysis, Command, PathUse, ShellFacts};

mod facts;

/// A question, its paths in all their forms, and the analysis of its command line.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    pub(crate) question: Question<'a>,
    /// The paths that the call names.
    pub(crate) paths: Vec<(Forms, Access)>,
    /// The command line, taken apart.
    pub(crate) shell: Option<Shell>,
    pub(crate) folds_case: bool,
}

/// The commands of a line with the forms of the paths that they touch.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    pub(crate) analysis: Analysis,
    /// For each command, what it touches.
    pub(crate) uses: Vec<Vec<Use>>,
}

/// One path that a command touches.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) raw: String,
    pub(crate) access: Access,
    /// Whether a redirection does it, not an argument.
    pub(crate) is_redirection: bool,
    /// Whether all below belongs to it.
    pub(crate) is_deep: bool,
    /// Whether it is only taken for a path, since nothing is known of the program: good for deny
    /// rules alone.
    pub(crate) is_guess: bool,
    /// Nothing where the path is not decidable.
    pub(crate) forms: Option<Forms>,
}

impl<'a> Prepared<'a> {
    /// Takes all facts that deciding needs.
    pub fn new(question: Question<'a>, place: &Place<'_>) -> Self {
        let mut paths = Vec::new();
        let mut shell = None;
        match &question.body {
            Body::Things { paths: given, .. } => {
                for (path, access) in given {
                    paths.push((Forms::new(place.spot(path), place), *access));
                }
            }
            Body::Command(command) => {
                let analysis =
                    shell::analyse(command, &place.working_folder, place as &dyn ShellFacts);
                shell = Some(Shell::new(analysis, place));
            }
            Body::Url(_) | Body::Invalid(_) => {}
        }
        Self {
            question,
            paths,
            shell,
            folds_case: place.folding.case,
        }
    }

    /// The paths that the call touches, each with what it leads to.
    pub fn objects(&self) -> Vec<(PathBuf, PathBuf)> {
        let used = self
            .shell
            .iter()
            .flat_map(|shell| shell.uses.iter().flatten());
        let forms = self.paths.iter().map(|(forms, _)| forms);
        let forms = forms.chain(used.filter_map(|used| used.forms.as_ref()));
        let mut objects: Vec<(PathBuf, PathBuf)> = forms
            .map(|forms| (forms.spot.spelled.clone(), forms.spot.real.clone()))
            .collect();
        objects.sort();
        objects.dedup();
        objects
    }
}

impl Shell {
    fn new(analysis: Analysis, place: &Place<'_>) -> Self {
        let uses = analysis
            .commands
            .iter()
            .map(|command| uses(command, place))
            .collect();
        Self { analysis, uses }
    }
}

fn uses(command: &Command, place: &Place<'_>) -> Vec<Use> {
    let mut uses = Vec::new();
    let mut add = |path: &PathUse, access, is_redirection| {
        uses.push(Use {
            raw: path.raw.clone(),
            access,
            is_redirection,
            is_deep: path.deep,
            is_guess: false,
            forms: path.path.as_ref().map(|spelled| {
                let path =
                    through_links(&path.raw, spelled, command).unwrap_or_else(|| spelled.clone());
                Forms::new(place.spot_at(&path), place)
            }),
        });
    };
    for path in &command.reads {
        add(path, Access::Read, false);
    }
    for path in &command.writes {
        add(path, Access::Write, false);
    }
    for redirection in &command.redirections {
        for path in &redirection.reads {
            add(path, Access::Read, true);
        }
        for path in &redirection.writes {
            add(path, Access::Write, true);
        }
    }
    if uses.is_empty() && is_unknown(command) {
        uses.extend(guesses(command, place));
    }
    uses
}

/// The path before `..` is taken out of it, for the kernel takes `..` after links.
fn through_links(raw: &str, spelled: &Path, command: &Command) -> Option<PathBuf> {
    if !raw.contains("..") {
        return None;
    }
    let folders = command.folders.iter().flatten();
    folders
        .map(|folder| folder.join(raw))
        .find(|path| crate::place::clean(path) == *spelled)
}

/// Programs that are known well enough to say that their words are no paths to be guarded.
const KNOWN: [&str; 22] = [
    "alias", "apt", "cargo", "command", "docker", "echo", "export", "gh", "git", "go", "kill",
    "local", "make", "npm", "npx", "pip", "pnpm", "printf", "set", "sleep", "unset", "yarn",
];

/// Whether nothing is known of what the program does with its words.
pub(crate) fn is_unknown(command: &Command) -> bool {
    !command.read_only
        && !command.is_wrapper
        && command.reads.is_empty()
        && command.writes.is_empty()
        && command
            .program
            .as_deref()
            .is_some_and(|program| !KNOWN.contains(&program))
}

/// Every word of a program that nothing is known of, taken for a path.
fn guesses(command: &Command, place: &Place<'_>) -> Vec<Use> {
    let Some(folders) = &command.folders else {
        return Vec::new();
    };
    let words = command
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal());
    let values = words.filter_map(|word| match word.strip_prefix('-') {
        Some(option) => option.split_once('=').map(|(_, value)| value),
        None => Some(word),
    });
    values
        .filter(|value| !value.is_empty())
        .flat_map(|value| {
            folders
                .iter()
                .map(move |folder| (value, folder.join(value)))
        })
        .flat_map(|(value, path)| {
            [Access::Read, Access::Write].map(|access| Use {
                raw: value.to_owned(),
                access,
                is_redirection: false,
                is_deep: false,
                is_guess: true,
                forms: Some(Forms::new(place.spot_at(&path), place)),
            })
        })
        .collect()
}
