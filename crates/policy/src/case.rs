//! Case lines: one call under some rules in a told world, and the verdict that is expected.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toolpost_core::{Binding, Decision, Verdict};

use crate::binding;
use crate::disk::{Folding, ToldDisk};
use crate::engine::{self, Circumstances};
use crate::hook::HookAnswer;
use crate::layer::{Layer, Source};
use crate::mcp::McpTool;
use crate::mode::{Mode, Trust};
use crate::place::Place;
use crate::prepared::Prepared;
use crate::protect::Protected;
use crate::question::Question;
use crate::rule::Rule;
use crate::rules::Rules;

mod context;

pub use context::CaseContext;

/// The root and the working folder of every case.
const ROOT: &str = "/proj";
/// The home folder of every case.
const HOME: &str = "/home/u";

/// One line of a file of cases.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// The tool that is called.
    pub tool: String,
    /// What it is called with.
    #[serde(default)]
    pub input: Value,
    /// The rules of all sources together.
    #[serde(default)]
    pub rules: Lists,
    /// The mode.
    #[serde(default)]
    pub mode: Mode,
    /// The verdict that is right.
    pub expect: Verdict,
    /// What else is so.
    #[serde(default)]
    pub context: CaseContext,
}

/// Rules as texts. What is no text is a mistake that must not be passed over.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Lists {
    /// Rules that allow.
    #[serde(default)]
    pub allow: Vec<Value>,
    /// Rules that ask.
    #[serde(default)]
    pub ask: Vec<Value>,
    /// Rules that deny.
    #[serde(default)]
    pub deny: Vec<Value>,
}

/// What a case rests on, read from its texts.
struct World {
    rules: Rules,
    protected: Protected,
    load_errors: Vec<String>,
    mode: Mode,
    hooks: Vec<HookAnswer>,
    mcp: Option<McpTool>,
}

impl Case {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// When the line is no case.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// The decision that this policy makes of it.
    pub fn decide(&self) -> Decision {
        let mut world = self.world();
        let input = self.input_after_hooks(&mut world);
        let disk = self.disk();
        let (decision, bound) = self.decide_on(&input, &disk, &world);
        let context = &self.context;
        if context.expect_at.as_deref() != Some("execution") || decision.effect != Verdict::Allow {
            return decision;
        }
        let later = context
            .after_verdict
            .symlinks
            .iter()
            .fold(disk, |disk, (path, target)| disk.with_link(path, target));
        let (again, mut found) = self.decide_on(&input, &later, &world);
        if let (Some(approved), Some(executed)) = (&context.approved_hash_of, &context.executed)
            && approved != executed
        {
            found.digest = binding::digest(executed).into();
        }
        binding::recheck((&decision, &bound), (again, &found))
    }

    fn decide_on(&self, input: &Value, disk: &ToldDisk, world: &World) -> (Decision, Binding) {
        let prefixes = world.protected.prefixes();
        let place = Place::new(ROOT, disk).with_prefixes(
            world
                .rules
                .broad_prefixes()
                .chain(prefixes.iter().map(|path| path.as_path())),
        );
        let mut question = Question::of_input(&self.tool, input);
        question.mcp = world.mcp.as_ref();
        question.preapproved = &self.context.preapproved_hosts;
        let prepared = Prepared::new(question, &place);
        let on = Circumstances {
            rules: &world.rules,
            mode: world.mode,
            protected: &world.protected,
            load_errors: &world.load_errors,
            hooks: &world.hooks,
        };
        (engine::decide(&prepared, &on), binding::bind(&prepared))
    }

    /// A hook that rewrites the input has consented to nothing: everything starts over.
    fn input_after_hooks(&self, world: &mut World) -> Value {
        let mut input = self.input.clone();
        for hook in self.context.all_hooks() {
            let answer = hook.answer();
            match &hook.updated_input {
                Some(updated) => {
                    input = updated.clone();
                    world.hooks.retain(|answer| *answer != HookAnswer::Allow);
                    if answer != HookAnswer::Allow {
                        world.hooks.push(answer);
                    }
                }
                None => world.hooks.push(answer),
            }
        }
        input
    }

    fn disk(&self) -> ToldDisk {
        let context = &self.context;
        let disk = ToldDisk::new()
            .with_file(ROOT)
            .with_file(HOME)
            .with_link("/proc/self/root", "/")
            .with_link("/proc/self/cwd", ROOT);
        let disk = disk.with_home(HOME).with_folding(Folding {
            case: context.fs_case_insensitive,
            form: context.fs_normalizing,
        });
        let disk = context
            .symlinks
            .iter()
            .fold(disk, |disk, (path, target)| disk.with_link(path, target));
        context.files.iter().fold(disk, ToldDisk::with_file)
    }

    fn world(&self) -> World {
        let context = &self.context;
        let trust = Trust {
            workspace: context.workspace_trusted.unwrap_or(true),
            bypass_is_disabled: context.managed.disable_bypass,
        };
        let mut load_errors = context.load_errors.clone();
        let mut rules = Vec::new();
        let layers = match &context.sources {
            Some(sources) => sources.clone(),
            None => BTreeMap::from([(Layer::User, self.rules.clone())]),
        };
        for (layer, lists) in &layers {
            lists.read(*layer, &mut rules, &mut load_errors);
        }
        rules.retain(|rule| {
            trust.workspace
                || !rule.source().layer.is_of_workspace()
                || rule.effect() != Verdict::Allow
        });
        let home = Some(std::path::Path::new(HOME));
        let root = std::path::Path::new(ROOT);
        let mut protected = match &context.protected {
            Some(_) => Protected::default(),
            None => Protected::builtin(root, home),
        };
        for pattern in context.protected.iter().flatten() {
            if let Err(problem) = protected.add(pattern, root, home) {
                load_errors.push(problem);
            }
        }
        World {
            rules: Rules::new(rules, root, home),
            protected,
            load_errors,
            mode: self.effective_mode(trust),
            hooks: Vec::new(),
            mcp: context.mcp_tool(),
        }
    }

    fn effective_mode(&self, trust: Trust) -> Mode {
        let context = &self.context;
        let start = if self.mode == Mode::Bypass && trust.bypass_is_disabled {
            Mode::Default
        } else {
            self.mode
        };
        let asked = context
            .requested_mode
            .map(|mode| (mode, context.requester()));
        // An agent's definition is a file of the workspace like any other.
        let agent = context
            .agent_requested_mode
            .map(|mode| (mode, Layer::Project));
        [asked, agent]
            .into_iter()
            .flatten()
            .fold(start, |mode, (wanted, layer)| {
                mode.requested(wanted, layer, trust)
            })
    }
}

impl Lists {
    fn read(&self, layer: Layer, rules: &mut Vec<Rule>, load_errors: &mut Vec<String>) {
        let lists = [
            (Verdict::Allow, &self.allow),
            (Verdict::Ask, &self.ask),
            (Verdict::Deny, &self.deny),
        ];
        for (effect, texts) in lists {
            for (at, text) in texts.iter().enumerate() {
                let source = Source::new(layer, layer.name(), at + 1);
                let read = match text {
                    Value::String(text) => {
                        Rule::parse(text, effect, source).map_err(|error| error.to_string())
                    }
                    other => Err(format!("{source}: `{other}` is no text; a rule is one")),
                };
                match read {
                    Ok(rule) => rules.push(rule),
                    Err(error) => load_errors.push(error),
                }
            }
        }
    }
}
