//! The one error type that crosses the boundary to JavaScript.

use crate::text;
use std::fmt;
use std::ops::Deref;

/// What kind of fault an [`Error`] is; its name is the `code` of a `LimberError` in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An option is unknown, of the wrong type, or outside its range.
    InvalidOption,
    /// An input array or argument holds something that cannot be simulated.
    InvalidInput,
    /// A handle that was destroyed, or never given out.
    InvalidHandle,
    /// Bytes given to `restore` are not a snapshot of this simulation.
    InvalidSnapshot,
    /// The memory for a simulation could not be had.
    OutOfMemory,
}

impl Code {
    /// The name that JavaScript sees.
    pub const fn name(self) -> &'static str {
        match self {
            Code::InvalidOption => "invalid-option",
            Code::InvalidInput => "invalid-input",
            Code::InvalidHandle => "invalid-handle",
            Code::InvalidSnapshot => "invalid-snapshot",
            Code::OutOfMemory => "out-of-memory",
        }
    }
}

/// What is known of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub code: Code,
    /// One sentence: what was wrong, what is allowed, what was given.
    pub message: String,
}

/// A fault of the caller's, with the option's path and range in the message. One pointer, so that handing it on weighs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Fault>);

impl Deref for Error {
    type Target = Fault;
    fn deref(&self) -> &Fault {
        &self.0
    }
}

/// The result of everything that can be refused.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `code` that says `message`.
    #[cold]
    #[inline(never)]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error(Box::new(Fault { code, message: message.into() }))
    }

    /// The code's name and the message, as they cross to JavaScript.
    pub fn text(&self) -> String {
        text![self.code.name(), ": ", self.message]
    }

    /// A refused option.
    pub fn option(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidOption, message)
    }

    /// A refused input array or argument.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for Error {}
