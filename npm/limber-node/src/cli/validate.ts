import { oneLine } from '../config/fault.js'
import { readGLB } from '../bake/glb.js'

/** An error or a warning of gltf-validator. */
export interface Issue {
  severity: 'error' | 'warning'
  /** Such as `ACCESSOR_MIN_MISMATCH`. */
  code: string
  /** What is wrong and where, in one line. */
  text: string
}

const MESHOPT = 'EXT_meshopt_compression'

/**
 * Errors and warnings of gltf-validator for a GLB file. It does not look into what meshopt has packed: such a file is checked
 * unpacked too.
 */
export async function validateGLB(bytes: Uint8Array): Promise<Issue[]> {
  const issues = await issuesOf(bytes)
  if (issues.some(({ severity }) => severity === 'error')) return issues
  const { extensionsUsed = [] } = readGLB('the file', bytes).json as { extensionsUsed?: string[] }
  if (!extensionsUsed.includes(MESHOPT)) return issues
  const { readDocument, writeDocument } = await import('../bake/document.js')
  const seen = new Set(issues.map(({ text }) => text))
  const unpacked = await writeDocument(await readDocument(bytes))
  return [...issues, ...(await issuesOf(unpacked)).filter(({ text }) => !seen.has(text))]
}

async function issuesOf(bytes: Uint8Array): Promise<Issue[]> {
  const { default: validator } = await import('gltf-validator')
  let messages
  try {
    ;({ messages } = (await validator.validateBytes(bytes, { maxIssues: 0 })).issues)
  } catch (error) {
    const text = oneLine(String(error instanceof Error ? error.message : error))
    return [{ severity: 'error', code: 'UNREADABLE', text }]
  }
  return messages
    .filter(({ severity }) => severity < 2)
    .map(({ severity, code, message, pointer }) => ({
      severity: severity === 0 ? 'error' : 'warning',
      code,
      text: oneLine(`${code}${pointer ? ` at ${pointer}` : ''}: ${message}`),
    }))
}

/** The issues of a file without the warnings that the file which it was made from has too, and these. */
export function sinceInput(issues: readonly Issue[], input: readonly Issue[]): { own: Issue[]; inherited: Issue[] } {
  const left = new Map<string, number>()
  for (const { severity, code } of input) if (severity === 'warning') left.set(code, (left.get(code) ?? 0) + 1)
  const own: Issue[] = []
  const inherited: Issue[] = []
  for (const issue of issues) {
    const rest = left.get(issue.code) ?? 0
    if (issue.severity === 'warning' && rest > 0) {
      left.set(issue.code, rest - 1)
      inherited.push(issue)
    } else own.push(issue)
  }
  return { own, inherited }
}
