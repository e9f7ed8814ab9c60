/** A local receiver that records its requests and answers as the test requires. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  readonly path: string
  readonly headers: IncomingHttpHeaders & Record<string, string>
  readonly body: string
  readonly json: { type: string; timestamp: string; data: Record<string, unknown> }
}

export type Answering = (response: ServerResponse, arrival: Arrival) => void

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly arrivals: Arrival[]
  /** The answer from now on; 204 by default. */
  answer: Answering
  close(): Promise<void>
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  response =>
    response.writeHead(code, headers).end('told by the receiver')

export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const headers = request.headers as Arrival['headers']
    const arrival = { path: request.url ?? '', headers, body, json: JSON.parse(body || 'null') }
    arrivals.push(arrival)
    receiver.answer(response, arrival)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  const name = host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}/hook`
  const answer = status(204)
  const receiver: Receiver = { url, port, arrivals, answer, close, [Symbol.asyncDispose]: close }
  return receiver
}
