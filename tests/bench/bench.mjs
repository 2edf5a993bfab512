/**
 * `npm run bench`: Limber against its peers, all in this process, as medians of rounds in which each has its turn.
 *
 *   npm run bench                     a table, with the figure that must hold and the one aimed at
 *   npm run bench -- --json           one object a line: case, subject, peer, subjectMs, peerMs, ratio, nsPerLink
 *   npm run bench -- --only <case>    that case alone
 *   npm run bench -- --quick          fewer rounds, for a first look
 *
 * `ratio` is how many times the peer's time the subject's fits into; null where the row is void because the subject's result is
 * worse than the peer's. Cases live in `cases/`, a file a technique, each exporting `cases: Case[]`.
 */
import { readdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'

/**
 * @typedef {object} Row
 * @property {string} subject
 * @property {string} peer
 * @property {number} subjectMs milliseconds per unit of work, median
 * @property {number} peerMs
 * @property {number} ratio
 * @property {number} [nsPerLink]
 * @property {{ratio?: Goal, nsPerLink?: Goal}} [goal] `ratio` at least, `nsPerLink` at most
 * @property {string} [worse] why the row is void
 * @property {string} [note] for the table
 *
 * @typedef {{required: number, aim?: number}} Goal
 * @typedef {{name: string, run(bench: Bench): Promise<Row[]>}} Case
 * @typedef {{name: string, limber: any, Cloth: any}} LimberSubject
 *
 * @typedef {object} Bench what a case is given
 * @property {{rounds: number, warmup: number}} effort for `race`
 * @property {() => Promise<LimberSubject[]>} limber WebAssembly first, then the addon; loaded once
 */

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})

/** @type {Promise<LimberSubject[]> | undefined} */
let subjects

/** @type {Bench} */
const bench = {
  effort: flags.quick ? { rounds: 5, warmup: 100 } : { rounds: 21, warmup: 500 },
  limber: () =>
    (subjects ??= Promise.all(
      ['limber', 'limber-node'].map(async (name) => {
        const library = await import(name)
        return { ...library, name, limber: await library.load() }
      }),
    )),
}

const files = (await readdir(new URL('cases/', import.meta.url))).filter((file) => file.endsWith('.mjs')).sort()
/** @type {Case[]} */
const all = (await Promise.all(files.map((file) => import(`./cases/${file}`)))).flatMap(({ cases }) => cases)
const chosen = all.filter(({ name }) => !flags.only || name === flags.only)
if (chosen.length === 0) {
  console.error(`No case "${flags.only}". There are: ${all.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

if (!flags.json) printLine(['case', 'subject', 'peer', 'subject ms', 'peer ms', 'ratio', 'ns/link', 'must', 'aim', ''])
for (const { name, run } of chosen)
  for (const row of await run(bench)) {
    if (row.worse) console.error(`${name}: ${row.subject} against ${row.peer} is void: ${row.worse}`)
    if (flags.json) printJson(name, row)
    else printRow(name, row)
  }

/** @param {string} name @param {Row} row */
function printJson(name, { subject, peer, subjectMs, peerMs, ratio, nsPerLink = null, worse }) {
  console.log(JSON.stringify({ case: name, subject, peer, subjectMs, peerMs, ratio: worse ? null : ratio, nsPerLink }))
}

/** @param {string} name @param {Row} row */
function printRow(name, { subject, peer, subjectMs, peerMs, ratio, nsPerLink, goal, worse, note = '' }) {
  const { sign, wanted, met } = goal?.nsPerLink
    ? { sign: '≤', wanted: goal.nsPerLink, met: Number(nsPerLink) <= goal.nsPerLink.required }
    : { sign: '≥', wanted: goal?.ratio, met: !goal?.ratio || ratio >= goal.ratio.required }
  const must = wanted ? `${sign} ${wanted.required}` : ''
  const aim = wanted?.aim ? `${sign} ${wanted.aim}` : ''
  const verdict = worse ? 'void' : met ? '' : 'MISSED'
  const figures = [
    subjectMs.toFixed(4),
    peerMs.toFixed(4),
    worse ? '–' : ratio.toFixed(2),
    nsPerLink?.toFixed(2) ?? '',
    must,
    aim,
  ]
  printLine([name, subject, peer, ...figures, [verdict, note].filter(Boolean).join('  ')])
}

/** @param {string[]} cells */
function printLine(cells) {
  const widths = [15, 12, 13, 11, 9, 7, 8, 7, 6, 0]
  const line = cells.map((cell, c) => (c < 3 || c === 9 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
  console.log(line.join(' ').trimEnd())
}
