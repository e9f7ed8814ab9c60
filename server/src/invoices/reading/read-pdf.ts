/** Reads the text of a PDF that somebody sent, in a thread with bounded memory and time. */
import { Worker } from 'node:worker_threads'
import { sha256 } from '../../kit/crypto.ts'
import { FairTurns } from '../../kit/fair-turns.ts'
import { invalid, problem } from '../../kit/problem.ts'
import type { Cell } from './layout.ts'
import type { Read } from './pdf-thread.ts'

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
const READ_MS_MAX = 8_000
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
 * The pieces of text of a PDF, none for a scan. Throws `request_invalid` under `name` when it is
 * empty, no PDF, encrypted, broken, or unpacks into too much; `body_too_large` beyond 10 MB; and
 * `not_ready` when too many documents of the partner, `owner`, wait.
 */
export async function readPdf(owner: string, bytes: Buffer, name: string): Promise<Cell[]> {
  if (bytes.length > DOCUMENT_BYTES_MAX) {
    throw problem('body_too_large', `A document has at most 10 MB; ${name} is larger.`)
  }
  if (bytes.length === 0) throw invalid({ name, reason: 'is empty' })
  if (!bytes.subarray(0, MAGIC_WITHIN).includes(MAGIC)) {
    throw invalid({ name, reason: 'is not a PDF' })
  }
  const read = await readOnce(owner, bytes)
  if ('fault' in read) throw invalid({ name, reason: REASONS[read.fault] })
  return read.cells
}

const underWay = new Map<string, Promise<Read>>()

/** Loans on parts of an invoice may bring it all at once: it is read for them together. */
async function readOnce(owner: string, bytes: Buffer): Promise<Read> {
  const name = sha256(bytes)
  const known = underWay.get(name)
  if (known) return known
  const reading = turns.run(owner, () => readInThread(bytes), bytes.length)
  underWay.set(name, reading)
  try {
    return await reading
  } finally {
    underWay.delete(name)
  }
}

function readInThread(bytes: Buffer): Promise<Read> {
  return new Promise(resolve => {
    const thread = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
      // A copy of its own: a piece of a shared buffer would take the rest of it along.
      workerData: Uint8Array.from(bytes),
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 },
      stdout: true,
      stderr: true,
    })
    const end = (read: Read) => {
      clearTimeout(deadline)
      resolve(read)
      void thread.terminate()
    }
    const deadline = setTimeout(() => end({ fault: 'too_much' }), READ_MS_MAX)
    thread.once('message', (read: Read) => end(read))
    thread.once('error', error => {
      const full = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      end({ fault: full ? 'too_much' : 'broken' })
    })
    thread.once('exit', () => end({ fault: 'broken' }))
  })
}
