/** Renders documents in a separate thread: a page takes longer than an answer may wait. */
import { Worker } from 'node:worker_threads'
import { isConnectionHeld } from '../../platform/db/connect.ts'
import { assert } from '../../platform/kit/assert.ts'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { requester } from '../../platform/kit/requester.ts'
import type { PaperDocument } from './blocks.ts'

interface Waiting {
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (error: Error) => void
}

interface Drawn {
  id: number
  bytes?: Uint8Array
  failure?: string
}

/** An idle thread ends after this time to release its memory; starting one takes a second. */
const IDLE_MS = 60_000

const waiting = new Map<number, Waiting>()
let thread: Worker | null = null
let idle: NodeJS.Timeout | undefined
let last = 0

/** A single thread renders, one document at a time, in rotation between partners. */
const turns = new FairTurns({ at_once: 1, each_waiting: 100 })
const LENDER = 'lender'

/**
 * Returns the document as PDF bytes. Partners take turns; `owner` is a partner's id, or null for
 * the lender. Refuses to run inside a transaction, which would hold its connection meanwhile.
 * Throws `not_ready` when too many documents of the owner are waiting, and an Error if rendering
 * fails.
 */
export async function drawPdf(owner: string | null, paper: PaperDocument): Promise<Buffer> {
  assert(!isConnectionHeld(), 'documents are drawn outside of transactions')
  return turns.run(owner ?? LENDER, () => draw(paper), { signal: requester()?.signal })
}

function draw(paper: PaperDocument): Promise<Buffer> {
  clearTimeout(idle)
  const drawing = thread ?? startThread()
  const id = ++last
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    // The process may exit while the thread is idle, but not while it renders.
    drawing.ref()
    drawing.postMessage({ id, paper })
  })
}

function startThread(): Worker {
  const started = new Worker(new URL('./pdf-thread.ts', import.meta.url))
  started.on('message', ({ id, bytes, failure }: Drawn) => {
    const { resolve, reject } = waiting.get(id)!
    waiting.delete(id)
    if (waiting.size === 0) {
      started.unref()
      idle = setTimeout(endThread, IDLE_MS).unref()
    }
    if (bytes) resolve(Buffer.from(bytes))
    else reject(new Error(`a document cannot be drawn: ${failure}`))
  })
  // The next document gets a new thread; documents in progress fail.
  started.on('error', error => {
    thread = null
    for (const { reject } of waiting.values()) reject(error as Error)
    waiting.clear()
  })
  thread = started
  return started
}

function endThread(): void {
  thread?.terminate()
  thread = null
}
