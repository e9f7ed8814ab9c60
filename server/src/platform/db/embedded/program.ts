/** Runs the server's programs as the user chosen for them. */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { copyBinaries, installedBinaries, linkLibraries } from './binaries.ts'
import { account, type Identity, namespace, ourselves } from './identity.ts'

export type Program = { native: string; identity: Identity }

/**
 * The data folder as passed to the programs, which start inside it. On Linux, special characters in
 * its path, a long path and parent folders that only root may enter thus make no difference.
 */
export function dataArgument(data: string): string {
  return existsSync('/proc/self/cwd') ? '/proc/self/cwd' : data
}

export function startProgram(
  program: Program,
  name: 'initdb' | 'postgres',
  args: string[],
  options: { cwd: string; stdio: StdioOptions },
): ChildProcess {
  const { command, args: all, ...rest } = commandOf(program, name, args)
  return spawn(command, all, { ...rest, ...options })
}

/** Whether the identity can run this server: it can read the files and no library is missing. */
export function runs(program: Program): boolean {
  const { command, args, ...rest } = commandOf(program, 'postgres', ['--version'])
  return spawnSync(command, args, { ...rest, cwd: '/', stdio: 'ignore' }).status === 0
}

function commandOf({ native, identity }: Program, name: string, args: string[]) {
  const [command, ...all] = [...identity.prefix, join(native, 'bin', name), ...args]
  const others = identity.uid !== process.getuid!()
  return {
    command: command!,
    args: all,
    // A fixed time zone and locale; otherwise initdb searches for them.
    env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
    ...(others ? { uid: identity.uid, gid: identity.gid } : {}),
  }
}

export type Choice = {
  native: string
  root: boolean
  namespace: Identity
  account(name: string): Identity | undefined
}

export function thisMachine(): Choice {
  const native = installedBinaries()
  return { native, root: process.getuid!() === 0, namespace: namespace(), account }
}

/**
 * Chooses the binaries and a user who can run them. An ordinary user runs them directly, or from a
 * copy in `home` when the library links cannot be created. Root runs them as user postgres, else in
 * a user namespace. If neither works, root runs a copy as postgres. On a machine without a user
 * postgres, root uses the account `nobody`: it runs them in place if it can, else from a copy.
 * @param home the database's own folder
 * @param folderOf creates a folder that the given user can enter, for the copy
 * @throws Error saying what to do when no user can run them
 */
export function chooseProgram(
  home: string,
  folderOf: (identity: Identity) => string,
  choice = thisMachine(),
): Program {
  const { native } = choice
  linkLibraries(native)
  if (!choice.root) {
    const own: Program = { native, identity: ourselves() }
    return runs(own) ? own : checked({ ...own, native: copyBinaries(native, home) })
  }
  const postgres = choice.account('postgres')
  if (postgres && runs({ native, identity: postgres })) return { native, identity: postgres }
  if (runs({ native, identity: choice.namespace })) return { native, identity: choice.namespace }
  const ordinary = postgres ?? choice.account('nobody')
  if (!ordinary) {
    throw new Error(
      'PostgreSQL does not run as root, and there is neither a user postgres nor nobody nor a ' +
        'user namespace to run it. Start as an ordinary user, or set DATABASE_URL.',
    )
  }
  const there: Program = { native, identity: ordinary }
  if (runs(there)) return there
  return checked({ ...there, native: copyBinaries(native, folderOf(ordinary)) })
}

function checked(program: Program): Program {
  const { command, args, ...rest } = commandOf(program, 'postgres', ['--version'])
  const tried = spawnSync(command, args, { ...rest, cwd: '/', encoding: 'utf8' })
  if (tried.status === 0) return program
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  const musl = process.platform === 'linux' && !header.glibcVersionRuntime
  const why = musl
    ? 'it needs glibc, which this Linux lacks'
    : (tried.error?.message ?? tried.stderr)
  throw new Error(
    `The embedded PostgreSQL does not run here as ${program.identity.name}: ${why.trim()}. ` +
      'Set DATABASE_URL to a PostgreSQL 15 or later instead.',
  )
}

/** Creates a folder that only the identity may enter. */
export function giveFolder(folder: string, identity: Identity): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (identity.uid !== process.getuid!()) chownSync(folder, identity.uid, identity.gid)
}
