/** The ordinary users that can run the server, since PostgreSQL refuses to run as root. */
import { spawnSync } from 'node:child_process'

/** `prefix` is a command that executes the server; `uid` and `gid` own the server's files. */
export type Identity = { name: string; uid: number; gid: number; prefix: string[] }

export function ourselves(): Identity {
  return { name: 'this user', uid: process.getuid!(), gid: process.getgid!(), prefix: [] }
}

/** The named account of this machine, if it exists and is not root. */
export function account(name: string): Identity | undefined {
  const { stdout } = spawnSync('id', [name], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [, uid, gid] = /^uid=(\d+).* gid=(\d+)/.exec(stdout ?? '') ?? []
  return Number(uid) > 0 ? { name, uid: Number(uid), gid: Number(gid), prefix: [] } : undefined
}

/**
 * A user namespace that maps us to an ordinary user's id. The server keeps our access rights, and
 * we own its files outside the namespace. Linux only, and often forbidden in containers.
 */
export function namespace(): Identity {
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
  return { ...ourselves(), name: 'a user namespace', prefix }
}
