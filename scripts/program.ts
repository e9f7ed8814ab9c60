/**
 * Programs that tests and simulations start many times, each bundled into one file: of the work of
 * a start, two thirds are finding and linking some 1,800 files. Users start the source itself.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type Program = 'service' | 'life'

const root = fileURLToPath(new URL('..', import.meta.url))
const builder = fileURLToPath(new URL('./build-program.ts', import.meta.url))
const cache = join(root, 'node_modules/.cache/programs')
const LOOK_AGAIN_MS = 50
/** A builder that takes this long hangs. */
const BUILD_MS_MAX = 180_000

const files = new Map<Program, Promise<string>>()

/** The file that runs a program as its source is now. It is built where none is. */
export function programFile(name: Program): Promise<string> {
  const file = files.get(name) ?? upToDate(name)
  files.set(name, file)
  return file
}

async function upToDate(name: Program): Promise<string> {
  const folder = join(cache, `${name}-${stateOfSource()}`)
  const isBuilt = () => existsSync(join(folder, 'built'))
  mkdirSync(cache, { recursive: true })
  while (!isBuilt()) {
    const lock = `${folder}.lock`
    if (!takeLock(lock)) {
      await sleep(LOOK_AGAIN_MS)
      continue
    }
    try {
      if (!isBuilt()) await build(name, folder)
    } finally {
      rmSync(lock)
    }
  }
  return join(folder, 'main.mjs')
}

async function build(name: Program, folder: string): Promise<void> {
  const args = [builder, name, folder]
  await promisify(execFile)(process.execPath, args, { timeout: BUILD_MS_MAX })
  writeFileSync(join(folder, 'built'), '')
}

/** A hash of everything that programs are made of. */
function stateOfSource(): string {
  const patterns = ['{contract,sdk,server}/src/**/*.ts', 'simulator/**/*.ts', 'scripts/*program.ts']
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Whether the lock is ours now. That of a process which died is removed. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (!isAlive(lock)) rmSync(lock, { force: true })
  return false
}

/** Whether the process that wrote this lock still runs, as far as can be told. */
function isAlive(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')) || process.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
