// Makes a panic a trap at once. JavaScript learns of a trap and marks the backend lost; nobody reads the message, and
// writing it, with the places in the source that it tells, takes 5 KB of the gzipped WebAssembly.

import { readFileSync, writeFileSync } from 'node:fs'
import binaryen from 'binaryen'
import { Stop } from './lib.mjs'

/** Functions that only a panic calls, by what Rust names them. */
const PANICS =
  /::panicking::|::rust_begin_unwind|_fail(ed)?$|::raw_vec::(capacity_overflow|handle_error)|alloc_error|::throw_(str|null)::/

/** What only the messages of panics are formatted with, as long as the core uses `text!` for its own. */
const MESSAGES =
  / as core(\[\w+\])?::fmt::(Display|Debug)>::fmt|core(\[\w+\])?::fmt::(write|Formatter)|::something_went_wrong/
const FORMATTED = /::fmt::format|ToString/

/** A file that a panic names, as the data holds it. */
const FILE = /^[\w./-]+\.rs\0?$/

/** What panics say, in Rust's libraries and in ours: data that nothing reads any more. */
const SAID = new RegExp(
  [
    'slice index starts at | but ends at |range (start|end) index | out of range for slice of length ',
    'index out of bounds: the len is | but the index is |chunk size must be non-zero|mid > len|capacity overflow',
    'copy_from_slice: source slice length \\(|\\) does not match destination slice length \\(',
    'attempt to (divide by zero|calculate the remainder with a divisor of zero)',
    'assertion failed: (self\\.is_char_boundary\\(idx\\)|slice\\.len\\(\\) >= 3)',
    'attempted to take ownership of Rust value while it was borrowed|cast_slice',
    'recursive use of an object detected which would lead to unsafe aliasing in rust',
    'TargetAlignmentGreaterAndInputNotAligned|OutputSliceWouldHaveSlop|SizeMismatch|AlignmentMismatch',
    // Two digits each, for numbers in those messages.
    '0001020304[0-9]{180}9596979899',
    'there is no field | behind the last',
  ].join('|'),
  'g',
)

/** Sections and instructions of WebAssembly. */
const DATA = 11
const I32_CONST = 0x41

/** Replaces what panics by `unreachable` in the WebAssembly of `file`, which still has its names. */
export function trapOnPanic(file) {
  const module = binaryen.readBinary(readFileSync(file))
  let count = 0
  for (let i = 0; i < module.getNumFunctions(); i++) {
    const reference = module.getFunctionByIndex(i)
    const { name, base } = binaryen.getFunctionInfo(reference)
    if (FORMATTED.test(name)) throw new Stop(`${name} is in ${file}: what is not a panic is put together by text!`)
    // An import has a base, and no body to replace.
    if (base || !(PANICS.test(name) || MESSAGES.test(name))) continue
    binaryen.Function(reference).body = module.unreachable()
    count++
  }
  if (count === 0) throw new Stop(`${file} has no function that is known to panic: its names were stripped`)
  const bytes = module.emitBinary()
  module.dispose()
  if (blankPlaces(bytes) === 0) throw new Stop(`${file} has no place of a panic that is known: its form has changed`)
  writeFileSync(file, bytes)
}

/**
 * Fills places of panics, the names of their files and what they say with zeros, which the optimiser drops. Gives how many places
 * there were.
 */
function blankPlaces(bytes) {
  let count = 0
  for (const { address, data } of segments(bytes)) {
    const words = new DataView(data.buffer, data.byteOffset, data.length)
    const names = []
    // `core::panic::Location`: address and length of the file's name, line and column.
    for (let at = -address & 3; at + 16 <= data.length; at += 4) {
      const start = words.getUint32(at, true) - address
      const name = data.subarray(start, start + words.getUint32(at + 4, true))
      if (start < 0 || !FILE.test(Buffer.from(name).toString('latin1'))) continue
      data.fill(0, at, at + 16)
      names.push(name)
      count++
    }
    for (const name of names) name.fill(0)
    for (const { index, 0: said } of Buffer.from(data).toString('latin1').matchAll(SAID))
      data.fill(0, index, index + said.length)
  }
  return count
}

/** The pieces of memory that a module begins with: views of its bytes. */
function* segments(bytes) {
  let at = 8
  const number = () => {
    let [value, shift] = [0, 0]
    do value |= (bytes[at] & 0x7f) << shift
    while (((shift += 7), bytes[at++] & 0x80))
    return value >>> 0
  }
  while (at < bytes.length) {
    const section = bytes[at++]
    const end = number() + at
    for (let left = section === DATA ? number() : 0; left > 0; left--) {
      // One that is written when the module starts: 0, its address as a constant, the end of that expression.
      if (number() !== 0 || bytes[at++] !== I32_CONST)
        throw new Stop('a segment of the WebAssembly has no fixed address')
      const address = number()
      at++
      const length = number()
      yield { address, data: bytes.subarray(at, at + length) }
      at += length
    }
    at = end
  }
}
