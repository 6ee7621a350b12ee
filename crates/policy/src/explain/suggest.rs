//! Exact rules for a call: what "always allow" would store, and what a flip names.

use toolpost_core::Access;

use crate::forms::Forms;
use crate::place::Place;
use crate::prepared::Prepared;
use crate::question::Body;
use crate::shell::Kind;
use crate::web::Address;

pub(crate) fn rules(prepared: &Prepared<'_>, place: &Place<'_>) -> Vec<String> {
    let mut rules = match &prepared.question.body {
        Body::Invalid(_) => Vec::new(),
        Body::Url(url) => Address::read(url)
            .filter(|address| address.outside.is_none())
            .map(|address| format!("WebFetch(domain:{})", address.host))
            .into_iter()
            .collect(),
        Body::Command(_) => of_commands(prepared, place),
        Body::Things { hosts, .. } => {
            let paths = prepared
                .paths
                .iter()
                .map(|(forms, access)| of_path(forms, *access, place));
            let name = prepared.question.name;
            let hosts = hosts.iter().map(|host| format!("{name}(domain:{host})"));
            let mut rules: Vec<String> = paths.chain(hosts).collect();
            if rules.is_empty() {
                // The tool names no part of its own, so there is nothing smaller.
                rules.push(name.to_owned());
            }
            rules
        }
    };
    rules.sort();
    rules.dedup();
    rules
}

fn of_commands(prepared: &Prepared<'_>, place: &Place<'_>) -> Vec<String> {
    let Some(shell) = &prepared.shell else {
        return Vec::new();
    };
    let commands = shell
        .analysis
        .commands
        .iter()
        .filter(|command| command.kind == Kind::Simple);
    let commands = commands.map(|command| format!("Bash({})", command.raw.join(" ")));
    let writes = shell
        .uses
        .iter()
        .flatten()
        .filter(|used| used.access == Access::Write && !used.is_guess)
        .filter_map(|used| used.forms.as_ref())
        .map(|forms| of_path(forms, Access::Write, place));
    commands.chain(writes).collect()
}

fn of_path(forms: &Forms, access: Access, place: &Place<'_>) -> String {
    let head = if access == Access::Read {
        "Read"
    } else {
        "Edit"
    };
    match forms.spot.spelled.strip_prefix(&place.root) {
        Ok(rest) => format!("{head}(./{})", rest.display()),
        Err(_) => format!("{head}({})", forms.spot.spelled.display()),
    }
}
