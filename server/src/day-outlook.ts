/**
 * Which runs of a day have nothing to do: most of them, on most days of a small lender. One look at
 * all runs that are still to come costs a transaction, where each for itself would cost one.
 */
import type { Context } from './context.ts'
import { RUNS, type Run } from './day-runs.ts'
import { findBusy } from './db/slices.ts'
import type { Day } from './kit/dates.ts'

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
    if (this.#isBusy || !('pages' in RUNS[name]!)) return false
    this.#idle ??= await this.#look(name)
    return this.#idle.has(name)
  }

  /** A run has done so much: what it left for those after it nobody has looked at. */
  note(run: Run, done: number): void {
    if ('work' in run && run.is_apart) return
    this.#isBusy = done > 0
    if (this.#isBusy) this.#idle = null
  }

  async #look(from: string): Promise<ReadonlySet<string>> {
    const names = Object.keys(RUNS)
    const ahead = names.slice(names.indexOf(from)).flatMap(name => {
      const run = RUNS[name]!
      return 'pages' in run ? [{ name, pages: [run.pages(this.#day)].flat() }] : []
    })
    const all = ahead.flatMap(({ pages }) => pages)
    // Where it cannot be looked at all of them each run tells by itself what fails.
    const busy = await findBusy(this.#context.database, all).catch(() => new Set(all))
    const idle = ahead.filter(({ pages }) => !pages.some(one => busy.has(one)))
    return new Set(idle.map(({ name }) => name))
  }
}
