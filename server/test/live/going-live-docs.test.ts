/**
 * What docs/going-live.md says is true: its file is valid, its settings exist, its commands run.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readLenderText } from '../../src/integrations/lender/lender-file.ts'
import { parisDay } from '../../src/platform/kit/dates.ts'
import * as banks from '../adapters/banks.ts'
import { urlOf } from '../commands/databases.ts'
import { command } from '../support/command.ts'
import { testDatabase } from '../support/database.ts'
import { lenderVersion, liveEnvironment } from '../support/live.ts'
import { settings } from '../tidy/docs.ts'
import { ROOT } from '../tidy/sources.ts'

const PAGE = readFileSync(`${ROOT}docs/going-live.md`, 'utf8')
const blocks = [...PAGE.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)].map(
  ([, language, code]) => [language, code!] as const,
)
const shell = blocks.filter(([language]) => language === 'sh').map(([, code]) => code)
const words = [...shell.join('\n').matchAll(/npm run -s headroom -- (.*)/g)].map(([, line]) =>
  [...line!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!),
)

test("the example of a lender's file is valid, and every field of it is explained", () => {
  const [, text] = blocks.find(([language]) => language === 'json')!
  expect(readLenderText(text, ['files'], parisDay(new Date())).faults).toEqual([])
  const [version] = JSON.parse(text).versions
  const explained = PAGE.slice(PAGE.indexOf('| Field | Is |'), PAGE.indexOf('## 3.'))
  for (const name of Object.keys(version)) {
    const isExplained = name === 'in_force_from' || explained.includes(`\`${name}`)
    expect(isExplained, name).toBe(true)
  }
  for (const name of Object.keys(version.adapters)) expect(explained).toContain(`adapters.${name}`)
})

test('every setting that the page names exists', () => {
  const named = new Set(PAGE.match(/\b(HEADROOM|DATABASE|SMTP|STRIPE)_[A-Z_]+\b/g))
  expect(named.size).toBeGreaterThan(8)
  const known = settings().read.flatMap(name => [name, `${name}_FILE`])
  expect([...named].filter(name => !known.includes(name))).toEqual([])
})

test('after its commands, a deployment lacks second factors only', async () => {
  const database = await testDatabase('empty')
  const env = {
    ...liveEnvironment([lenderVersion({ in_force_from: '2020-01-01' })]),
    DATABASE_URL: urlOf(database),
  }
  const codes = []
  for (const args of words) {
    const done = await command(args, env, banks)
    codes.push([args.slice(0, 2).join(' '), done.code])
    if (args[0] === 'operator') expect(done.stdout).toContain('password (shown this once): ')
  }
  expect(codes).toEqual([
    ['live check', 1],
    ['operator create', 0],
    ['operator create', 0],
    ['live check', 1],
    ['partner create', 0],
  ])
  const left = await command(['live', 'check', '--json'], env, banks)
  const { requirements } = JSON.parse(left.stdout)
  const missing = requirements.filter((one: { state: string }) => one.state === 'MISSING')
  expect(missing.map((one: { name: string }) => one.name)).toEqual([
    'Confirming mandates',
    'Second factor',
  ])
})
