declare module 'gltf-validator' {
  /** What is asked for. */
  export interface ValidationOptions {
    uri?: string
    /** Most issues that are listed; 0 lists all. */
    maxIssues?: number
  }

  /** What was found. Severities are 0 (error) to 3 (hint). */
  export interface ValidationReport {
    issues: {
      numErrors: number
      numWarnings: number
      numInfos: number
      numHints: number
      messages: { code: string; message: string; severity: number; pointer?: string }[]
    }
  }

  const validator: {
    validateBytes(bytes: Uint8Array, options?: ValidationOptions): Promise<ValidationReport>
  }
  export default validator
}
