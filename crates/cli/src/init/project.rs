//! Sensible rules for the kind of project that is found.

use std::path::Path;

use toolpost_policy::Layer;

use super::{Draft, list};

/// What a kind of project is known by, and the commands that its people run all day.
struct Kind {
    name: &'static str,
    files: &'static [&'static str],
    allow: &'static [&'static str],
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "Rust",
        files: &["Cargo.toml"],
        allow: &[
            "cargo build:*",
            "cargo check:*",
            "cargo clippy:*",
            "cargo fmt:*",
            "cargo test:*",
        ],
    },
    Kind {
        name: "Node.js (npm)",
        files: &["package.json"],
        allow: &["npm test:*"],
    },
    Kind {
        name: "Go",
        files: &["go.mod"],
        allow: &["go build:*", "go test:*", "go vet:*", "gofmt:*"],
    },
    Kind {
        name: "Python",
        files: &[
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements.txt",
            "tox.ini",
        ],
        allow: &["pytest:*", "ruff check:*", "ruff format:*", "mypy:*"],
    },
    Kind {
        name: "Java (Maven)",
        files: &["pom.xml"],
        allow: &["mvn compile:*", "mvn test:*"],
    },
    Kind {
        name: "Java (Gradle)",
        files: &["build.gradle", "build.gradle.kts"],
        allow: &["gradle build:*", "gradle test:*"],
    },
    Kind {
        name: "CMake",
        files: &["CMakeLists.txt"],
        allow: &["cmake --build:*", "ctest:*"],
    },
];

/// Scripts of `package.json` and targets of a `Makefile` that build and check, and no more.
const TASKS: [&str; 9] = [
    "build",
    "check",
    "fmt",
    "format",
    "lint",
    "test",
    "tests",
    "typecheck",
    "types",
];

pub(super) fn draft(root: &Path) -> Draft {
    let found: Vec<&Kind> = KINDS
        .iter()
        .filter(|kind| kind.files.iter().any(|file| root.join(file).is_file()))
        .collect();
    let mut allow: Vec<String> = found
        .iter()
        .flat_map(|kind| kind.allow)
        .map(|command| format!("Bash({command})"))
        .collect();
    allow.extend(
        scripts(root)
            .iter()
            .map(|name| format!("Bash(npm run {name}:*)")),
    );
    allow.extend(
        targets(root)
            .iter()
            .map(|name| format!("Bash(make {name})")),
    );
    let names: Vec<&str> = found.iter().map(|kind| kind.name).collect();
    let about = if names.is_empty() {
        "no kind of project was recognised here, so nothing is allowed beyond looking".to_owned()
    } else {
        format!("for {}", names.join(", "))
    };
    Draft {
        name: "toolpost.toml",
        layer: Layer::Project,
        text: text(&about, &allow),
    }
}

fn text(about: &str, allow: &[String]) -> String {
    let mut text = format!(
        "# Settings of toolpost for this workspace, {about}.\n\
         # What is denied or asked here counts at once; what is allowed counts after `toolpost trust`.\n\
         # `toolpost policy check` loads this file, runs its tests and tells what is odd.\n\n\
         [permissions]\n\
         # What no rule is about: `default` asks for all that is more than looking, `accept-edits`\n\
         # also edits inside the root, `plan` only looks, `dont-ask` denies instead of asking.\n\
         mode = \"default\"\n\n\
         # `Bash(words:*)` is a command that begins with these words. They run the project's own code.\n"
    );
    text.push_str(&list("allow", allow, "  "));
    text.push_str("\n# Asked about each time, whatever else allows it.\n");
    text.push_str(&list("ask", &["Bash(git push:*)".to_owned()], "  "));
    text.push_str(
        "\n# A pattern without a slash is meant at any depth; searches leave these out too.\n",
    );
    let deny = [
        "Read(.env)",
        "Read(.env.local)",
        "Read(.env.production)",
        "Read(*.pem)",
        "Read(~/.ssh/**)",
        "Read(~/.aws/**)",
    ];
    text.push_str(&list("deny", &deny.map(str::to_owned), "  "));
    text.push_str("\n# Tests of these rules, run whenever the file is loaded. One that fails closes the door.\n");
    if let Some(command) = allow.first().and_then(|rule| command_of(rule)) {
        text.push_str(&test("Bash", "command", &command, "allow"));
    }
    text.push_str(&test("Bash", "command", "git push --force", "ask"));
    text.push_str(&test("Read", "file_path", "config/.env", "deny"));
    text.push_str("\n# [limits]\n# max_parallel = 10\n# timeout = \"10m\"\n");
    text
}

fn test(name: &str, field: &str, value: &str, expect: &str) -> String {
    let value = toml_edit::Value::from(value).to_string();
    format!(
        "[[permissions.test]]\ncall = {{ name = \"{name}\", arguments = {{ {field} = {} }} }}\nexpect = \"{expect}\"\n",
        value.trim()
    )
}

fn command_of(rule: &str) -> Option<String> {
    let pattern = rule.strip_prefix("Bash(")?.strip_suffix(')')?;
    Some(pattern.trim_end_matches(":*").to_owned())
}

fn scripts(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let scripts = package
        .get("scripts")
        .and_then(serde_json::Value::as_object);
    let names = scripts.into_iter().flat_map(serde_json::Map::keys);
    names
        .filter(|name| TASKS.contains(&name.as_str()))
        .cloned()
        .collect()
}

fn targets(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("Makefile")).unwrap_or_default();
    let names = text.lines().filter_map(|line| {
        let (name, rest) = line.split_once(':')?;
        // `name := value` is a variable.
        (!rest.starts_with('=') && TASKS.contains(&name)).then(|| name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    names
}
