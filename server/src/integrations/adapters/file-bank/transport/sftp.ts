/** Exchanges files with an SFTP server whose host key is known. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { stat as statLocal } from 'node:fs/promises'
import { connect as openSocket, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import SftpClient from 'ssh2-sftp-client'
import {
  archiveNameOf,
  claimedNameOf,
  createSettling,
  nameBeforeClaim,
  temporaryNameOf,
} from './names.ts'
import {
  type FileExchange,
  type FileTransport,
  otherBytes,
  UndeliverableError,
} from './transport.ts'

export interface SftpSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  /** As OpenSSH prints it: SHA256: and 43 characters. */
  readonly host_key: string
  readonly login:
    | { readonly password: string }
    | { readonly private_key: string; readonly passphrase: string | undefined }
  readonly outgoing: string
  readonly incoming: string
  readonly archive: string
}

/** How long one step may take. */
export interface SftpLimits {
  readonly step_ms: number
  /** Of a file's bytes, in either direction. */
  readonly transfer_ms: number
}

const LIMITS: SftpLimits = { step_ms: 30_000, transfer_ms: 600_000 }
const KEEPALIVE_MS = 10_000

export function sftpExchange(settings: SftpSettings, limits: SftpLimits = LIMITS): FileExchange {
  const settle = createSettling()
  return {
    during: async work => {
      const connection = await connect(settings, limits)
      try {
        return await work(transportOf(connection, settings, settle))
      } finally {
        connection.socket.destroy()
      }
    },
  }
}

interface Connection {
  readonly client: SftpClient
  readonly socket: Socket
  /** Waits for a step, or closes the connection and throws once it has taken too long. */
  step<T>(what: string, work: Promise<T>): Promise<T>
  transfer<T>(what: string, work: Promise<T>): Promise<T>
}

async function connect(settings: SftpSettings, limits: SftpLimits): Promise<Connection> {
  const { host, port, user, host_key, login } = settings
  const socket = openSocket({ host, port, noDelay: true })
  const timed = <T>(ms: number, what: string, work: Promise<T>) => within(socket, ms, what, work)
  const silent = { error: () => {}, end: () => {}, close: () => {} }
  const client = new SftpClient('bank', silent)
  try {
    await timed(limits.step_ms, `reaching ${host}`, once(socket, 'connect'))
    const options = {
      sock: socket,
      username: user,
      readyTimeout: limits.step_ms,
      keepaliveInterval: KEEPALIVE_MS,
      hostVerifier: (key: Buffer) => fingerprintOf(key) === host_key,
      ...loginOptions(login),
    }
    await timed(limits.step_ms, `signing in to ${host}`, client.connect(options))
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    client,
    socket,
    step: (what, work) => timed(limits.step_ms, what, work),
    transfer: (what, work) => timed(limits.transfer_ms, what, work),
  }
}

function loginOptions(login: SftpSettings['login']) {
  return 'password' in login
    ? { password: login.password }
    : { privateKey: login.private_key, passphrase: login.passphrase }
}

export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/** A connection that hangs or is lost answers nothing, so its steps end by being given up. */
async function within<T>(socket: Socket, ms: number, what: string, work: Promise<T>): Promise<T> {
  // Nothing else waits for a step that was given up.
  work.catch(() => {})
  if (socket.destroyed) throw new Error(`there was no connection for ${what}`)
  const late = AbortSignal.timeout(ms)
  const { promise: given, reject } = Promise.withResolvers<never>()
  const giveUp = () => {
    reject(new Error(`${what} took more than ${ms} ms`))
    socket.destroy()
  }
  const lose = () => reject(new Error(`the connection was lost while ${what}`))
  late.addEventListener('abort', giveUp)
  socket.once('close', lose)
  try {
    return await Promise.race([work, given])
  } finally {
    late.removeEventListener('abort', giveUp)
    socket.off('close', lose)
  }
}

type Settle = ReturnType<typeof createSettling>

