/** Collects the faults of a request that its schema cannot check, to report them all at once. */
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'

export class FaultCollector {
  readonly #found: InvalidParam[] = []

  /** Adds a fault and returns null, in place of the invalid value. */
  add(name: string, reason: string): null {
    this.#found.push({ name, reason })
    return null
  }

  has(name: string): boolean {
    return this.#found.some(fault => fault.name === name)
  }

  get found(): readonly InvalidParam[] {
    return this.#found
  }

  /** Throws `request_invalid` with all faults, if any. */
  throwAny(): void {
    if (this.#found.length > 0) throw invalid(this.#found)
  }
}
