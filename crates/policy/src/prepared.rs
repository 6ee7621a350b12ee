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
    /// Where it begins.
    folder: PathBuf,
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

    /// The paths that the call touches, each with what it leads to; of a command line also the
    /// folder that it begins in.
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
        // What a line does to no path that can be read from it, it does where it begins.
        let folder = self.shell.as_ref().map(|shell| shell.folder.clone());
        objects.extend(folder.map(|folder| (folder.clone(), folder)));
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
        Self {
            analysis,
            uses,
            folder: place.working_folder.clone(),
        }
    }
}

fn uses(command: &Command, place: &Place<'_>) -> Vec<Use> {
    let mut uses = Vec::new();
    let is_guess = is_guessed(command);
    let is_flat = lists_one_folder(command);
    let mut add = |path: &PathUse, access, is_redirection| {
        uses.push(Use {
            raw: path.raw.clone(),
            access,
            is_redirection,
            is_deep: path.deep && !is_flat && !path.is_listing,
            is_guess: is_guess && !is_redirection,
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

/// Whether nothing is known of what the program does with its words.
pub(crate) fn is_unknown(command: &Command) -> bool {
    !command.is_known && !command.is_wrapper && command.program.is_some()
}

/// Whether the arguments are only taken for paths, since the tables say nothing of the program or
/// of what it was told to do.
fn is_guessed(command: &Command) -> bool {
    // REQUEST to the analysis: a flag at `PathUse` would say this without looking at words.
    is_unknown(command) || (!command.read_only && command.reason.contains("is not in the tables"))
}

/// Whether the command lists folders without what lies below them.
fn lists_one_folder(command: &Command) -> bool {
    // REQUEST to the analysis: `deep` could be set for `ls -R` alone.
    let is_list = matches!(command.program.as_deref(), Some("ls" | "dir" | "vdir"));
    let goes_down = |word: Option<&str>| match word {
        Some(word) if word.starts_with("--") => word.starts_with("--r"),
        Some(word) => word.starts_with('-') && word.contains('R'),
        None => true,
    };
    is_list && !command.argv.iter().any(|word| goes_down(word.literal()))
}
