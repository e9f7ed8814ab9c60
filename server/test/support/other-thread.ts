/**
 * Sends requests from a separate thread, so that measuring how long the server's thread is busy
 * does not include the cost of sending.
 */
import { Worker } from 'node:worker_threads'
import { longestTurnUntil } from './turns.ts'

export interface Sent {
  readonly url: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  /** Text to send verbatim on a new connection instead of a request. Only the status is read. */
  readonly raw?: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read response bodies of every kind
  readonly json: any
}

const SENDER = `
  const { parentPort } = require('node:worker_threads')
  const { connect } = require('node:net')
  const sendRaw = (url, raw) => new Promise(resolve => {
    const { port, hostname } = new URL(url)
    const socket = connect(port, hostname, () => socket.write(raw))
    const end = status => {
      socket.destroy()
      resolve({ status, headers: {}, text: '' })
    }
    socket.on('data', piece => end(Number(String(piece).slice(9, 12))))
    socket.on('error', () => {}).on('close', () => end(0))
  })
  parentPort.on('message', async sent => {
    const got = await Promise.all(sent.map(async ({ url, raw, ...init }) => {
      if (raw) return sendRaw(url, raw)
      const bytes = init.body instanceof Uint8Array
      const body = bytes ? Buffer.from(init.body) : init.body
      const response = await fetch(url, { ...init, body })
      const text = await response.text()
      return { status: response.status, headers: Object.fromEntries(response.headers), text }
    })).catch(error => String(error.cause ?? error))
    parentPort.postMessage(got)
  })`

export interface Sender {
  /** Sends all concurrently. `held_up_ms` is the longest CPU time that blocked this thread. */
  send(...sent: Sent[]): Promise<{ answers: HttpAnswer[]; held_up_ms: number }>
  stop(): Promise<void>
}

export function startSender(): Sender {
  const worker = new Worker(SENDER, { eval: true })
  const request = (sent: Sent[]) =>
    new Promise<HttpAnswer[]>((resolve, reject) => {
      worker.once('message', got =>
        typeof got === 'string' ? reject(new Error(got)) : resolve(got),
      )
      worker.postMessage(sent)
    })
  return {
    send: async (...sent) => {
      // Collect garbage from the test's setup before measuring.
      globalThis.gc?.()
      const requested = request(sent)
      const held_up_ms = longestTurnUntil(requested)
      const answers = (await requested).map(one => ({ ...one, json: jsonOf(one.text) }))
      return { answers, held_up_ms: await held_up_ms }
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
