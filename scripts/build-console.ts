/** Builds the console if it is missing or out of date. Use: node build-console.ts */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceHash } from './source-hash.ts'
import { takePlace } from './take-place.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'console')
const built = join(folder, 'dist')
const STAMP = 'built-from'

const SOURCE = [
  'console/src/**/*.{ts,tsx,html,json}',
  'console/*.{ts,html,json}',
  'contract/src/**/*.ts',
  'scripts/build-console.ts',
]

function builtFrom(): string | null {
  try {
    return readFileSync(join(built, STAMP), 'utf8')
  } catch {
    return null
  }
}

const wanted = sourceHash(SOURCE)
if (builtFrom() !== wanted) {
  // Test runs build it too: React's development build renders pages several times slower.
  process.env.NODE_ENV = 'production'
  // Imported only when needed, because loading it is slow.
  const { build } = await import('vite')
  // Builds into a separate folder: another build may run at the same time, and the server may be
  // serving the pages.
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
