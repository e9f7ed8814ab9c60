/** Collects every fault of a request that its schema cannot see, so that all are told at once. */
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'

export class Faults {
  readonly #found: InvalidParam[] = []

  /** Notes a fault and answers null, in place of the value that could not be read. */
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

  /** Throws `request_invalid` with all faults, if there are any. */
  throwAny(): void {
    if (this.#found.length > 0) throw invalid(this.#found)
  }
}
