import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeWhole, type Disk } from '../../npm/limber-node/src/cli/outputs.js'
import { contents, project } from './helpers.js'

/** A disk that fails as a full one does, in one of its calls. */
function failing(call: keyof Disk, code: string, text: string): Disk {
  const fail = () => {
    throw Object.assign(new Error(`${code}: ${text}, ${call}`), { code })
  }
  return { ...(fs as unknown as Disk), [call]: fail }
}

describe('a file is written whole or not at all', () => {
  it.each([
    ['openSync', 'EROFS', 'read-only file system'],
    ['writeSync', 'ENOSPC', 'no space left on device'],
    ['fsyncSync', 'EIO', 'i/o error'],
    ['renameSync', 'EACCES', 'permission denied'],
  ] as const)('where %s fails with %s, nothing is left and the line says where', (call, code, text) => {
    const folder = project({ 'cape.glb': 'before' })
    const write = () => writeWhole(join(folder, 'cape.glb'), new Uint8Array(100), failing(call, code, text))
    expect(write).toThrow(`${join(folder, 'cape.glb')} cannot be written: ${text} (${code})`)
    expect(contents(folder)).toEqual({ 'cape.glb': 'before' })
  })

  it('a disk that is full after some bytes', () => {
    const folder = project({ 'cape.glb': 'before' })
    let calls = 0
    const disk = {
      ...(fs as unknown as Disk),
      writeSync(file: number, bytes: Uint8Array, offset: number, length: number) {
        if (calls++) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
        return fs.writeSync(file, bytes, offset, Math.min(length, 10))
      },
    }
    expect(() => writeWhole(join(folder, 'cape.glb'), new Uint8Array(100), disk)).toThrow(/no space left/)
    expect(calls).toBe(2)
    expect(contents(folder)).toEqual({ 'cape.glb': 'before' })
  })

  it('writes on where the system took only a part', () => {
    const folder = project({})
    const disk = {
      ...(fs as unknown as Disk),
      writeSync: (file: number, bytes: Uint8Array, offset: number, length: number) =>
        fs.writeSync(file, bytes, offset, Math.min(length, 7)),
    }
    writeWhole(join(folder, 'cape.glb'), new TextEncoder().encode('abcdefghijklmnopqrstuvwxyz'), disk)
    expect(contents(folder)).toEqual({ 'cape.glb': 'abcdefghijklmnopqrstuvwxyz' })
  })
})
