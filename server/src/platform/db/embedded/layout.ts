/** Where everything of one embedded database lies, and what its processes tell each other. */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The port is part of a socket's file name only; nothing listens on TCP. */
export const port = 5432

/** The files of one embedded database, all below `<data folder>/postgres`. */
export type Layout = {
  home: string
  /** The cluster itself (PGDATA). It appears by one rename, complete. */
  data: string
  /** JSON of `Passwords`, mode 0600. */
  passwords: string
  /** Locked by the kernel for as long as a supervisor lives. */
  lock: string
  /** What the server and its supervisor write to stderr. */
  log: string
  /** JSON of `Whereabouts`: where the running server listens. */
  whereabouts: string
}

export type Passwords = { headroom: string; postgres: string }

/**
 * `uid` is the owner of the socket folder: somebody else's folder of that name is not ours.
 * `inode` is that of `home`: the server of a folder is not the server of its copy.
 */
export type Whereabouts = { socket_folder: string; uid: number; inode: number }

/** A line from the supervisor to those who hold its server. */
export type Message = { log: string } | { ready: true } | { failed: string }

/** The files for a data folder, which may be relative and need not exist. */
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

/** The socket folder written down last, if it still stands and is still ours. */
export function knownSocketFolder(layout: Layout): Whereabouts | undefined {
  try {
    const known = JSON.parse(readFileSync(layout.whereabouts, 'utf8')) as Whereabouts
    const found = lstatSync(known.socket_folder)
    const ours = found.uid === known.uid && statSync(layout.home).ino === known.inode
    return ours && found.isDirectory() ? known : undefined
  } catch {
    return undefined
  }
}

/** The socket over which a process holds the server. */
export function controlSocket(socketFolder: string): string {
  return join(socketFolder, 'control')
}
