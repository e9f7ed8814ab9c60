/** The thread that reads one PDF: takes its bytes, answers its pieces of text with their places. */
import { parentPort, workerData } from 'node:worker_threads'
import { workInBackground } from '../../kit/background.ts'
import type { Cell } from './layout.ts'
import { guardMemory } from './memory-guard.ts'

const PAGES_MAX = 20
const CELLS_MAX = 10_000
const CELL_LENGTH_MAX = 500

export type Read = { cells: Cell[] } | { fault: 'encrypted' | 'broken' | 'too_much' }

async function read(bytes: Uint8Array): Promise<Read> {
  let refused = false
  guardMemory(() => {
    refused = true
  })
  // After the guard, which replaces what it takes its buffers from.
  const { getDocumentProxy } = await import('unpdf')
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
    return refused ? { fault: 'too_much' } : { cells }
  } catch (error) {
    if (refused) return { fault: 'too_much' }
    const encrypted = (error as Error).name === 'PasswordException'
    return { fault: encrypted ? 'encrypted' : 'broken' }
  }
}

workInBackground()
parentPort?.postMessage(await read(workerData as Uint8Array))
