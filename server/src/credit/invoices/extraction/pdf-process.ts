/**
 * The process that reads PDFs one at a time: receives bytes and returns the invoice data found in
 * them. The text is also searched here, because it is as untrusted as the file.
 */
import { flushCompileCache } from 'node:module'
import { type Extracted, extractInvoice } from './extract.ts'
import type { Cell } from './layout.ts'
import { guardMemory } from './memory-guard.ts'

const PAGES_MAX = 20
const CELLS_MAX = 10_000
const CELL_LENGTH_MAX = 500

export type PdfAnswer = { extracted: Extracted } | { fault: 'encrypted' | 'broken' | 'too_much' }

const guard = guardMemory()
// Imported after the guard, so that the library uses the guarded constructors.
const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf')
// The library loads most of its code on first use, which must not count as work on a document.
await getResolvedPDFJS()

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<PdfAnswer> {
  guard.begin()
  try {
    const cells: Cell[] = []
    const options = { verbosity: 0, isEvalSupported: false, useSystemFonts: false }
    const pdf = await getDocumentProxy(bytes, options)
    for (let page = 1; page <= Math.min(pdf.numPages, PAGES_MAX); page++) {
      const { items } = await (await pdf.getPage(page)).getTextContent()
      for (const item of items) {
        if (!('str' in item) || item.str.trim() === '' || cells.length === CELLS_MAX) continue
        const [, , , , x, y] = item.transform as number[]
        const text = item.str.slice(0, CELL_LENGTH_MAX)
        cells.push({ page, x: x ?? 0, y: y ?? 0, width: item.width, text })
      }
    }
    await pdf.loadingTask.destroy()
    return guard.hasRefused() ? { fault: 'too_much' } : { extracted: extractInvoice(cells) }
  } catch (error) {
    if (guard.hasRefused()) return { fault: 'too_much' }
    const encrypted = (error as Error).name === 'PasswordException'
    return { fault: encrypted ? 'encrypted' : 'broken' }
  }
}

/** The answer for one document; `held` is the resident memory of the process in bytes. */
export interface Answer {
  readonly read: PdfAnswer
  readonly held: number
}

/** Sent once, when the process is ready for documents. */
export const READY = 'ready'

process.on('message', async (bytes: Uint8Array) => {
  // A copy, because the library does not accept Node's buffers.
  const answer: Answer = {
    read: await read(new Uint8Array(bytes)),
    held: process.memoryUsage.rss(),
  }
  process.send?.(answer)
})
// On these signals the service still finishes its requests, so this process ignores them and ends
// with the service.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
// Saves the compiled code for the next process now, because this process may be killed later.
flushCompileCache()
process.send?.(READY)
