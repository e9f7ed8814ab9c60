/** The server's programs, run as the user chosen for them. */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { copyBinaries, installedBinaries, linkLibraries } from './binaries.ts'
import { account, type Identity, namespace, ourselves } from './identity.ts'

export type Program = { native: string; identity: Identity }

/**
 * The data folder as the programs are told it. They are started inside of it, so that neither its
 * name, nor its length, nor folders above it that only root may enter make a difference.
 */
export function dataArgument(data: string): string {
  return existsSync('/proc/self/cwd') ? '/proc/self/cwd' : data
}

/** Starts one of the programs with the data folder as its current one. */
export function startProgram(
  program: Program,
  name: 'initdb' | 'postgres',
  args: string[],
  options: { cwd: string; stdio: StdioOptions },
): ChildProcess {
  const { command, args: all, ...rest } = commandOf(program, name, args)
  return spawn(command, all, { ...rest, ...options })
}

/** Whether the identity can run this server: it reaches the files and every library is there. */
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
    // A known time zone and locale: initdb searches for them otherwise.
    env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
    ...(others ? { uid: identity.uid, gid: identity.gid } : {}),
  }
}

/** What `chooseProgram` chooses from. */
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
 * Chooses binaries and a user who can run them. An ordinary user runs them itself, from a copy in
 * `home` where the library links cannot be made. Root lends them to the user postgres, else to
 * itself in a user namespace, else to nobody, else makes a copy that one of these users can reach.
 * @param home the database's own folder
 * @param folderOf makes a folder that the given user can enter, for the copy
 * @throws Error saying what to do when nobody can run them
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

/** Makes a folder of the identity's own that nobody else may enter. */
export function giveFolder(folder: string, identity: Identity): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (identity.uid !== process.getuid!()) chownSync(folder, identity.uid, identity.gid)
}
