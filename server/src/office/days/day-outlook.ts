/**
 * Which runs of a day have nothing to do: most of them, on most days of a small lender. One look at
 * all runs that are still to come costs a transaction, where each for itself would cost one.
 */
import type { Context } from '../../context.ts'
import { findsWork } from '../../platform/db/slices.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { RUNS, type Run } from './day-runs.ts'

export class Outlook {
  readonly #context: Context
  readonly #day: Day
  /** What the last look found; null where something was done since then. */
  #idle: ReadonlySet<string> | null = null
  /** After a run that had something to do the next one is likely to: it is not looked ahead. */
  #isBusy = false

  constructor(context: Context, day: Day) {
    this.#context = context
    this.#day = day
  }

  /** Whether nothing is to be done by this run, as things stand since the last one that did. */
  async isIdle(name: string): Promise<boolean> {
    if (this.#isBusy || !lookOf(RUNS[name]!, this.#day)) return false
    // When the look fails every run is carried out, and tells what fails under its own name.
    this.#idle ??= await this.#look(name).catch(() => new Set<string>())
    return this.#idle.has(name)
  }

  /** A run has done so much: what it left for those after it nobody has looked at. */
  note(run: Run, done: number): void {
    if ('work' in run && run.is_apart) return
    this.#isBusy = done > 0
    if (this.#isBusy) this.#idle = null
  }

  #look(from: string): Promise<ReadonlySet<string>> {
    const names = Object.keys(RUNS)
    const all = { partners: '*', read_only: true } as const
    return transaction(this.#context.database, all, async tx => {
      const idle = new Set<string>()
      for (const name of names.slice(names.indexOf(from))) {
        const has_work = lookOf(RUNS[name]!, this.#day)
        if (has_work && !(await has_work(tx))) idle.add(name)
      }
      return idle
    })
  }
}

/** How to see whether a run has work; undefined where only doing it tells. */
function lookOf(run: Run, day: Day): ((tx: Tx) => Promise<boolean>) | undefined {
  return 'pages' in run ? tx => findsWork(tx, run.pages(day)) : run.has_work
}
