/**
 * Programs that tests and simulations start many times, each bundled into one file: of the work of
 * a start, two thirds are finding and linking some 1,800 files. Users start the source itself.
 */
import { execFile } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sourceHash } from './source-hash.ts'

export type Program = 'service' | 'life'

const builder = fileURLToPath(new URL('./build-program.ts', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/programs', import.meta.url))
const SOURCE = ['{contract,sdk,server}/src/**/*.ts', 'simulator/**/*.ts', 'scripts/*program.ts']
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
  const folder = join(cache, `${name}-${sourceHash(SOURCE).slice(0, 16)}`)
  if (!existsSync(folder)) await build(name, folder)
  return join(folder, 'main.mjs')
}

/** Others may build it at the same time: it is there once it is whole, and the first one stays. */
async function build(name: Program, folder: string): Promise<void> {
  const made = `${folder}-${process.pid}`
  try {
    const args = [builder, name, made]
    await promisify(execFile)(process.execPath, args, { timeout: BUILD_MS_MAX })
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}
