/** No page reads a variable of the browser's by accident: `status` once disabled two buttons. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { consoleLint } from '../../scripts/browser-globals.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SETTINGS = ['biome.json', 'console/src/biome.json']

/** What lint says about a file in the folder of the pages, by the project's own settings. */
function lint(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-lint-'))
  try {
    mkdirSync(join(folder, 'console/src'), { recursive: true })
    for (const file of SETTINGS) cpSync(join(root, file), join(folder, file))
    writeFileSync(join(folder, 'console/src/page.ts'), code)
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const args = [biome, 'lint', '--max-diagnostics=none']
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8' as const,
    })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('console/src/biome.json is what `npm run generate` writes', () => {
  expect(readFileSync(join(root, SETTINGS[1]!), 'utf8')).toBe(consoleLint())
})

const NAMES = ['status', 'name', 'event', 'length', 'origin', 'parent', 'top', 'open', 'close']

test('a page that forgets where a name comes from fails lint, whichever it is', () => {
  const pages = NAMES.map((name, n) => `export const says${n} = () => String(${name})\n`)
  const said = lint(pages.join(''))
  for (const name of NAMES) expect(said).toContain(`the global variable ${name}.`)
})

test('the same names pass where they are given', () => {
  const pages = NAMES.map((name, n) => `export const says${n} = (${name}: unknown) => ${name}\n`)
  const said = lint(pages.join(''))
  expect(said).toContain('Checked 3 files')
  expect(said).not.toContain('global variable')
})
