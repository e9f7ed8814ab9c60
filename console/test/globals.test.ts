/**
 * No page uses a browser global by accident, such as `status` where a variable of that name is
 * missing.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { consoleLint } from '../../scripts/browser-globals.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SETTINGS = ['biome.json', 'console/src/biome.json']

/** Lint output for a file in the console's source folder, using the project's own settings. */
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

test('console/src/biome.json matches the output of `npm run generate`', () => {
  expect(readFileSync(join(root, SETTINGS[1]!), 'utf8')).toBe(consoleLint())
})

const NAMES = ['status', 'name', 'event', 'length', 'origin', 'parent', 'top', 'open', 'close']

test('lint rejects every browser global that a page uses without importing it', () => {
  const pages = NAMES.map((name, n) => `export const says${n} = () => String(${name})\n`)
  const output = lint(pages.join(''))
  for (const name of NAMES) expect(output).toContain(`the global variable ${name}.`)
})

test('lint accepts the same names when they are declared', () => {
  const pages = NAMES.map((name, n) => `export const says${n} = (${name}: unknown) => ${name}\n`)
  const output = lint(pages.join(''))
  expect(output).toContain('Checked 3 files')
  expect(output).not.toContain('global variable')
})
