/** Builds the console where it is missing or older than its source. Use: node build-console.ts */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'console')
const stamp = join(folder, 'dist/built-from')

/** A hash of everything that the build is made of. */
function source(): string {
  const patterns = ['console/{src,.}/**/*.{ts,tsx,html,json}', 'contract/src/**/*.ts']
  const files = globSync(patterns, { cwd: root, exclude: ['**/dist', '**/node_modules'] })
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function builtFrom(): string | null {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return null
  }
}

const wanted = source()
if (builtFrom() !== wanted) {
  // Loaded only where there is something to do: it takes its time.
  const { build } = await import('vite')
  rmSync(stamp, { force: true })
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(stamp, wanted)
}
