/** Reads an invoice sent as a PDF, in a process with bounded memory and time. */
import { sha256InTurns } from '../../../platform/kit/crypto.ts'
import { FairTurns } from '../../../platform/kit/fair-turns.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import type { Extracted } from './extract.ts'
import type { Read } from './pdf-process.ts'
import { Reader } from './reader.ts'

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
/** A request is answered within this time: a document that waits longer is read for nothing. */
const PATIENCE_MS = 30_000
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
  patience_ms: PATIENCE_MS,
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
 * 10 MB; and `not_ready` when too many documents of the partner, `owner`, wait, or this one waits
 * for too long.
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

/**
 * Loans on parts of an invoice may all bring it at once. It is read once for one partner, but never
 * for two of them together.
 */
async function readOnce(owner: string, bytes: Buffer): Promise<Read> {
  const name = `${owner} ${await sha256InTurns(bytes)}`
  const known = underWay.get(name)
  if (known) return known
  const reading = turns.run(owner, () => readApart(owner, bytes), bytes.length)
  underWay.set(name, reading)
  try {
    return await reading
  } finally {
    underWay.delete(name)
  }
}

/** A process that is idle for this long is ended. */
const IDLE_MS = 60_000
const IDLE_MAX = 2

/**
 * Processes that wait for their partner's next document: starting one takes longer than reading
 * most documents. A process never serves two partners, in case a document has changed it.
 */
const idle = new Map<string, { readonly reader: Reader; readonly expiry: NodeJS.Timeout }>()

async function readApart(owner: string, bytes: Buffer): Promise<Read> {
  const reader = takeIdle(owner) ?? startReader(owner)
  try {
    return await reader.read(bytes)
  } finally {
    if (reader.may_stay) keepIdle(owner, reader)
    else reader.end()
  }
}

function startReader(owner: string): Reader {
  // A process that exits while idle is not used again.
  const reader: Reader = new Reader(() => {
    if (idle.get(owner)?.reader === reader) takeIdle(owner)
  })
  return reader
}

function takeIdle(owner: string): Reader | null {
  const kept = idle.get(owner)
  if (!kept) return null
  idle.delete(owner)
  clearTimeout(kept.expiry)
  return kept.reader
}

/** Ends the process that was idle longest when there are too many. */
function keepIdle(owner: string, reader: Reader): void {
  const [eldest] = idle.keys()
  if (idle.size === IDLE_MAX) takeIdle(eldest!)?.end()
  reader.rest()
  const expiry = setTimeout(() => takeIdle(owner)?.end(), IDLE_MS).unref()
  idle.set(owner, { reader, expiry })
}
