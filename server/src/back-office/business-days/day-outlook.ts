/**
 * Predicts which of a day's runs have nothing to do: for a small lender, most of them on most days.
 * One transaction checks all remaining runs, instead of one transaction each.
 */
import type { Context } from '../../context.ts'
import { hasWork } from '../../platform/db/slices.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { type DayRun, RUNS } from './day-runs.ts'

export class DayOutlook {
  readonly #context: Context
  readonly #day: Day
  /** The runs found idle by the last check; null once a later run has done something. */
  #idle: ReadonlySet<string> | null = null
  /** After a busy run the next one is probably busy too, so looking ahead is skipped. */
  #isBusy = false

  constructor(context: Context, day: Day) {
    this.#context = context
    this.#day = day
  }

  async isIdle(name: string): Promise<boolean> {
    if (this.#isBusy || !lookOf(RUNS[name]!, this.#day)) return false
    // If the check fails, every run is executed and reports its own error.
    this.#idle ??= await this.#look(name).catch(() => new Set<string>())
    return this.#idle.has(name)
  }

  /** Records how much a run has done, because that may have created work for later runs. */
  note(run: DayRun, done: number): void {
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

/** How to check whether a run has work; undefined for a run that has no check. */
function lookOf(run: DayRun, day: Day): ((tx: Tx) => Promise<boolean>) | undefined {
  return 'pages' in run ? tx => hasWork(tx, run.pages(day)) : run.has_work
}
