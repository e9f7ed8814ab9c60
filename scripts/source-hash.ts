/** Hashes source files, to tell whether a build is up to date. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A hex hash of the matching files and the lockfile. */
export function sourceHash(patterns: readonly string[]): string {
  const exclude = ['**/dist', '**/node_modules']
  const files = globSync(patterns, { cwd: root, exclude })
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
