/**
 * Bundles the programs that tests and simulations start often, because resolving and linking the
 * separate files would take most of the startup. Users run the source.
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
const BUILD_MS_MAX = 180_000

const files = new Map<Program, Promise<string>>()

/** The bundle of a program's current source, built if missing. */
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

/**
 * Concurrent builds are safe: each renames its finished folder into place, and the first rename
 * wins.
 */
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
