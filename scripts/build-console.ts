/** Builds the console where it is missing or older than its source. Use: node build-console.ts */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takePlace } from './take-place.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'console')
const built = join(folder, 'dist')
const STAMP = 'built-from'

/** A hash of everything that the build is made of. */
function source(): string {
  const patterns = [
    ...['console/src/**/*.{ts,tsx,html,json}', 'console/*.{ts,html,json}'],
    'contract/src/**/*.ts',
    'scripts/build-console.ts',
  ]
  const exclude = ['**/dist', '**/node_modules']
  const files = globSync(patterns, { cwd: root, exclude })
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function builtFrom(): string | null {
  try {
    return readFileSync(join(built, STAMP), 'utf8')
  } catch {
    return null
  }
}

const wanted = source()
if (builtFrom() !== wanted) {
  // Whoever builds, tests too: React for development draws pages several times slower.
  process.env.NODE_ENV = 'production'
  // Loaded only where there is something to do: it takes its time.
  const { build } = await import('vite')
  // Beside what is served: others may build at the same time, and pages are looked at meanwhile.
  const outDir = join(root, 'node_modules/.cache', `console-${process.pid}`)
  try {
    const configFile = join(folder, 'vite.config.ts')
    await build({
      root: folder,
      configFile,
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    })
    writeFileSync(join(outDir, STAMP), wanted)
    takePlace(outDir, built)
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}
