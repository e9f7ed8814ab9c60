/** A real SFTP server in this process, on a folder, with faults that a test chooses. */
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ssh2, { type Attributes, type Connection, type SFTPWrapper } from 'ssh2'
import { fingerprintOf } from '../../src/integrations/adapters/file-bank/transport/sftp.ts'
import { closeAfterwards } from './closing.ts'

export const SFTP_PASSWORD = 'a secret of this test'
export const SFTP_USER = 'headroom'

/** Faults apply until they are cleared. */
export interface SftpFaults {
  /** Cuts the connection once this many bytes were uploaded. */
  cut_after_bytes?: number
  /** Refuses to rename, or cuts the connection before or after it renamed. */
  rename?: 'refuse' | 'cut before' | 'cut after'
  /** Never answers these requests. */
  silent?: 'OPEN' | 'READDIR' | 'WRITE' | 'RENAME'
  /** Confirms writes without storing the bytes. */
  loses_bytes?: boolean
  /** Takes a file away as soon as its upload ends, whatever its name. */
  takes_uploads?: boolean
}

export interface TestSftpServer {
  readonly port: number
  readonly host_key: string
  /** The user's private key, as an alternative to the password. */
  readonly private_key: string
  readonly faults: SftpFaults
  openConnections(): number
}

const { Server, utils } = ssh2
const { STATUS_CODE } = utils.sftp

