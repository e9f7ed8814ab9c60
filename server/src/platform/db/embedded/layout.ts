/** The files of an embedded database, and the messages between its processes. */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The port only appears in the socket's file name; nothing listens on TCP. */
export const port = 5432

/** The files of one embedded database, all below `<data folder>/postgres`. */
export type Layout = {
  home: string
  /** The cluster itself (PGDATA), created under another name and renamed when complete. */
  data: string
  /** JSON of `Passwords`, mode 0600. */
  passwords: string
  /** Locked by the kernel while a supervisor is running. */
  lock: string
  /** The server's output and the supervisor's stderr. */
  log: string
  /**
   * JSON of `SocketLocation`: where the server listens. Kept from one run to the next; written
   * again when the data folder is a copy, or the socket folder's name or owner has to change.
   */
  socket_location: string
}

export type Passwords = { headroom: string; postgres: string }

/**
 * `uid` is the socket folder's owner: another user's folder of that name is not ours. `device` and
 * `inode` identify `home`, so that a copied data folder does not use the original's server.
 */
export type SocketLocation = { socket_folder: string; uid: number; device: number; inode: number }

/** A line sent by the supervisor to the processes holding its server. */
export type Message =
  | { log: string }
  | { ready: true }
  | { failed: string }
  /**
   * Whether a full disk keeps the server from restarting. `ready` also means that it no longer
   * does.
   */
  | { storage_full: boolean }

/** The layout of a data folder, which may be relative and need not exist. */
export function layoutOf(folder: string): Layout {
  const home = join(resolve(folder), 'postgres')
  return {
    home,
    data: join(home, 'data'),
    passwords: join(home, 'passwords.json'),
    lock: join(home, 'lock'),
    log: join(home, 'log'),
    socket_location: join(home, 'server.json'),
  }
}

/** The socket folder recorded for this data folder, even if it no longer exists. */
export function recordedSocketFolder(layout: Layout): SocketLocation | undefined {
  try {
    const recorded = JSON.parse(readFileSync(layout.socket_location, 'utf8')) as SocketLocation
    const { dev, ino } = statSync(layout.home)
    return recorded.device === dev && recorded.inode === ino ? recorded : undefined
  } catch {
    return undefined
  }
}

/** The recorded socket folder, if it exists and still belongs to us. */
export function knownSocketFolder(layout: Layout): SocketLocation | undefined {
  try {
    return requireSocketFolder(layout)
  } catch {
    return undefined
  }
}

/**
 * The recorded socket folder. Its parent may be writable by every user, as /tmp is: while no server
 * runs, another user can take its name, listen there and ask for passwords.
 * @throws Error when it belongs to another user, or with code ENOENT when there is none
 */
export function requireSocketFolder(layout: Layout): SocketLocation {
  const recorded = recordedSocketFolder(layout)
  if (!recorded) {
    throw Object.assign(new Error(`${layout.socket_location} names no folder`), { code: 'ENOENT' })
  }
  const { socket_folder: folder, uid } = recorded
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === uid) return recorded
  throw new Error(
    `${folder} belongs to user ${found.uid} instead of ${uid}: another user has taken the name ` +
      "of the folder with the database's sockets, and nothing connects there.",
  )
}

export function controlSocket(socketFolder: string): string {
  return join(socketFolder, 'control')
}
