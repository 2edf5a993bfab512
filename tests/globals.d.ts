// What the pages under test put on `window`, and a module that has no typings of its own.

interface Window {
  /** The hook of an example: see `examples-three/shared/hook.ts`. */
  limberExample: {
    ready: boolean
    simulate(seconds: number): Promise<void> | void
    resume(): void
    stats: Record<string, number>
  }
  /** What a page under `tests/package` found. */
  result: any
}

declare module 'gltf-validator' {
  export function validateBytes(
    bytes: Uint8Array,
    options?: object,
  ): Promise<{
    issues: { numErrors: number; numWarnings: number; messages: { message: string }[] }
  }>
}
