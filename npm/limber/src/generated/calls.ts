// Written by `npm run gen` from the Rust structs: change those.

/** The calls of the core by number; `handle`, `a`, `b` and `c` cross beside it. */
export const CALL = {
  /** Grows the memory so that `a` bytes more can be had without growing it again. */
  reserve: 0,
  /** Gives the address of at least `a` bytes, aligned to 8, for what the next call reads; 0 when they cannot be had. */
  scratch: 1,
  /** Gives the address of the last call's output. */
  outputAddress: 2,
  /** Gives the bytes of the last call's output. */
  outputLength: 3,
  /** Checks creation options of technique `handle`. Scratch: settings of `a` bytes. */
  check: 4,
  /**
   * Makes a simulation of technique `handle` and gives its handle. Scratch: f32 × `a`, u32 × `b`, settings of `c`
   * bytes.
   */
  create: 5,
  /** Frees a simulation. */
  destroy: 6,
  /** Changes options. Scratch: settings of `a` bytes. */
  configure: 7,
  /** Output: the options in force, as JSON. */
  options: 8,
  /** Output: what creation dropped or merged, as JSON. */
  report: 9,
  /** Takes `a` seconds; gives the fixed steps that are due. */
  begin: 10,
  /** Plans exactly one fixed step. */
  beginOne: 11,
  /** Reads the inputs afresh for the next fixed step only. */
  rereadInputs: 12,
  /** Runs one fixed step. */
  fixedStep: 13,
  /** Writes the output arrays. */
  finish: 14,
  /** Takes `a` seconds, runs what is due, writes the output arrays; gives the fixed steps that ran. */
  advance: 15,
  /** Runs exactly one fixed step and writes the output arrays. */
  advanceOne: 16,
  /** Gives the simulated time in seconds. */
  time: 17,
  /** Gives the address of channel `a`. */
  channelAddress: 18,
  /** Gives the numbers in channel `a`. */
  channelLength: 19,
  /** Runs operation `a` of the technique. Scratch: f32 × `b`. Output: f32 numbers. */
  command: 20,
  /** Back to the start. */
  reset: 21,
  /** Moves everything. Scratch: a column-major matrix, f32 × 16. */
  teleport: 22,
  /** Output: the exact state. */
  snapshot: 23,
  /** Takes a state back. Scratch: `a` bytes that `Snapshot` left. */
  restore: 24,
  /** Output: a digest of the state alone, 16 hexadecimal digits. */
  hash: 25,
} as const
