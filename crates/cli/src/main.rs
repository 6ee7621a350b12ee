//! The command `toolpost`. stdout is data, stderr is messages; the exit code tells what came of it.

use std::process::ExitCode;

use clap::Parser;

mod approvals;
mod args;
mod doctor;
mod exit;
mod explain;
mod hooks;
mod init;
mod input;
mod interrupt;
mod keeping;
mod kept;
mod lint;
mod live;
mod log;
mod marked;
mod mistakes;
mod policy;
mod printer;
mod progress;
mod prompt;
mod replace;
mod replay;
mod run;
mod settings;
mod setup;
mod tools;
mod trust;

use args::{Args, Command};

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are what was asked for; all else is a mistake in the usage.
            let code = if error.use_stderr() {
                exit::USAGE
            } else {
                exit::DONE
            };
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    let done = match &args.command {
        Command::Run(run) => run::run(&args.common, run),
        Command::Explain(explain) => explain::explain(&args.common, explain),
        Command::Tools(command) => tools::tools(&args.common, command),
        Command::Policy(command) => policy::policy(&args.common, command),
        Command::Trust { dir } => trust::trust(&args.common, dir.as_deref()),
        Command::Init(command) => init::init(&args.common, command),
        Command::Doctor => doctor::doctor(&args.common),
        Command::Approvals(command) => approvals::approvals(&args.common, command),
        Command::Log(command) => log::log(&args.common, command),
        Command::Replay(command) => replay::replay(&args.common, command),
        Command::Completions { shell } => {
            tools::completions(*shell);
            Ok(exit::DONE)
        }
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) if exit::is_broken_pipe(&error) => ExitCode::from(exit::UNEXPECTED),
        Err(error) => {
            eprintln!("toolpost: {error:#}");
            ExitCode::from(exit::code_of(&error))
        }
    }
}
