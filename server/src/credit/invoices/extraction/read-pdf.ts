/** Reads an invoice sent as a PDF, in a process with bounded memory and time. */
import { sha256InTurns } from '../../../platform/kit/crypto.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import { requester } from '../../../platform/kit/requester.ts'
import type { Extracted } from './extract.ts'
import type { PdfResult } from './reader.ts'
import { readInTurn } from './reading-turns.ts'

const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
/** A PDF begins with this, possibly after other bytes. */
const MAGIC = '%PDF-'
const MAGIC_WITHIN = 1024

const REASONS = {
  encrypted: 'is encrypted: send it without a password',
  broken: 'cannot be read as a PDF',
  too_much: 'takes too much memory or time to read',
  too_long: 'takes too much memory or time to read',
}

/**
 * Returns the invoice data found in a PDF; a scan has none. Throws `request_invalid` under `name`
 * if the file is empty, not a PDF, encrypted, broken or too costly to read; `body_too_large` above
 * 10 MB; `not_ready` if too much is waiting or this document has waited too long. `owner` is the
 * partner. Throws the abort reason once the requester has left.
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
  return read.extracted
}

interface Reading {
  readonly result: Promise<PdfResult>
  readonly over: AbortController
  requesters: number
}

const underWay = new Map<string, Reading>()

/**
 * Concurrent requests for loans on one invoice may upload the same file. A partner's file is read
 * once for all of them, until the last requester has left. Partners never share a reading.
 */
async function readOnce(owner: string, bytes: Buffer): Promise<PdfResult> {
  const signal = requester()?.left
  const name = `${owner} ${await sha256InTurns(bytes)}`
  signal?.throwIfAborted()
  const reading = underWay.get(name) ?? start(name, owner, bytes)
  reading.requesters++
  const left = Promise.withResolvers<never>()
  const leave = () => {
    reading.requesters--
    if (reading.requesters === 0) end(name, reading, signal!.reason)
    left.reject(signal!.reason)
  }
  signal?.addEventListener('abort', leave)
  try {
    return await Promise.race([reading.result, left.promise])
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

function start(name: string, owner: string, bytes: Buffer): Reading {
  const over = new AbortController()
  const result = readInTurn(owner, bytes, over.signal)
  const reading: Reading = { result, over, requesters: 0 }
  underWay.set(name, reading)
  const forget = () => {
    if (underWay.get(name) === reading) underWay.delete(name)
  }
  result.then(forget, forget)
  return reading
}

/** Aborts a reading. The next request for the same document starts a new one. */
function end(name: string, reading: Reading, reason: unknown): void {
  underWay.delete(name)
  reading.over.abort(reason)
}
