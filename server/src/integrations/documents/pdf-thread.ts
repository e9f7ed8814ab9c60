/** The rendering thread: receives documents one by one and returns their bytes. */
import { parentPort } from 'node:worker_threads'
import { workInBackground } from '../../platform/kit/background.ts'
import type { PaperDocument } from './blocks.ts'
import { renderPdf } from './pdf.ts'

workInBackground()

parentPort?.on('message', async ({ id, paper }: { id: number; paper: PaperDocument }) => {
  try {
    parentPort?.postMessage({ id, bytes: await renderPdf(paper) })
  } catch (error) {
    parentPort?.postMessage({ id, failure: String((error as Error).stack ?? error) })
  }
})
