/** Reads an invoice sent as a PDF, in a process with bounded memory and time. */
import { sha256InTurns } from '../../../platform/kit/crypto.ts'
import { FairTurns } from '../../../platform/kit/fair-turns.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import type { Extracted } from './extract.ts'
import type { PdfResult } from './pdf-process.ts'
import { Reader } from './reader.ts'

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
/** Requests must be answered within this time, so waiting any longer is pointless. */
const PATIENCE_MS = 30_000
/**
 * At most two documents are read at a time, and one per partner, which bounds the total memory.
 * Waiting requests hold their documents in memory.
 */
const turns = new FairTurns({
  at_once: 2,
  each_at_once: 1,
  each_waiting: 100,
  each_size: 64 * 1024 * 1024,
  all_size: 256 * 1024 * 1024,
  patience_ms: PATIENCE_MS,
})
/** Every PDF begins with this, though some programs write other bytes before it. */
const MAGIC = '%PDF-'
const MAGIC_WITHIN = 1024

const REASONS = {
  encrypted: 'is encrypted: send it without a password',
  broken: 'cannot be read as a PDF',
  too_much: 'takes too much memory or time to read',
}

/**
 * Returns the invoice data found in a PDF; a scan has none. Throws `request_invalid` under `name`
 * if the file is empty, not a PDF, encrypted, broken, or expands too much; `body_too_large` above
 * 10 MB; `not_ready` if too many documents of the partner (`owner`) are waiting or this one has
 * waited too long.
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

const underWay = new Map<string, Promise<PdfResult>>()

/**
 * Requests for several loans on one invoice may upload the same file at the same time. It is read
 * once per partner; the result is never shared between partners.
 */
async function readOnce(owner: string, bytes: Buffer): Promise<PdfResult> {
  const name = `${owner} ${await sha256InTurns(bytes)}`
  const known = underWay.get(name)
  if (known) return known
  const reading = turns.run(owner, () => readApart(owner, bytes), { size: bytes.length })
  underWay.set(name, reading)
  try {
    return await reading
  } finally {
    underWay.delete(name)
  }
}

/** Idle processes are ended after this time. */
const IDLE_MS = 60_000
const IDLE_MAX = 2

/**
 * Idle processes kept for their partner's next document, because starting one takes longer than
 * reading most documents. A process never serves two partners, in case a document has compromised
 * it.
 */
const idle = new Map<string, { readonly reader: Reader; readonly expiry: NodeJS.Timeout }>()

async function readApart(owner: string, bytes: Buffer): Promise<PdfResult> {
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

/** If there are too many, ends the process that has been idle the longest. */
function keepIdle(owner: string, reader: Reader): void {
  const [eldest] = idle.keys()
  if (idle.size === IDLE_MAX) takeIdle(eldest!)?.end()
  reader.rest()
  const expiry = setTimeout(() => takeIdle(owner)?.end(), IDLE_MS).unref()
  idle.set(owner, { reader, expiry })
}
