/**
 * The course of a life: every statement its tasks sent, in order, with values. Its hash shows
 * whether two lives ran identically, long before their books differ.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'

export interface StatementLog {
  note(statement: readonly unknown[], answer: unknown): void
  /** The SHA-256 of all statements so far. */
  digest(): string
  end(): void
}

/** Also writes each statement with its result to `file`, one per line, if given. */
export function openStatementLog(file: string | undefined): StatementLog {
  const hash = createHash('sha256')
  const written = file === undefined ? null : openSync(file, 'w')
  return {
    note: (statement, answer) => {
      const line = inOneLine(statement)
      hash.update(`${line}\n`)
      if (written !== null) writeSync(written, `${line} => ${inOneLine(rowsOf(answer))}\n`)
    },
    digest: () => hash.copy().digest('hex'),
    end: () => {
      if (written !== null) closeSync(written)
    },
  }
}

function rowsOf(answer: unknown): unknown {
  if (answer instanceof Error) return `${answer.message}`
  if (Array.isArray(answer)) return answer.map(rowsOf)
  const { rows, rowCount } = answer as { rows: unknown[]; rowCount: number | null }
  return rows.length > 0 ? rows : rowCount
}

function inOneLine(result: unknown): string {
  return JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
