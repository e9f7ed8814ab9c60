/** Generates the console's lint settings, which forbid reading browser globals by bare name. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * A page that forgets to destructure `status` compiles, because the browser has a global of that
 * name. Pages use these few globals by bare name; all others need `window.`.
 */
const ALLOWED = ['crypto', 'document', 'fetch', 'navigator', 'window']

function browserGlobals(): string[] {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript'))
  const types = readFileSync(join(typescript, 'lib.dom.d.ts'), 'utf8')
  const declared = types.matchAll(/^declare (?:var|let|const|function) ([a-z]\w*)/gm)
  return [...new Set([...declared].map(([, name]) => name!))].sort()
}

/** The text of `console/src/biome.json`. */
export function consoleLint(): string {
  const denied = browserGlobals().filter(name => !ALLOWED.includes(name))
  const deniedGlobals = Object.fromEntries(
    denied.map(name => [name, `If you mean the browser's, write window.${name}.`]),
  )
  const noRestrictedGlobals = { level: 'error', options: { deniedGlobals } }
  const settings = {
    $schema: '../../node_modules/@biomejs/biome/configuration_schema.json',
    root: false,
    extends: '//',
    linter: { rules: { style: { noRestrictedGlobals } } },
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}
