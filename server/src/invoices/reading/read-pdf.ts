/** Reads an invoice that somebody sent as a PDF, in a thread with bounded memory and time. */
import { Worker } from 'node:worker_threads'
import { sha256 } from '../../kit/crypto.ts'
import { FairTurns } from '../../kit/fair-turns.ts'
import { invalid, problem } from '../../kit/problem.ts'
import type { Extracted } from './extract.ts'
import type { Read } from './pdf-thread.ts'

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
/** Of the thread's own time: a busy machine refuses nothing that an idle one reads. */
const READ_CPU_MS_MAX = 8_000
const LOOK_MS = 1_000
/** Twenty seconds by the clock: whoever sent it still waits for the answer. */
const LOOKS_MAX = 20
/**
 * So many at a time that their memory adds up to a known amount, and one of a partner's. Those that
 * wait hold their documents in memory.
 */
const turns = new FairTurns({
  at_once: 2,
  each_at_once: 1,
  each_waiting: 100,
  each_size: 64 * 1024 * 1024,
  all_size: 256 * 1024 * 1024,
})
/** A PDF begins with these, though some programs put something before them. */
const MAGIC = '%PDF-'
const MAGIC_WITHIN = 1024

const REASONS = {
  encrypted: 'is encrypted: send it without a password',
  broken: 'cannot be read as a PDF',
  too_much: 'takes too much memory or time to read',
}

/**
 * What a PDF tells of an invoice; nothing where it is a scan. Throws `request_invalid` under `name`
 * when it is empty, no PDF, encrypted, broken, or unpacks into too much; `body_too_large` beyond
 * 10 MB; and `not_ready` when too many documents of the partner, `owner`, wait.
 */
export async function readPdf(owner: string, bytes: Buffer, name: string): Promise<Extracted> {
  if (bytes.length > DOCUMENT_BYTES_MAX) {
    throw problem('body_too_large', `A document has at most 10 MB; ${name} is larger.`)
  }
  if (bytes.length === 0) throw invalid({ name, reason: 'is empty' })
  if (!bytes.subarray(0, MAGIC_WITHIN).includes(MAGIC)) {
    throw invalid({ name, reason: 'is not a PDF' })
  }
  const read = await readOnce(owner, bytes)
  if ('fault' in read) throw invalid({ name, reason: REASONS[read.fault] })
  return read.told
}

const underWay = new Map<string, Promise<Read>>()

/** Loans on parts of an invoice may bring it all at once: it is read for them together. */
async function readOnce(owner: string, bytes: Buffer): Promise<Read> {
  const name = sha256(bytes)
  const known = underWay.get(name)
  if (known) return known
  const reading = turns.run(owner, () => readInThread(owner, bytes), bytes.length)
  underWay.set(name, reading)
  try {
    return await reading
  } finally {
    underWay.delete(name)
  }
}

/** A thread, and how many documents it has read. */
interface Reader {
  readonly thread: Worker
  reads: number
  expiry?: NodeJS.Timeout
}

/** A thread that has nothing to read for so long gives its memory back. */
const IDLE_MS = 60_000
const IDLE_MAX = 2
const READS_MAX = 100
/**
 * Threads whose last document was read without fault, by its partner: one reads for that partner
 * alone. To begin one takes longer than most documents do.
 */
const idle = new Map<string, Reader>()

function readInThread(owner: string, bytes: Buffer): Promise<Read> {
  const reader = takeIdle(owner) ?? startReader(owner)
  const { thread } = reader
  return new Promise(resolve => {
    let ended = false
    const end = (read: Read) => {
      if (ended) return
      ended = true
      clearInterval(watch)
      thread.off('message', end).off('error', fail).off('exit', exit)
      reader.reads++
      if ('told' in read && reader.reads < READS_MAX) keepIdle(owner, reader)
      else void thread.terminate()
      resolve(read)
    }
    const fail = (error: unknown) => {
      const full = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      end({ fault: full ? 'too_much' : 'broken' })
    }
    const exit = () => end({ fault: 'broken' })
    const takesTooLong = readingTime(thread)
    const watch = setInterval(async () => {
      if (await takesTooLong()) end({ fault: 'too_much' })
    }, LOOK_MS)
    thread.on('message', end).on('error', fail).on('exit', exit)
    thread.ref()
    // A copy of its own: a piece of a shared buffer would take the rest of it along.
    const copy = Uint8Array.from(bytes)
    thread.postMessage(copy, [copy.buffer])
  })
}

/** Tells whether a thread has taken too much time since this call. */
function readingTime(thread: Worker): () => Promise<boolean> {
  let looks = 0
  // One that has not started has used nothing.
  const before = thread.cpuUsage().catch(() => undefined)
  return async () => {
    if (++looks > LOOKS_MAX) return true
    const used = await thread.cpuUsage(await before).catch(() => null)
    return used !== null && (used.user + used.system) / 1000 > READ_CPU_MS_MAX
  }
}

function startReader(owner: string): Reader {
  const thread = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 },
    stdout: true,
    stderr: true,
  })
  const reader = { thread, reads: 0 }
  // One that ends while it is idle is not there for the next document; why, nobody wants to know.
  thread.on('error', () => {})
  thread.on('exit', () => {
    if (idle.get(owner) === reader) takeIdle(owner)
  })
  return reader
}

function takeIdle(owner: string): Reader | null {
  const reader = idle.get(owner)
  if (!reader) return null
  idle.delete(owner)
  clearTimeout(reader.expiry)
  return reader
}

/** The one that was idle longest makes room. */
function keepIdle(owner: string, reader: Reader): void {
  const [eldest] = idle.keys()
  if (idle.size === IDLE_MAX) void takeIdle(eldest!)?.thread.terminate()
  reader.thread.unref()
  reader.expiry = setTimeout(() => void takeIdle(owner)?.thread.terminate(), IDLE_MS).unref()
  idle.set(owner, reader)
}