/** Serves the whole file system below `root`, which clients see as `/`. */
export async function startSftpServer(root: string): Promise<TestSftpServer> {
  const host = utils.generateKeyPairSync('ed25519')
  const user = utils.generateKeyPairSync('ed25519')
  const userKey = utils.parseKey(user.public)
  const hostKey = utils.parseKey(host.public)
  if (userKey instanceof Error || hostKey instanceof Error) throw new Error('no keys')
  const faults: SftpFaults = {}
  const open = new Set<Connection>()
  const server = new Server({ hostKeys: [host.private] }, client => {
    open.add(client)
    setNoDelay(client)
    client.on('error', () => {})
    client.on('close', () => open.delete(client))
    client.on('authentication', context => {
      const { method, username } = context
      if (username !== SFTP_USER) return context.reject()
      if (method === 'password' && context.password === SFTP_PASSWORD) return context.accept()
      if (method !== 'publickey') return context.reject(['password', 'publickey'])
      if (!userKey.getPublicSSH().equals(context.key.data)) return context.reject()
      const { signature, blob, hashAlgo } = context
      if (signature && userKey.verify(blob!, signature, hashAlgo) !== true) return context.reject()
      context.accept()
    })
    client.on('ready', () => {
      client.on('session', acceptSession => {
        acceptSession().on('sftp', accept => {
          const close = serve(accept(), root, faults, () => cut(client))
          client.on('close', close)
        })
      })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closeAfterwards(async () => {
    for (const client of open) cut(client)
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    host_key: fingerprintOf(hostKey.getPublicSSH()),
    private_key: user.private,
    faults,
    openConnections: () => open.size,
  }
}

/** Small packets are sent at once, as OpenSSH does. */
function setNoDelay(client: Connection): void {
  const { _sock } = client as unknown as { _sock: { setNoDelay(on: boolean): void } }
  _sock.setNoDelay(true)
}

/** Ends the connection as a network would: at once. */
function cut(client: Connection): void {
  const { _sock } = client as unknown as { _sock: { destroy(): void } }
  _sock.destroy()
}

interface Opened {
  file?: FileHandle
  names?: string[]
  readonly path: string
}

/** What the requests of one client need. */
interface Served {
  readonly sftp: SFTPWrapper
  readonly faults: SftpFaults
  readonly cutNow: () => void
  at(path: string): string
  give(id: number, entry: Opened): void
  handleOf(handle: Buffer): Opened
  answer(id: number, work: Promise<unknown>): void
}

/** Returns a function that closes what the client left open. */
function serve(
  sftp: SFTPWrapper,
  root: string,
  faults: SftpFaults,
  cutNow: () => void,
): () => void {
  const handles: Opened[] = []
  const served: Served = {
    sftp,
    faults,
    cutNow,
    at: path => join(root, path),
    give: (id, entry) => {
      const buffer = Buffer.alloc(4)
      buffer.writeUInt32BE(handles.push(entry) - 1)
      sftp.handle(id, buffer)
    },
    handleOf: handle => handles[handle.readUInt32BE(0)]!,
    answer: (id, work) => {
      work.then(
        () => sftp.status(id, STATUS_CODE.OK),
        error => {
          const { NO_SUCH_FILE, FAILURE } = STATUS_CODE
          sftp.status(id, error.code === 'ENOENT' ? NO_SUCH_FILE : FAILURE, error.message)
        },
      )
    },
  }
  serveLooks(served)
  serveBytes(served)
  serveFolders(served)
  return () => {
    for (const entry of handles) close(entry)
  }
}

async function close(entry: Opened): Promise<void> {
  const { file } = entry
  delete entry.file
  await file?.close()
}

function serveLooks({ sftp, at, handleOf }: Served): void {
  const look = (id: number, work: ReturnType<typeof stat>) => {
    work.then(
      found => sftp.attrs(id, attributesOf(found)),
      () => sftp.status(id, STATUS_CODE.NO_SUCH_FILE),
    )
  }
  sftp.on('STAT', (id, path) => look(id, stat(at(path))))
  sftp.on('LSTAT', (id, path) => look(id, lstat(at(path))))
  sftp.on('FSTAT', (id, handle) => look(id, stat(at(handleOf(handle).path))))
  sftp.on('SETSTAT', id => sftp.status(id, STATUS_CODE.OK))
  sftp.on('FSETSTAT', id => sftp.status(id, STATUS_CODE.OK))
  sftp.on('REALPATH', (id, path) => {
    sftp.name(id, [{ filename: path, longname: path, attrs: {} as Attributes }])
  })
}

function serveBytes({ sftp, faults, cutNow, at, give, handleOf, answer }: Served): void {
  let uploaded = 0
  sftp.on('OPEN', (id, path, flags) => {
    if (faults.silent === 'OPEN') return
    const how = flags & 2 ? constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC : 0
    open(at(path), how).then(
      file => give(id, { file, path }),
      () => sftp.status(id, STATUS_CODE.NO_SUCH_FILE),
    )
  })
  sftp.on('READ', (id, handle, offset, length) => {
    const { file } = handleOf(handle)
    file!.read(Buffer.alloc(length), 0, length, offset).then(({ bytesRead, buffer }) => {
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
    })
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    if (faults.silent === 'WRITE') return
    uploaded += data.length
    const { file } = handleOf(handle)
    const isCut = faults.cut_after_bytes !== undefined && uploaded > faults.cut_after_bytes
    const bytes = isCut ? data.subarray(0, 10) : data
    const write = () => file!.write(bytes, 0, bytes.length, offset)
    const work: Promise<unknown> = faults.loses_bytes ? Promise.resolve() : write()
    if (isCut) work.then(cutNow)
    else answer(id, work)
  })
  sftp.on('CLOSE', (id, handle) => {
    const entry = handleOf(handle)
    const isTaken = faults.takes_uploads && entry.file !== undefined
    answer(id, isTaken ? close(entry).then(() => unlink(at(entry.path))) : close(entry))
  })
}

function serveFolders({ sftp, faults, cutNow, at, give, handleOf, answer }: Served): void {
  sftp.on('OPENDIR', (id, path) => {
    readdir(at(path)).then(
      names => give(id, { names, path }),
      () => sftp.status(id, STATUS_CODE.NO_SUCH_FILE),
    )
  })
  sftp.on('READDIR', (id, handle) => {
    if (faults.silent === 'READDIR') return
    const entry = handleOf(handle)
    const names = entry.names!.splice(0)
    if (names.length === 0) return sftp.status(id, STATUS_CODE.EOF)
    Promise.all(
      names.map(async filename => {
        const found = await lstat(join(at(entry.path), filename))
        const type = found.isDirectory() ? 'd' : found.isSymbolicLink() ? 'l' : '-'
        return { filename, longname: `${type}rw-r--r-- ${filename}`, attrs: attributesOf(found) }
      }),
    ).then(list => sftp.name(id, list))
  })
  sftp.on('REMOVE', (id, path) => answer(id, unlink(at(path))))
  sftp.on('RENAME', (id, from, to) => {
    if (faults.silent === 'RENAME') return
    if (faults.rename === 'refuse') return sftp.status(id, STATUS_CODE.PERMISSION_DENIED)
    if (faults.rename === 'cut before') return cutNow()
    const renamed = stat(at(to)).then(
      () => Promise.reject(new Error('there is one')),
      () => rename(at(from), at(to)),
    )
    if (faults.rename === 'cut after') renamed.then(cutNow)
    else answer(id, renamed)
  })
}

function attributesOf(found: Awaited<ReturnType<typeof stat>>): Attributes {
  const { mode, uid, gid, size, atimeMs, mtimeMs } = found
  const seconds = (ms: number | bigint) => Math.floor(Number(ms) / 1000)
  return {
    mode: Number(mode),
    uid: Number(uid),
    gid: Number(gid),
    size: Number(size),
    atime: seconds(atimeMs),
    mtime: seconds(mtimeMs),
  }
}
