/** Renders documents in a separate thread, because even one page would block the event loop. */
import { isConnectionHeld } from '../../platform/db/connect.ts'
import { assert } from '../../platform/kit/assert.ts'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { requester } from '../../platform/kit/requester.ts'
import { createThread } from '../../platform/kit/thread.ts'
import type { PaperDocument } from './blocks.ts'

/** A single thread renders, one document at a time, in rotation between partners. */
const render = createThread<PaperDocument, Uint8Array>(new URL('./pdf-thread.ts', import.meta.url))
const turns = new FairTurns({ at_once: 1, each_waiting: 100 })

/**
 * Returns the document as PDF bytes. Partners take turns; `owner` is a partner's id, or `LENDER_ID`
 * for the lender. Refuses to run inside a transaction, which would hold its connection meanwhile.
 * Throws `not_ready` if too many documents of the owner are waiting, and an Error if rendering
 * fails.
 */
export async function drawPdf(owner: string, paper: PaperDocument): Promise<Buffer> {
  assert(!isConnectionHeld(), 'documents are drawn outside of transactions')
  const signal = requester()?.signal
  return Buffer.from(await turns.run(owner, () => render(paper), { signal }))
}
