/** A raw TCP connection, to send what no HTTP client would. */
import { connect, type Socket } from 'node:net'

export interface RawClient {
  readonly socket: Socket
  text: string
  is_closed: boolean
}

export function connectRaw(port: number, hostname: string): RawClient {
  const socket = connect(port, hostname).on('error', () => {})
  const client: RawClient = { socket, text: '', is_closed: false }
  socket.setEncoding('latin1').on('data', piece => {
    client.text += piece
  })
  socket.on('close', () => {
    client.is_closed = true
  })
  return client
}
