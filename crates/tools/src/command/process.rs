//! One run of a command: fed, listened to, and ended with all that it started.
//!
//! The run is over when the process is, not when its pipes are closed: a process that it left
//! behind may hold them for ever. After a short time for what is still in the pipes, the whole
//! process group is killed. A run that is given up is killed and reaped at once.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, sleep, sleep_until};
use toolpost_core::{CancellationToken, Progress};

use super::family::{CALL_MARK, Mark};
use super::runs;

/// For what is still in the pipes when the process has ended.
const DRAIN: Duration = Duration::from_millis(100);
/// Between the request to end and the order to.
const GRACE: Duration = Duration::from_secs(2);
/// More of stdout is not kept.
const MOST_OUT: usize = 16 << 20;
/// More of stderr is not kept; its end says most.
const MOST_ERR: usize = 16 << 10;

/// How a command is fed and listened to.
pub(crate) enum Streams<'a> {
    /// `input` on stdin; stdout and stderr apart.
    Apart(&'a [u8]),
    /// Nothing on stdin; stdout and stderr as one, in the order in which they were written.
    Merged,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The process ended by itself.
    Exited {
        status: ExitStatus,
        /// The head of stdout, or of both where they are one.
        out: Vec<u8>,
        out_left_out: u64,
        err: Vec<u8>,
        err_left_out: u64,
    },
    /// It took longer than it may, and was made to end.
    TimedOut {
        /// What it had printed.
        out: Vec<u8>,
    },
    /// It was told to stop, and was made to.
    Cancelled,
}

/// How much a command has printed so far: a sign that it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// On stdout and stderr together.
    pub bytes: u64,
}

impl Progress for Printed {}

type Pipe = Box<dyn AsyncRead + Send + Unpin>;

/// Runs a command to its end, or to its deadline. `heard` is told of what it prints.
pub(crate) async fn run(
    mut command: Command,
    streams: Streams<'_>,
    deadline: Option<Instant>,
    cancel: &CancellationToken,
    heard: impl Fn(Printed),
) -> std::io::Result<Ended> {
    let mut merged: Option<Pipe> = None;
    let input = match streams {
        Streams::Apart(input) => {
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            input
        }
        Streams::Merged => {
            let (reader, writer) = std::io::pipe()?;
            command
                .stdin(Stdio::null())
                .stdout(writer.try_clone()?)
                .stderr(writer);
            merged = Some(Box::new(Receiver::from_owned_fd(reader.into())?));
            &[]
        }
    };
    command.kill_on_drop(true);
    // A session of its own is a group of its own too, and has no terminal: a command that could
    // write to that could show the person what it likes, and type the answer to a question.
    ProcessSession.pre_spawn(command.as_std_mut(), &CommandWrap::with_new("", |_| {}))?;
    let mark = Mark::new();
    command.env(CALL_MARK, mark.value());
    let mut child = runs::spawn(&mut command, &mark)?;
    // It holds our end of the merged pipe, which would never close.
    drop(command);
    let stdin = child.stdin.take();
    let stdout = child.stdout.take().map(|pipe| Box::new(pipe) as Pipe);
    let stderr = child.stderr.take().map(|pipe| Box::new(pipe) as Pipe);
    let mut out = Capture::head(merged.or(stdout), MOST_OUT);
    let mut err = Capture::tail(stderr, MOST_ERR);
    let mut group = Group::of(child, mark);
    let mut feeding = std::pin::pin!(feed(stdin, input));
    let mut is_fed = false;
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let drained = ended.map(|(_, at)| at + DRAIN);
        tokio::select! {
            () = &mut feeding, if !is_fed => is_fed = true,
            () = out.listen(), if out.is_open() => heard(out.printed_with(&err)),
            () = err.listen(), if err.is_open() => heard(out.printed_with(&err)),
            status = group.child.wait(), if ended.is_none() => {
                ended = Some((status?, Instant::now()));
                group.has_exited = true;
            }
            () = until(drained), if drained.is_some() => break,
            () = cancel.cancelled(), if ended.is_none() => {
                group.end().await;
                return Ok(Ended::Cancelled);
            }
            () = until(deadline), if ended.is_none() && deadline.is_some() => {
                group.end().await;
                return Ok(Ended::TimedOut { out: out.bytes });
            }
        }
        if ended.is_some() && !out.is_open() && !err.is_open() {
            break;
        }
    }
    let Some((status, _)) = ended else {
        return Ok(Ended::Cancelled);
    };
    Ok(Ended::Exited {
        status,
        out_left_out: out.left_out,
        out: out.bytes,
        err: err.bytes,
        err_left_out: err.left_out,
    })
}

async fn until(at: Option<Instant>) {
    if let Some(at) = at {
        sleep_until(at).await;
    }
}

/// Writes the input and closes the pipe. A process that does not read it is none the worse.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
}

/// A child with its process group and all that it started. Dropping it kills them.
struct Group {
    child: Child,
    id: Option<Pid>,
    mark: Mark,
    /// Whether the command ended by itself; then only its group is ended with it.
    has_exited: bool,
}

impl Group {
    fn of(child: Child, mark: Mark) -> Self {
        let id = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        Self {
            child,
            id,
            mark,
            has_exited: false,
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // A group without members is what is wanted.
            let _ = kill_process_group(id, signal);
        }
    }

    /// Asks the group to end, then makes it, and waits for the process.
    async fn end(&mut self) {
        self.signal(Signal::TERM);
        tokio::select! {
            _ = self.child.wait() => {}
            () = sleep(GRACE) => {}
        }
        self.signal(Signal::KILL);
        self.mark.kill(self.id);
        let _ = self.child.wait().await;
    }
}

impl Drop for Group {
    #[expect(
        clippy::disallowed_methods,
        reason = "a drop cannot await, and this is some milliseconds at most"
    )]
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        if !self.has_exited {
            self.mark.kill(self.id);
        }
        // What was killed is gone in a moment; a call that has ended must have no effects left.
        for _ in 0..200 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        runs::end(&self.mark);
    }
}

/// What came out of a pipe, up to a bound.
struct Capture {
    pipe: Option<Pipe>,
    bytes: Vec<u8>,
    most: usize,
    keeps_tail: bool,
    left_out: u64,
    /// All bytes that came.
    listened: u64,
    buffer: Vec<u8>,
}

impl Capture {
    fn head(pipe: Option<Pipe>, most: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            most,
            keeps_tail: false,
            left_out: 0,
            listened: 0,
            buffer: vec![0; 64 << 10],
        }
    }

    fn tail(pipe: Option<Pipe>, most: usize) -> Self {
        Self {
            keeps_tail: true,
            ..Self::head(pipe, most)
        }
    }

    const fn printed_with(&self, other: &Self) -> Printed {
        Printed {
            bytes: self.listened + other.listened,
        }
    }

    const fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Takes what is there next. Stopped midway, nothing is lost.
    async fn listen(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut self.buffer).await {
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => {
                self.listened += count as u64;
                let new = self.buffer.get(..count).unwrap_or_default();
                if self.keeps_tail {
                    self.bytes.extend_from_slice(new);
                    let over = self.bytes.len().saturating_sub(self.most);
                    self.bytes.drain(..over);
                    self.left_out += over as u64;
                } else {
                    let room = self.most.saturating_sub(self.bytes.len()).min(count);
                    self.bytes
                        .extend_from_slice(new.get(..room).unwrap_or_default());
                    self.left_out += (count - room) as u64;
                }
            }
        }
    }
}
