/**
 * Requests sent from a thread of their own, so that how long the server's thread is busy can be
 * measured while they are served: what it costs to send them is not part of that.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

export interface Sent {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

export interface Got {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly json: any
}

const SENDER = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', async sent => {
    const got = await Promise.all(sent.map(async ({ url, ...init }) => {
      const body = typeof init.body === 'string' ? init.body : Buffer.from(init.body)
      const response = await fetch(url, { ...init, body })
      const text = await response.text()
      return { status: response.status, headers: Object.fromEntries(response.headers), text }
    })).catch(error => String(error.cause ?? error))
    parentPort.postMessage(got)
  })`

export interface Sender {
  /** Sends all at once; answers theirs, and the longest stretch of work here in milliseconds. */
  send(...sent: Sent[]): Promise<{ answers: Got[]; held_up_ms: number }>
  stop(): Promise<void>
}

export function startSender(): Sender {
  const worker = new Worker(SENDER, { eval: true })
  const ask = (sent: Sent[]) =>
    new Promise<Got[]>((resolve, reject) => {
      worker.once('message', got =>
        typeof got === 'string' ? reject(new Error(got)) : resolve(got),
      )
      worker.postMessage(sent)
    })
  return {
    send: async (...sent) => {
      // What was made for the test is cleared away before anything is measured.
      globalThis.gc?.()
      const delay = monitorEventLoopDelay({ resolution: 2 })
      const asked = ask(sent)
      delay.enable()
      const got = await asked
      delay.disable()
      const answers = got.map(one => ({ ...one, json: jsonOf(one.text) }))
      return { answers, held_up_ms: delay.max / 1e6 }
    },
    stop: async () => {
      await worker.terminate()
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
