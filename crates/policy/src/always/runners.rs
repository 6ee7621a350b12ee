//! Programs that run, or obey, something that the words of a rule do not show.
//!
//! The lists cannot be whole: what they miss is still allowed for its very words only.

/// Whatever their arguments are. Numbers at the end of a name do not count, nor does `.exe`.
const ALWAYS: &[&str] = &[
    // Shells and interpreters.
    "ash",
    "awk",
    "bash",
    "bb",
    "bc",
    "bun",
    "bunx",
    "clojure",
    "cmd",
    "crystal",
    "csh",
    "dart",
    "dash",
    "dc",
    "deno",
    "elixir",
    "elvish",
    "erl",
    "escript",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "ghci",
    "groovy",
    "gsed",
    "guile",
    "iex",
    "ipython",
    "irb",
    "java",
    "jshell",
    "julia",
    "kotlin",
    "ksh",
    "lldb",
    "lua",
    "luajit",
    "m4",
    "mawk",
    "mksh",
    "mono",
    "nawk",
    "node",
    "nodejs",
    "nu",
    "ocaml",
    "octave",
    "osascript",
    "perl",
    "php",
    "php-cgi",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "python-config",
    "python-dbg",
    "r",
    "racket",
    "raku",
    "rbash",
    "rscript",
    "ruby",
    "runghc",
    "runhaskell",
    "sbcl",
    "scala",
    "sed",
    "sh",
    "swift",
    "swipl",
    "tclsh",
    "ts-node",
    "tsx",
    "wine",
    "wish",
    "xonsh",
    "zsh",
    // Editors, which run commands of their own.
    "ed",
    "emacs",
    "emacsclient",
    "ex",
    "helix",
    "hx",
    "kak",
    "nano",
    "nvim",
    "red",
    "vi",
    "view",
    "vim",
    "vimdiff",
    // Databases' own shells.
    "clickhouse-client",
    "duckdb",
    "mariadb",
    "mongo",
    "mongosh",
    "mysql",
    "psql",
    "redis-cli",
    "sqlite",
    "sqlplus",
    // What runs another command, here or elsewhere.
    "ansible",
    "at",
    "autossh",
    "batch",
    "bwrap",
    "capsh",
    "chpst",
    "chroot",
    "command",
    "coproc",
    "crontab",
    "cross-env",
    "dbus-run-session",
    "direnv",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "firejail",
    "flock",
    "gosu",
    "hyperfine",
    "linux",
    "ltrace",
    "nice",
    "nix-shell",
    "nodemon",
    "nohup",
    "npx",
    "nsenter",
    "numactl",
    "parallel",
    "perf",
    "pipx",
    "pkexec",
    "proxychains",
    "rlwrap",
    "rsh",
    "run",
    "run-parts",
    "runc",
    "runcon",
    "runuser",
    "screen",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "socat",
    "ssh",
    "sshpass",
    "stdbuf",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemd-nspawn",
    "systemd-run",
    "taskset",
    "telnet",
    "time",
    "tini",
    "tmux",
    "toolpost",
    "torsocks",
    "unshare",
    "uvx",
    "valgrind",
    "watch",
    "watchexec",
    "xargs",
    "xterm",
    "xvfb-run",
    // What changes the meaning of words that come later.
    ".",
    "alias",
    "bind",
    "builtin",
    "complete",
    "declare",
    "enable",
    "export",
    "fc",
    "hash",
    "let",
    "mapfile",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    // What changes files as its stdin says.
    "patch",
];

/// With this subcommand.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("apptainer", &["exec", "run", "shell"]),
    ("asdf", &["exec"]),
    ("bazel", &["run"]),
    ("buck", &["run"]),
    ("bundle", &["exec"]),
    ("bundler", &["exec"]),
    ("cabal", &["exec", "run", "repl"]),
    ("composer", &["exec"]),
    ("conda", &["run"]),
    ("coverage", &["run"]),
    ("ctr", &["exec", "run"]),
    ("docker", &["exec", "run"]),
    ("docker-compose", &["exec", "run"]),
    ("dotnet", &["script", "exec", "fsi"]),
    ("dune", &["exec"]),
    ("flatpak", &["run"]),
    ("gem", &["exec"]),
    (
        "git",
        &[
            "am",
            "apply",
            "bisect",
            "config",
            "difftool",
            "fast-import",
            "filter-branch",
            "mergetool",
            "update-ref",
        ],
    ),
    ("go", &["run", "generate"]),
    ("hatch", &["run", "shell"]),
    ("ip", &["netns"]),
    ("kubectl", &["exec", "run", "debug"]),
    ("lxc", &["exec"]),
    ("mamba", &["run"]),
    ("micromamba", &["run"]),
    ("mise", &["exec", "x", "run"]),
    ("nerdctl", &["exec", "run"]),
    ("nim", &["r", "e"]),
    ("nix", &["run", "develop", "shell", "eval"]),
    ("npm", &["exec", "x"]),
    ("oc", &["exec", "run", "debug"]),
    ("opam", &["exec"]),
    ("pdm", &["run"]),
    ("pipenv", &["run", "shell"]),
    ("pixi", &["run"]),
    ("pnpm", &["dlx", "exec"]),
    ("podman", &["exec", "run"]),
    ("poetry", &["run", "shell"]),
    ("pyenv", &["exec"]),
    ("rbenv", &["exec"]),
    ("rustup", &["run"]),
    ("rye", &["run"]),
    ("singularity", &["exec", "run", "shell"]),
    ("stack", &["exec", "run", "runghc", "repl"]),
    ("uv", &["run", "tool"]),
    ("volta", &["run"]),
    ("yarn", &["dlx", "exec"]),
    ("zig", &["run"]),
];

