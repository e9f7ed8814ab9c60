/** Warnings about a file that is still read, each kind once with its first line and count. */
export interface Warnings {
  add(what: string, line: number | null): void
  /** For people: "BkTxCd is empty (line 70, 3 times)". */
  list(): string[]
}

const KINDS_MAX = 100

export function collectWarnings(): Warnings {
  const found = new Map<string, { line: number | null; times: number }>()
  let others = 0
  return {
    add: (what, line) => {
      const known = found.get(what)
      if (known) known.times++
      else if (found.size < KINDS_MAX) found.set(what, { line, times: 1 })
      else others++
    },
    list: () => {
      const lines = [...found].map(([what, { line, times }]) => {
        const where = [line && `line ${line}`, times > 1 && `${times} times`].filter(Boolean)
        return where.length > 0 ? `${what} (${where.join(', ')})` : what
      })
      return others > 0 ? [...lines, `${others} more warnings`] : lines
    },
  }
}
