import { createHash } from 'node:crypto'
import { bake, Cloth, load } from 'limber-node'

const limber = await load()
const cape = Cloth.grid(limber, { columns: 12, rows: 17, width: 0.5, height: 1.2, pinned: 'top', floor: null })
const recording = await bake({ cape }, { duration: 0.5, drive: (t) => cape.wind.set(0, 0, Math.sin(t)) })
const bytes = await recording.toGLB()
const magic = new TextDecoder().decode(bytes.subarray(0, 4))
const file = createHash('sha256').update(bytes).digest('hex')
console.log(JSON.stringify({ target: limber.target, magic, hash: cape.hash(), file }))
