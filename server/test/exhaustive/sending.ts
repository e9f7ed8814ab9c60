/** Sends requests over persistent connections, for tests that send thousands. */
import { Agent, request } from 'node:http'

/** `fetch` costs more than most of the requests themselves. */
const agent = new Agent({ keepAlive: true })

export interface Sending {
  readonly method: string
  readonly key: string
  readonly body?: string | undefined
}

/** Sends JSON or nothing; returns the raw response without following redirects. */
export function send(
  address: string,
  { method, key, body }: Sending,
): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(address, { agent, method, headers }, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text: Buffer.concat(parts).toString('utf8') }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
