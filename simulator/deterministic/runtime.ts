/**
 * Controls time and randomness of a simulated process through the seed. Imported before anything
 * else, it replaces the real clock and the sources of randomness, so that the code under test needs
 * no knowledge of the simulation.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import threads from 'node:worker_threads'
import type { Answer } from '../../server/src/credit/invoices/extraction/pdf-process.ts'
import { type Random, randomFrom } from '../random.ts'
import { beginClock, beginPause, clearPause, clockNow, type Pause } from './clock.ts'

const RealDate = Date

let chance: Random = randomFrom(0)

/** Starts a life: the seed decides its first day and everything random in it. */
export function startSimulatedRuntime(seed: number): void {
  beginClock(seed)
  chance = randomFrom(seed ^ 0x5eed)
}

class SimulatedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    if (given.length === 0) super(clockNow())
    else super(...(given as [number]))
  }
  static override now(): number {
    return clockNow()
  }
}

const simulated = new AsyncLocalStorage<'task' | 'furnishing'>()

/** Runs simulated work: its randomness comes from the seed and its statements are scheduled. */
export function runTask<T>(work: () => Promise<T>): Promise<T> {
  return simulated.run('task', work)
}

/** Runs the setup of a process with the seed's randomness, but without scheduling. */
export function runSetup<T>(work: () => Promise<T>): Promise<T> {
  return simulated.run('furnishing', work)
}

/**
 * Runs work outside the simulation, such as opening a connection, in real time and without seeded
 * randomness.
 */
export function runOutsideSimulation<T>(work: () => T): T {
  return simulated.exit(work)
}

export function inTask(): boolean {
  return simulated.getStore() === 'task'
}

const realFill = crypto.randomFillSync

function fill<T extends ArrayBufferView>(view: T): T {
  if (!simulated.getStore()) return realFill(view as never) as T
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let i = 0; i < bytes.length; i++) bytes[i] = chance.int(0, 255)
  return view
}

function uuid(): `${string}-${string}-${string}-${string}-${string}` {
  const bytes = Buffer.from(fill(new Uint8Array(16)))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return `${parts.join('-')}-${hex.slice(20)}` as ReturnType<typeof uuid>
}

const NO_TEXT: Answer = {
  held: 0,
  read: {
    extracted: {
      is_invoice: null,
      language: null,
      currency: null,
      iban: null,
      bic: null,
      seller: null,
      buyer: null,
      invoice_number: null,
      issued_on: null,
      due_on: null,
      net_amount: null,
      tax_amount: null,
      total_amount: null,
      to_pay_amount: null,
    },
  },
}

/**
 * Replaces the thread that renders documents, because a real thread finishes at an unpredictable
 * time. All documents look the same, which affects no money.
 */
class DrawingThread extends EventEmitter {
  postMessage({ id }: { id: number }): void {
    const result = new TextEncoder().encode('%PDF-1.4 simulated')
    setImmediate(() => this.emit('message', { id, result }))
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<void> {}
}

/** Replaces the processes that read documents, whose timing is unpredictable. Finds no text. */
class ReadingProcess extends EventEmitter {
  send(): void {
    setImmediate(() => this.emit('message', NO_TEXT))
  }
  ref(): void {}
  unref(): void {}
  kill(): void {}
}

/**
 * Timeouts of at least this length never fire in simulated work, so that a busy machine changes
 * nothing.
 */
const PATIENCE_MS = 1000

class SimulatedTimer {
  readonly pause: Pause
  constructor(pause: Pause) {
    this.pause = pause
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

const real = {
  setTimeout,
  setInterval,
  clearTimeout,
  wait: timersPromises.setTimeout,
  now: performance.now.bind(performance),
}

function never(): NodeJS.Timeout {
  return real.setTimeout(() => {}, 2 ** 31 - 1).unref()
}

function simulatedTimeout(act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
  if (!simulated.getStore()) return real.setTimeout(act, ms, ...given)
  if (ms >= PATIENCE_MS) return never()
  if (!inTask()) return real.setTimeout(act, ms, ...given)
  const inContext = AsyncLocalStorage.bind(act)
  return new SimulatedTimer(beginPause(() => inContext(...given), ms))
}

function simulatedInterval(act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
  if (!simulated.getStore()) return real.setInterval(act, ms, ...given)
  if (inTask() && ms < PATIENCE_MS) throw new Error('a story has no beat of its own')
  return never()
}

function clear(timer: unknown): void {
  if (timer instanceof SimulatedTimer) clearPause(timer.pause)
  else real.clearTimeout(timer as NodeJS.Timeout)
}

/** Milliseconds of real time since this process began. */
export function realNow(): number {
  return real.now()
}

/** Waits in real time, even inside a task. */
export function pauseRealTime(ms: number): Promise<void> {
  return real.wait(ms)
}

function simulatedWait<T>(ms = 0, value?: T, options?: { signal?: AbortSignal }): Promise<T> {
  if (!inTask()) return real.wait(ms, value as T, options)
  if (options?.signal) throw new Error('a pause of a story cannot be cut short')
  return new Promise(resolve => simulatedTimeout(() => resolve(value as T), ms))
}

const replaced = {
  setTimeout: Object.assign(simulatedTimeout, real.setTimeout),
  setInterval: Object.assign(simulatedInterval, real.setInterval),
  clearTimeout: clear,
  clearInterval: clear,
}
Object.assign(globalThis, replaced)
Object.assign(timers, replaced)
Object.assign(timersPromises, { setTimeout: simulatedWait })
Math.random = new Proxy(Math.random, {
  apply: real => (simulated.getStore() ? chance.next() : real()),
})
globalThis.Date = SimulatedDate as DateConstructor
// Only differences of `performance.now()` are meaningful, so its origin does not matter.
performance.now = clockNow
Object.assign(crypto, {
  randomBytes: (size: number) => Buffer.from(fill(new Uint8Array(size))),
  randomFillSync: fill,
  randomInt: (first: number, second?: number) =>
    second === undefined ? chance.int(0, first - 1) : chance.int(first, second - 1),
  randomUUID: uuid,
})
globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues
globalThis.crypto.randomUUID = uuid
Object.assign(threads, { Worker: DrawingThread })
Object.assign(childProcess, { fork: () => new ReadingProcess() })
syncBuiltinESMExports()
