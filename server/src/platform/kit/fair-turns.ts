/**
 * Shares scarce capacity fairly: owners take turns in rotation, and the requests of one owner run
 * in the order in which they came.
 */
import { problem } from './problem.ts'

export interface TurnLimits {
  readonly at_once: number
  /** Maximum number of one owner's turns at the same time; `at_once` when absent. */
  readonly each_at_once?: number | ((owner: string) => number)
  /** Maximum number of waiting requests per owner; unlimited when absent. */
  readonly each_waiting?: number
  /** Maximum total size of waiting requests, per owner and over all owners. */
  readonly each_size?: number
  readonly all_size?: number
  /** How long a caller waits for its turn before the error of `tooLate` is thrown. */
  readonly patience_ms?: number
  readonly tooLate?: () => Error
}

interface Waiting {
  readonly size?: number
  /** Work is dropped if its signal aborts while it waits. */
  readonly signal?: AbortSignal | null | undefined
}

interface Waiter {
  readonly size: number
  readonly begin: () => void
}

interface Owner {
  running: number
  size: number
  readonly waiting: Waiter[]
}

const RETRY_AFTER_SECONDS = 2

function tooMuch(): Error {
  const detail = 'Too much of this is under way: send the request again later.'
  return problem('not_ready', detail, { retry_after_seconds: RETRY_AFTER_SECONDS })
}

export class FairTurns {
  readonly #limits: TurnLimits
  /** Owners with running or waiting work, the least recently served first. */
  readonly #owners = new Map<string, Owner>()
  #running = 0
  #size = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` when its owner's turn comes. `size` counts while the work waits. Throws `not_ready`
   * (503 with Retry-After) when too much is waiting, the error of `tooLate` when no turn comes in
   * time, and the reason of `signal` when it aborts before the turn comes.
   */
  async run<T>(owner: string, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
    await this.#begin(owner, waiting)
    try {
      return await work()
    } finally {
      this.#end(owner)
    }
  }

  /**
   * Like `run`, for work that is not a single function: resolves to a function that ends the turn.
   */
  async take(owner: string, waiting: Waiting = {}): Promise<() => void> {
    await this.#begin(owner, waiting)
    let is_over = false
    return () => {
      if (!is_over) this.#end(owner)
      is_over = true
    }
  }

  /** Returns no promise when a turn is free, so the caller starts at once. */
  #begin(name: string, { size = 0, signal }: Waiting): Promise<void> | undefined {
    signal?.throwIfAborted()
    const owner = this.#owners.get(name) ?? { running: 0, size: 0, waiting: [] }
    if (owner.waiting.length === 0 && this.#mayRun(name, owner)) {
      this.#serve(name, owner)
      return
    }
    this.#refuseTooMuch(owner, size)
    this.#owners.set(name, owner)
    owner.size += size
    this.#size += size
    return this.#wait(name, owner, size, signal)
  }

  #wait(name: string, owner: Owner, size: number, signal: Waiting['signal']): Promise<void> {
    const { patience_ms, tooLate = tooMuch } = this.#limits
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { size, begin: () => begin() }
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const giveUp = (reason: unknown) => {
        stopWaiting()
        owner.waiting.splice(owner.waiting.indexOf(waiter), 1)
        this.#forget(owner, size)
        if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(name)
        reject(reason)
      }
      const timer =
        patience_ms === undefined ? undefined : setTimeout(() => giveUp(tooLate()), patience_ms)
      const leave = () => giveUp(signal?.reason)
      const begin = () => {
        stopWaiting()
        resolve()
      }
      signal?.addEventListener('abort', leave)
      owner.waiting.push(waiter)
    })
  }

  #forget(owner: Owner, size: number): void {
    owner.size -= size
    this.#size -= size
  }

  #refuseTooMuch(owner: Owner, size: number): void {
    const { each_waiting = Infinity, each_size = Infinity, all_size = Infinity } = this.#limits
    const tooMany = owner.waiting.length >= each_waiting
    if (!tooMany && owner.size + size <= each_size && this.#size + size <= all_size) return
    throw tooMuch()
  }

  #mayRun(name: string, owner: Owner): boolean {
    const { at_once, each_at_once: each = at_once } = this.#limits
    const each_at_once = typeof each === 'number' ? each : each(name)
    return this.#running < at_once && owner.running < each_at_once
  }

  #serve(name: string, owner: Owner): void {
    this.#running++
    owner.running++
    this.#putLast(name, owner)
  }

  #putLast(name: string, owner: Owner): void {
    this.#owners.delete(name)
    this.#owners.set(name, owner)
  }

  #end(name: string): void {
    const ended = this.#owners.get(name)!
    this.#running--
    ended.running--
    this.#putLast(name, ended)
    if (ended.running === 0 && ended.waiting.length === 0) this.#owners.delete(name)
    for (const [next, owner] of this.#owners) {
      if (owner.waiting.length === 0 || !this.#mayRun(next, owner)) continue
      const { size, begin } = owner.waiting.shift()!
      this.#forget(owner, size)
      this.#serve(next, owner)
      begin()
      return
    }
  }
}
