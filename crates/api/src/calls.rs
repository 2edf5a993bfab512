//! The calls of the table by number, for a binding with one way in: each function that WebAssembly exports weighs as much as
//! a few of these.

/// Writes the enum and the list from one row a call.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// A call, which JavaScript knows by its place.
        ///
        /// `handle`, `a`, `b` and `c` are what crosses beside it. Scratch is what the caller wrote for the call, output what
        /// the call leaves.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Call {
            $($(#[doc = $doc])* $name,)*
        }

        impl Call {
            /// All of them; the place of one is its number.
            pub const ALL: &[Call] = &[$(Call::$name),*];

            /// What they are called and take.
            pub const DOCS: &[(&str, &str)] = &[$((stringify!($name), concat!($($doc, "\n"),*))),*];
        }
    };
}

calls! {
    /// Grows the memory so that `a` bytes more can be had without growing it again.
    Reserve,
    /// Gives the address of at least `a` bytes, aligned to 8, for what the next call reads; 0 when they cannot be had.
    Scratch,
    /// Gives the address of the last call's output.
    OutputAddress,
    /// Gives the bytes of the last call's output.
    OutputLength,
    /// Checks creation options of technique `handle`. Scratch: settings of `a` bytes.
    Check,
    /// Makes a simulation of technique `handle` and gives its handle. Scratch: f32 × `a`, u32 × `b`, settings of `c` bytes.
    Create,
    /// Frees a simulation.
    Destroy,
    /// Changes options. Scratch: settings of `a` bytes.
    Configure,
    /// Output: the options in force, as JSON.
    Options,
    /// Output: what creation dropped or merged, as JSON.
    Report,
    /// Takes `a` seconds; gives the fixed steps that are due.
    Begin,
    /// Plans exactly one fixed step.
    BeginOne,
    /// Reads the inputs afresh for the next fixed step only.
    RereadInputs,
    /// Runs one fixed step.
    FixedStep,
    /// Writes the output arrays.
    Finish,
    /// Takes `a` seconds, runs what is due, writes the output arrays; gives the fixed steps that ran.
    Advance,
    /// Runs exactly one fixed step and writes the output arrays.
    AdvanceOne,
    /// Gives the simulated time in seconds.
    Time,
    /// Gives the address of channel `a`.
    ChannelAddress,
    /// Gives the numbers in channel `a`.
    ChannelLength,
    /// Runs operation `a` of the technique. Scratch: f32 × `b`. Output: f32 numbers.
    Command,
    /// Back to the start.
    Reset,
    /// Moves everything. Scratch: a column-major matrix, f32 × 16.
    Teleport,
    /// Output: the exact state.
    Snapshot,
    /// Takes a state back. Scratch: `a` bytes that `Snapshot` left.
    Restore,
    /// Output: a digest of the state alone, 16 hexadecimal digits.
    Hash,
}
