/** Unused files and exports. */
import { dirname, join } from 'node:path'
import { exportsOf, imports, reexportsOf } from './imports.ts'
import { below, type Source, typescript } from './sources.ts'

/** Files that are started from a command line or by path, so no import names them. */
const STARTED = [
  'server/src/main.ts',
  'server/src/platform/db/embedded/supervise.ts',
  'contract/src/index.ts',
  'sdk/src/index.ts',
  // Type declarations of a package, for the compiler only.
  'server/src/entrypoints/http/negotiator.d.ts',
]

const ours = ['server/src', 'contract/src', 'sdk/src', 'scripts', 'bench', 'simulator'].flatMap(
  folder => below(typescript, folder),
)

/** Files, except the console's, that nothing imports. */
export function deadFiles(packageJson: string, scripts: string): string[] {
  const imported = new Set([...imports.map(i => i.to), ...begun()])
  return ours
    .filter(({ path }) => !imported.has(path) && !STARTED.includes(path) && !isTest(path))
    .filter(({ path }) => !packageJson.includes(path) && !scripts.includes(`'${path}'`))
    .map(file => file.path)
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** Files that others start by URL as threads or processes. */
function begun(): string[] {
  return ours.flatMap(({ path, text }) =>
    [...text.matchAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g)].map(([, address]) =>
      join(dirname(path), address!).replaceAll('\\', '/'),
    ),
  )
}

/**
 * Exported names that no file imports. A type may be exported because an exported function of its
 * file uses it.
 */
export function deadExports(): string[] {
  const taken = new Map<string, Set<string>>()
  for (const { to, names } of imports) {
    const known = taken.get(to) ?? new Set()
    for (const name of names) known.add(name)
    taken.set(to, known)
  }
  return ours.flatMap(file => {
    const names = taken.get(file.path) ?? new Set()
    if (names.has('*') || STARTED.includes(file.path)) return []
    const own = exportsOf(file).filter(({ name, is_type }) => !is_type || !usedInside(file, name))
    const all = [...own.map(e => e.name), ...reexportsOf(file)]
    return all.filter(name => !names.has(name)).map(name => `${file.path} ${name}`)
  })
}

function usedInside({ text }: Source, name: string): boolean {
  return text.split(new RegExp(`\\b${name}\\b`)).length > 2
}
