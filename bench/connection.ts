/**
 * A minimal keep-alive HTTP connection, because the load generator takes its CPU from the service
 * on the same machine. It accepts what the service sends, 204 and responses with a Content-Length,
 * and rejects anything else.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const END_OF_HEAD = '\r\n\r\n'

export class Connection {
  readonly #socket: Socket
  readonly #key: string
  #read: Buffer = Buffer.alloc(0)
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null

  private constructor(socket: Socket, key: string) {
    this.#socket = socket
    this.#key = key
    socket.setNoDelay(true)
    socket.on('data', piece => this.#take(piece))
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the service closed a connection')))
  }

  static async open(port: number, key: string): Promise<Connection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Connection(socket, key)
  }

  /** Sends a request and returns its response. Throws while another request is waiting. */
  send({ method, path, headers = {}, body }: Request): Promise<Answer> {
    if (this.#waiting) throw new Error('this connection is busy')
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      `authorization: Bearer ${this.#key}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    if (body !== undefined) {
      lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
    }
    this.#socket.write(`${lines.join('\r\n')}${END_OF_HEAD}${body ?? ''}`)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(piece: Buffer): void {
    this.#read = this.#read.length === 0 ? piece : Buffer.concat([this.#read, piece])
    const end = this.#read.indexOf(END_OF_HEAD)
    if (end < 0) return
    const head = this.#read.toString('latin1', 0, end)
    const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]
    const length = status === '204' ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (!status || !length) {
      this.#fail(new Error(`an answer without a length: ${head}`))
      return
    }
    const from = end + END_OF_HEAD.length
    const to = from + Number(length)
    if (this.#read.length < to) return
    const body = this.#read.toString('utf8', from, to)
    this.#read = this.#read.subarray(to)
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.resolve({ status: Number(status), body })
  }

  #fail(error: Error): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.reject(error)
  }
}
