/** Progress of long commands, written to stderr because stdout is for results. */
import type { Progress } from '../archive/index.ts'

const EVERY_MS = 2000

export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function followProgress(): { progress: Progress; rows: () => string } {
  let last = Date.now()
  let before = 0
  const shown = (rows: number) => rows.toLocaleString('en')
  return {
    progress: (section, rows, done) => {
      if (done) before += rows
      if (Date.now() - last < EVERY_MS) return
      last = Date.now()
      printProgress(`${section}: ${shown(rows)} rows${done ? '' : ' so far'}`)
    },
    rows: () => shown(before),
  }
}
