//! Shells within the shell: `bash -c '…'`.

use super::super::{Place, Walker};
use crate::shell::analysis::Word;
use crate::shell::state::State;

/// Shells whose `-c` takes a script.
const SHELLS: [&str; 9] = [
    "bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash",
];

impl Walker<'_> {
    pub(super) fn shell(
        &mut self,
        program: &str,
        argv: &[Word],
        index: usize,
        state: &State,
        place: &Place,
    ) {
        if !SHELLS.contains(&program) {
            return;
        }
        if let Some(command) = self.command(index) {
            command.is_wrapper = true;
        }
        let mut words = argv.iter().skip(1);
        let mut is_plain = true;
        let mut has_script = false;
        for word in words.by_ref() {
            let Some(text) = word.literal() else {
                self.not_read_only(index, "a shell with words that are only known later");
                if let Some(command) = self.command(index) {
                    command.is_known = false;
                }
                return;
            };
            match text {
                "-c" => has_script = true,
                "--norc" | "--noprofile" | "-e" | "-u" => {}
                _ if text.starts_with("-o") || text.starts_with("+o") || text.starts_with("--") => {
                    is_plain = false;
                }
                _ if text.starts_with(['-', '+']) => {
                    is_plain = false;
                    has_script |= text.starts_with('-') && text.contains('c');
                }
                _ if has_script => {
                    self.inner_script(program, word, words.cloned().collect(), is_plain, index, state, place);
                    return;
                }
                _ => break,
            }
        }
        self.not_read_only(index, format!("`{program}` runs a script that is not seen"));
        if has_script && let Some(command) = self.command(index) {
            command.is_known = false;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one command line")]
    fn inner_script(
        &mut self,
        program: &str,
        script: &Word,
        arguments: Vec<Word>,
        is_plain: bool,
        index: usize,
        state: &State,
        place: &Place,
    ) {
        let reads_alike = program == "bash"
            || (program == "sh" && script.literal().is_some_and(is_simple_text));
        if !is_plain {
            self.not_read_only(index, format!("options of `{program}` that are not known"));
        }
        if !reads_alike {
            self.not_read_only(index, format!("`{program}` may read this in another way than bash"));
        }
        let mut inner = state.subshell();
        inner.functions.clear();
        // Variables that are not exported are gone: what stays may or may not hold.
        inner.variables.retain(|name, _| matches!(name.as_str(), "HOME" | "IFS"));
        inner.positional = Some(arguments);
        let via = format!("{program} -c");
        self.script_text(script, index, &mut inner, &place.below(index, via));
    }
}

/// Text that every shell reads alike: plain words, blanks, pipes and lists.
fn is_simple_text(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || " ./_-,:=|;&".contains(c))
        && !text.contains("|&")
        && !text.contains('=')
}
