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
  /** The server's and the supervisor's stderr. */
  log: string
  /** JSON of `Whereabouts`: where the server listens. Written once and kept. */
  whereabouts: string
}

export type Passwords = { headroom: string; postgres: string }

/**
 * `uid` is the socket folder's owner: another user's folder of that name is not ours. `device` and
 * `inode` identify `home`, so that a copied data folder does not use the original's server.
 */
export type Whereabouts = { socket_folder: string; uid: number; device: number; inode: number }

/** A line sent by the supervisor to the processes holding its server. */
export type Message = { log: string } | { ready: true } | { failed: string }

/** The layout of a data folder, which may be relative and need not exist. */
export function layoutOf(folder: string): Layout {
  const home = join(resolve(folder), 'postgres')
  return {
    home,
    data: join(home, 'data'),
    passwords: join(home, 'passwords.json'),
    lock: join(home, 'lock'),
    log: join(home, 'log'),
    whereabouts: join(home, 'server.json'),
  }
}

/** The socket folder that this database uses whenever its server runs. */
export function recordedSocketFolder(layout: Layout): Whereabouts | undefined {
  try {
    const recorded = JSON.parse(readFileSync(layout.whereabouts, 'utf8')) as Whereabouts
    const { dev, ino } = statSync(layout.home)
    return recorded.device === dev && recorded.inode === ino ? recorded : undefined
  } catch {
    return undefined
  }
}

/** The recorded socket folder, if it exists and still belongs to us. */
export function knownSocketFolder(layout: Layout): Whereabouts | undefined {
  const recorded = recordedSocketFolder(layout)
  if (!recorded) return undefined
  try {
    const found = lstatSync(recorded.socket_folder)
    return found.isDirectory() && found.uid === recorded.uid ? recorded : undefined
  } catch {
    return undefined
  }
}

/** The socket through which a process holds the server. */
export function controlSocket(socketFolder: string): string {
  return join(socketFolder, 'control')
}
