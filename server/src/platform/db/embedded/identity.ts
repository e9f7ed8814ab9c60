/** Which ordinary user runs the server. PostgreSQL refuses to run as root. */
import { spawnSync } from 'node:child_process'

/** `prefix` is a command that becomes the server; `uid` and `gid` own the server's files. */
export type Identity = { name: string; uid: number; gid: number; prefix: string[] }

/** Whoever we are. */
export function ourselves(): Identity {
  return { name: 'this user', uid: process.getuid!(), gid: process.getgid!(), prefix: [] }
}

/** An account of this machine, if it exists and is an ordinary one. */
export function account(name: string): Identity | undefined {
  const { stdout } = spawnSync('id', [name], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [, uid, gid] = /^uid=(\d+).* gid=(\d+)/.exec(stdout ?? '') ?? []
  return Number(uid) > 0 ? { name, uid: Number(uid), gid: Number(gid), prefix: [] } : undefined
}

/**
 * A user namespace in which we bear the number of an ordinary user: it reaches what we reach, and
 * to everyone outside its files are ours. Linux only, and often forbidden in containers.
 */
export function namespace(): Identity {
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
  return { ...ourselves(), name: 'a user namespace', prefix }
}
