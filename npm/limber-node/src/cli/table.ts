/** Columns, as wide as they must be; those that are empty are left out. Numbers stand at the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((_, i) => i).filter((i) => rows.some((row) => row[i] !== ''))
  const widths = columns.map((i) => Math.max(head[i]!.length, ...rows.map((row) => row[i]!.length)))
  const right = columns.map((i) => rows.every((row) => row[i] === '' || /^[\d.,-]+$/.test(row[i]!)))
  const line = (row: readonly string[]) =>
    columns
      .map((i, n) => (right[n] ? row[i]!.padStart(widths[n]!) : row[i]!.padEnd(widths[n]!)))
      .join('  ')
      .trimEnd()
  return [head, ...rows].map(line).join('\n')
}

/** `12,345`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 6 })
}

/** Bytes: `12.3 KiB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

/** Seconds: `4 s`, `1 min 5 s`, `1 h 2 min`. */
export function time(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
