import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Fault, shownPath, systemText } from '../config/fault.js'

/** How a file is written: what of `node:fs` it takes. */
export interface Disk {
  openSync: typeof openSync
  writeSync: (file: number, bytes: Uint8Array, offset: number, length: number) => number
  fsyncSync: typeof fsyncSync
  closeSync: typeof closeSync
  renameSync: typeof renameSync
  rmSync: typeof rmSync
}

const DISK: Disk = { openSync, writeSync, fsyncSync, closeSync, renameSync, rmSync }

let count = 0

/**
 * Writes a file whole or not at all: to a temporary name beside it, which then becomes its own. Nothing else runs meanwhile,
 * so that Ctrl-C finds no temporary file.
 *
 * @throws Fault that names the file and what the system said
 */
export function writeWhole(path: string, bytes: Uint8Array, disk: Disk = DISK): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${count++}.tmp`)
  let file: number | undefined
  try {
    file = disk.openSync(temporary, 'wx')
    for (let at = 0; at < bytes.length;) at += disk.writeSync(file, bytes, at, bytes.length - at)
    disk.fsyncSync(file)
    disk.closeSync(file)
    file = undefined
    disk.renameSync(temporary, path)
  } catch (error) {
    if (file !== undefined) attempt(() => disk.closeSync(file!))
    attempt(() => disk.rmSync(temporary, { force: true }))
    throw new Fault(`${shownPath(path)} cannot be written: ${systemText(error)}`)
  }
}

/** Makes a folder and those above it. Where the system has no place for any, Node's own way of that never ends. */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolders(above)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Does what may fail without harm. */
export function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // The fault that came before is the one to tell.
  }
}

/** Removes temporary files of processes that were killed, of those files that `isOwn` says are ours. */
export function removeLeftovers(folder: string, isOwn: (name: string) => boolean): void {
  let names: string[] = []
  attempt(() => void (names = readdirSync(folder)))
  for (const name of names) {
    const [, file, pid] = /^\.(.+)\.(\d+)-\d+\.tmp$/.exec(name) ?? []
    if (file !== undefined && isOwn(file) && !isAlive(Number(pid))) attempt(() => rmSync(join(folder, name)))
  }
}

/** Whether another process has this id. One with our own is gone: we have only begun. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
