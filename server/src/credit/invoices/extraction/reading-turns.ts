/**
 * Gives partners turns at reading documents, so that one partner's slow document does not delay the
 * ordinary documents of the others.
 */
import { FairTurns } from '../../../platform/kit/fair-turns.ts'
import { type Effort, type PdfResult, Reader } from './reader.ts'

/** A request gets a 504 after this time, so waiting any longer is pointless. */
const PATIENCE_MS = 30_000
/** Shorter, to leave time for the attempts themselves. */
const LONG_PATIENCE_MS = 20_000

/** One document of a partner at a time. Sizes are limited, because waiting documents use memory. */
const own = new FairTurns({
  at_once: Infinity,
  each_at_once: 1,
  each_waiting: 100,
  each_size: 64 * 1024 * 1024,
  all_size: 256 * 1024 * 1024,
  patience_ms: PATIENCE_MS,
})
/** At most three documents are read at a time, which bounds the total memory. */
const short = new FairTurns({ at_once: 2, patience_ms: PATIENCE_MS })
const long = new FairTurns({ at_once: 1, patience_ms: LONG_PATIENCE_MS })

/** Much longer than an ordinary invoice takes. */
const SHORT: Effort = { cpu_ms: 500, looks: 3 }
const LONG: Effort = { cpu_ms: 8_000, looks: Infinity }

/**
 * Reads a document in its partner's turn. A document that a short attempt does not finish is read
 * again from the start, one such document at a time across all partners, so that no short attempt
 * waits for it. Throws `not_ready` if too much is waiting or the wait is too long, and the reason
 * of `over` when it aborts.
 */
export function readInTurn(owner: string, bytes: Buffer, over: AbortSignal): Promise<PdfResult> {
  const waiting = { signal: over }
  const attempt = (effort: Effort) => () => readInProcess(owner, bytes, effort, over)
  const read = async () => {
    const first = await short.run(owner, attempt(SHORT), waiting)
    const is_unfinished = 'fault' in first && first.fault === 'too_long'
    return is_unfinished ? long.run(owner, attempt(LONG), waiting) : first
  }
  return own.run(owner, read, { ...waiting, size: bytes.length })
}

const IDLE_MS = 60_000
const IDLE_MAX = 2

/**
 * Idle processes kept for their partner's next document, because starting one takes longer than
 * reading most documents. A process never serves two partners, in case a document has compromised
 * it.
 */
const idle = new Map<string, { readonly reader: Reader; readonly expiry: NodeJS.Timeout }>()

async function readInProcess(
  owner: string,
  bytes: Buffer,
  effort: Effort,
  over: AbortSignal,
): Promise<PdfResult> {
  const reader = takeIdleReader(owner) ?? startReader(owner)
  try {
    return await reader.read(bytes, effort, over)
  } finally {
    if (reader.may_stay) keepIdleReader(owner, reader)
    else reader.end()
  }
}

function startReader(owner: string): Reader {
  // A process that exits while idle is not used again.
  const reader: Reader = new Reader(() => {
    if (idle.get(owner)?.reader === reader) takeIdleReader(owner)
  })
  return reader
}

function takeIdleReader(owner: string): Reader | null {
  const kept = idle.get(owner)
  if (!kept) return null
  idle.delete(owner)
  clearTimeout(kept.expiry)
  return kept.reader
}

/**
 * Keeps an idle process for its owner's next document. If too many are idle, ends the one that has
 * been idle the longest.
 */
function keepIdleReader(owner: string, reader: Reader): void {
  const [oldestOwner] = idle.keys()
  if (idle.size === IDLE_MAX) takeIdleReader(oldestOwner!)?.end()
  reader.rest()
  const expiry = setTimeout(() => takeIdleReader(owner)?.end(), IDLE_MS).unref()
  idle.set(owner, { reader, expiry })
}
