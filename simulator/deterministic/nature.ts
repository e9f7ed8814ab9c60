/**
 * Time and chance of a simulated process: both come from the seed. Imported before anything else,
 * it replaces the real clock and every source of randomness, so that the code under test needs to
 * know nothing of being simulated.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { type Random, randomFrom } from '../random.ts'

const RealDate = Date

/** Far enough ahead that the database's own clock never passes it. */
const BEGINNING = RealDate.UTC(2031, 0, 6, 7)
const YEAR_DAYS = 365
const DAY_MS = 86_400_000

let now = BEGINNING
let chance: Random = randomFrom(0)

/** Begins a life: its seed tells the day of the year on which it starts and all that happens. */
export function beginNature(seed: number): void {
  now = BEGINNING + (seed % YEAR_DAYS) * DAY_MS
  chance = randomFrom(seed ^ 0x5eed)
}

/** Lets a millisecond pass. */
export function tickNature(): void {
  now += 1
}

class SimulatedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    if (given.length === 0) super(now)
    else super(...(given as [number]))
  }
  static override now(): number {
    return now
  }
}

const simulated = new AsyncLocalStorage<'task' | 'furnishing'>()

/** Begins what is simulated: its chance is the seed's, and its statements are scheduled. */
export function runTask<T>(work: () => Promise<T>): Promise<T> {
  return simulated.run('task', work)
}

/** A process is furnished with the seed's chance, but nobody acts meanwhile. */
export function runFurnishing<T>(work: () => Promise<T>): Promise<T> {
  return simulated.run('furnishing', work)
}

export function inTask(): boolean {
  return simulated.getStore() === 'task'
}

/** How connections are opened, and when, is real: it must not use the seed's chance up. */
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

/**
 * Stands in for the threads that draw documents and read them. What a paper looks like moves no
 * money, and real threads answer when they like: every paper is drawn the same, and has no text.
 */
class PaperThread extends EventEmitter {
  constructor(_program: URL, options: { workerData?: unknown } = {}) {
    super()
    if (options.workerData) setImmediate(() => this.emit('message', { cells: [] }))
  }
  postMessage({ id }: { id: number }): void {
    const bytes = new TextEncoder().encode('%PDF-1.4 simulated')
    setImmediate(() => this.emit('message', { id, bytes }))
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<void> {}
}

/** Whose patience ends after so long waits for ever here: how busy the machine is moves nothing. */
const PATIENCE_MS = 1000

function patiently<T extends typeof setTimeout | typeof setInterval>(real: T): T {
  const patient = (act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    const never = simulated.getStore() && ms >= PATIENCE_MS
    return never ? real(() => {}, 2 ** 31 - 1).unref() : real(() => act(...given), ms)
  }
  return Object.assign(patient, real) as unknown as T
}

globalThis.setTimeout = patiently(setTimeout)
globalThis.setInterval = patiently(setInterval)
Math.random = new Proxy(Math.random, {
  apply: real => (simulated.getStore() ? chance.next() : real()),
})
globalThis.Date = SimulatedDate as DateConstructor
Object.assign(crypto, {
  randomBytes: (size: number) => Buffer.from(fill(new Uint8Array(size))),
  randomFillSync: fill,
  randomInt: (first: number, second?: number) =>
    second === undefined ? chance.int(0, first - 1) : chance.int(first, second - 1),
  randomUUID: uuid,
})
globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues
globalThis.crypto.randomUUID = uuid
Object.assign(threads, { Worker: PaperThread })
syncBuiltinESMExports()