/// With this option.
const OPTIONS: &[(&str, &[&str])] = &[
    ("cargo", &["--config"]),
    ("cmake", &["-P", "-E"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("find", &["-exec", "-execdir", "-ok", "-okdir"]),
    ("ghc", &["-e"]),
    ("go", &["-exec", "-toolexec", "-vettool"]),
    ("gmake", &["--eval"]),
    ("gtar", TAR),
    ("make", &["--eval"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S"]),
    ("sftp", &["-S"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("tar", TAR),
    ("zip", &["-T", "--unzip-command"]),
];

const TAR: &[&str] = &[
    "--checkpoint-action",
    "--to-command",
    "-I",
    "--use-compress-program",
    "-F",
    "--info-script",
    "--new-volume-script",
    "--rsh-command",
];

/// With this option of git, before the subcommand where that is empty.
const OPTIONS_OF_GIT: &[(&str, &[&str])] = &[
    ("", &["-c", "--config-env", "--exec-path"]),
    ("clone", &["-u", "--upload-pack", "-c", "--config"]),
    ("fetch", &["--upload-pack"]),
    ("grep", &["-O", "--open-files-in-pager"]),
    ("ls-remote", &["--upload-pack", "--exec"]),
    ("pull", &["--upload-pack"]),
    ("push", &["--receive-pack", "--exec"]),
    ("rebase", &["-x", "--exec"]),
];

/// Whether a program with these arguments runs, or obeys, something else than its words.
pub(super) fn is_runner(program: &str, arguments: &[&str]) -> bool {
    let name = bare(program);
    // A number that takes no place in the list above is not one of a version.
    if ALWAYS.contains(&name.as_str())
        || program.starts_with("ld-linux")
        || program.starts_with('-')
    {
        return true;
    }
    let end = arguments.iter().position(|word| *word == "--");
    let before = arguments
        .get(..end.unwrap_or(arguments.len()))
        .unwrap_or_default();
    reads_orders(arguments)
        || has_option(&name, before, OPTIONS)
        || subcommands(before).any(|(at, word)| {
            let rest = before.get(at + 1..).unwrap_or_default();
            listed(SUBCOMMANDS, &name).contains(&word)
                // `docker compose exec` is what `docker-compose exec` is.
                || (word == "compose" && is_runner(&format!("{name}-compose"), rest))
                || (name == "git" && is_runner_of_git(word, before.get(..at).unwrap_or_default(), rest))
        })
}

/// A program's name without its version.
fn bare(program: &str) -> String {
    let name = program.to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let parts: Vec<&str> = name
        .split('-')
        .map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
        .collect();
    let joined = parts.join("-");
    let bare = joined.trim_end_matches('-');
    // The command `.` is no version.
    if bare.is_empty() {
        name.to_owned()
    } else {
        bare.to_owned()
    }
}

/// Whether stdin is named: a program that reads its orders there obeys whatever is piped into it
/// later.
fn reads_orders(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        *word == "-"
            || *word == "/dev/stdin"
            || word.ends_with("=-")
            || (is_short && word.ends_with('-'))
    })
}

/// What may be the subcommand, each with its place: the first word that is no option, and the next
/// one, where the first may be the value of an option.
fn subcommands<'w>(arguments: &'w [&'w str]) -> impl Iterator<Item = (usize, &'w str)> {
    let mut may_go_on = true;
    let words = arguments
        .iter()
        .enumerate()
        .filter(|(_, word)| !word.starts_with('-'));
    words
        .take_while(move |(at, _)| {
            let goes_on = may_go_on;
            may_go_on = at
                .checked_sub(1)
                .and_then(|at| arguments.get(at))
                .is_some_and(|before| before.starts_with('-') && !before.contains('='));
            goes_on
        })
        .map(|(at, word)| (at, *word))
}

fn is_runner_of_git(subcommand: &str, before: &[&str], after: &[&str]) -> bool {
    let is_foreach = subcommand == "submodule" && after.contains(&"foreach");
    // An address may name a program.
    let is_helper = |word: &&str| word.starts_with("ext::");
    is_foreach
        || after.iter().any(is_helper)
        || has_option("", before, OPTIONS_OF_GIT)
        || has_option(subcommand, after, OPTIONS_OF_GIT)
}

fn has_option(name: &str, arguments: &[&str], table: &[(&str, &[&str])]) -> bool {
    let options = listed(table, name);
    arguments.iter().enumerate().any(|(at, word)| {
        options
            .iter()
            .any(|option| is(word, option) || (at == 0 && is_old(name, word, option)))
    })
}

/// Letters without a dash, as `tar` takes them.
fn is_old(name: &str, word: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    name.ends_with("tar")
        && word.len() < 8
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && letter.is_some_and(|letter| word.contains(letter))
}

fn listed<'t>(table: &[(&str, &'t [&'t str])], name: &str) -> &'t [&'t str] {
    let found = table.iter().find(|(program, _)| *program == name);
    found.map_or(&[], |(_, words)| words)
}

/// Whether an argument is this option: as it is or with its value behind `=`; a short one with its
/// value or other letters attached; a long one also abbreviated.
fn is(argument: &str, option: &str) -> bool {
    let name = argument.split_once('=').map_or(argument, |(name, _)| name);
    if name == option {
        return true;
    }
    match option.strip_prefix("--") {
        Some(_) => name.len() > 4 && name.starts_with("--") && option.starts_with(name),
        None => {
            let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            let is_short = argument.starts_with('-') && !argument.starts_with("--");
            is_short && letter.is_some_and(|letter| argument.contains(letter))
        }
    }
}