function transportOf(
  connection: Connection,
  { outgoing, incoming, archive }: SftpSettings,
  settle: Settle,
): FileTransport {
  const { client, step, transfer } = connection
  return {
    deliver: (name, bytes) => deliver(connection, outgoing, name, bytes),
    list: async () => {
      const listed = await step(`listing ${incoming}`, client.list(incoming))
      const files = listed.filter(({ type }) => type === '-')
      for (const file of files) {
        const name = nameBeforeClaim(file.name)
        if (name !== null) {
          await release(connection, `${incoming}/${file.name}`, `${incoming}/${name}`)
        }
      }
      return settle(
        files.map(({ name, size, modifyTime }) => ({ name, size, modified_ms: modifyTime })),
      )
    },
    fetch: async (name, path) => {
      const remote = `${incoming}/${name}`
      const { size } = await step(`looking at ${name}`, client.stat(remote))
      await transfer(`fetching ${name}`, client.get(remote, path))
      const local = await statLocal(path)
      if (local.size !== size) throw new Error(`${name} has ${size} bytes, but ${local.size} came`)
    },
    archive: async (name, sha256) => {
      const path = `${incoming}/${name}`
      const archived = `${archive}/${archiveNameOf(name, sha256)}`
      // An earlier call whose answer was lost.
      const isMoved = (await sizeOf(connection, path)) === null
      if (isMoved && (await sizeOf(connection, archived)) !== null) return
      const claimed = `${incoming}/${claimedNameOf(name, sha256)}`
      await step(`claiming ${name}`, client.rename(path, claimed))
      if ((await hashOf(connection, claimed)) === sha256) {
        await archiveFile(connection, claimed, archived)
      } else {
        await release(connection, claimed, `${incoming}/${name}`)
      }
    },
  }
}

/** Renames a claimed file back, unless another has its name: it waits until that is archived. */
async function release(connection: Connection, claimed: string, path: string): Promise<void> {
  if ((await sizeOf(connection, path)) !== null) return
  await connection.step(`releasing ${path}`, connection.client.rename(claimed, path))
}

async function hashOf({ client, transfer }: Connection, path: string): Promise<string> {
  const hash = createHash('sha256')
  const taking = new Writable({
    write: (bytes, _, done) => {
      hash.update(bytes)
      done()
    },
  })
  await transfer(`comparing ${path}`, client.get(path, taking))
  return hash.digest('hex')
}

/**
 * Moves a file away. Not every server replaces a file by renaming. One that is there has the same
 * bytes.
 */
async function archiveFile(connection: Connection, path: string, archived: string): Promise<void> {
  const { client, step } = connection
  const move = () => step(`archiving ${path}`, client.rename(path, archived))
  try {
    await move()
  } catch (error) {
    const isMoved = (await sizeOf(connection, path)) === null
    const isThere = (await sizeOf(connection, archived)) !== null
    if (isMoved && isThere) return
    if (!isThere) throw error
    await step(`archiving ${path}`, client.delete(archived))
    await move()
  }
}

async function deliver(
  connection: Connection,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<'delivered' | 'unknown'> {
  const { client, transfer } = connection
  const [path, temporary] = [`${folder}/${name}`, `${folder}/${temporaryNameOf(name)}`]
  const there = await sizeOf(connection, path)
  if (there !== null) {
    const same = there === bytes.length && (await hasBytes(connection, path, bytes))
    if (!same) throw otherBytes(name)
    return 'delivered'
  }
  // Replaces what an upload that was cut off has left.
  await transfer(`uploading ${name}`, client.put(Buffer.from(bytes), temporary))
  const uploaded = await sizeOf(connection, temporary)
  // The bank's side may have taken it at once.
  if (uploaded === null) return 'unknown'
  if (uploaded !== bytes.length) {
    throw new UndeliverableError(`${uploaded} of ${bytes.length} bytes of ${name} arrived`)
  }
  const refusal = await rename(connection, temporary, path)
  return refusal ? afterRefusal(connection, path, temporary, refusal) : 'delivered'
}

/** Returns the error, if any. `posix-rename` is one step on the server, but not always offered. */
async function rename({ client, step }: Connection, from: string, to: string) {
  const attempt = (work: Promise<unknown>) =>
    step(`renaming ${from}`, work).then(
      () => null,
      (error: Error) => error,
    )
  return (await attempt(client.posixRename(from, to))) && attempt(client.rename(from, to))
}

/** Looks what became of a file whose renaming failed or was not answered. */
async function afterRefusal(
  connection: Connection,
  path: string,
  temporary: string,
  refusal: Error,
): Promise<'delivered' | 'unknown'> {
  try {
    if ((await sizeOf(connection, temporary)) === null) return 'unknown'
    if ((await sizeOf(connection, path)) !== null) return 'unknown'
  } catch {
    return 'unknown'
  }
  throw new UndeliverableError(`The server does not let a file be renamed: ${refusal.message}`)
}

async function hasBytes(
  { client, transfer }: Connection,
  path: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const found = await transfer(`comparing ${path}`, client.get(path))
  return Buffer.isBuffer(found) && found.equals(bytes)
}

async function sizeOf({ client, step }: Connection, path: string): Promise<number | null> {
  const found = await step(
    `looking at ${path}`,
    client.stat(path).catch(error => {
      if (error.code === 'ENOENT') return null
      throw error
    }),
  )
  return found?.size ?? null
}
