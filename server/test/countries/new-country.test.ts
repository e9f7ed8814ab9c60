/**
 * A new country and language: the compiler names each place that must be extended, and no other
 * file lists the countries. Compiles the sources with Portugal and Portuguese added to the
 * contract's lists.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COUNTRIES, COUNTRY_FACTS } from '@headroom/contract'
import { expect, test } from 'vitest'
import { ROOT, type Source, typescript } from '../tidy/sources.ts'

const LIST = 'contract/src/countries.ts'

const COUNTRY_PLACES = [
  // The country's alpha-3 code, and the names of its company numbers.
  LIST,
  // The country's folder.
  'server/src/countries/served.ts',
  // A sample company for the document tests.
  'server/test/documents/samples.ts',
]

const LANGUAGE_PLACES = [
  'contract/src/shared.ts',
  // The name of the applicable law in that language, and of a company number.
  ...COUNTRIES.map(code => `server/src/countries/${code.toLowerCase()}/law.ts`),
  'server/src/countries/be/index.ts',
  'server/src/companies/business-data/data-types.ts',
  'server/src/credit/invoices/extraction/words.ts',
  // Names, streets and trades of the sandbox.
  ...['activities', 'company-profile', 'countries', 'people'].map(
    name => `server/src/integrations/adapters/sandbox/${name}.ts`,
  ),
  'server/src/sandbox/invoice-texts.ts',
  'server/src/integrations/documents/format.ts',
  ...['bill/index', 'card-statement', 'common', 'contract/index', 'law', 'mails/index'].map(
    name => `server/src/integrations/documents/texts/${name}.ts`,
  ),
  ...['mandate/index', 'statement', 'terms/index'].map(
    name => `server/src/integrations/documents/texts/${name}.ts`,
  ),
  'server/src/partners/onboardings/page-view.ts',
  'server/src/platform/kit/dates.ts',
  'server/src/platform/kit/money.ts',
  'server/test/documents/mandate.test.ts',
]

const COMPILER = `${ROOT}node_modules/typescript-native/bin/tsc`
/** The sources that `tsconfig.json` compiles, and its settings. */
const COMPILED =
  '{contract,server,sdk,bench,simulator,scripts,console/src,console/test}/**/*.{ts,mts,mjs,json}'

/** Copies the sources to a folder, and replaces the text of one file there. */
function copyWith(folder: string, path: string, text: string): void {
  const files = globSync([COMPILED, '*.{ts,json}', 'console/*.{ts,json}'], {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  })
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(folder, file))
  }
  writeFileSync(join(folder, path), text)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@headroom'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@headroom') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  // Our own packages resolve to the copy.
  for (const name of ['contract', 'sdk', 'server']) {
    symlinkSync(join(folder, name), join(modules, '@headroom', name))
  }
}

/** Compiler errors, as file and message, if `path` has this text instead. */
function faultsWith(path: string, text: string): { file: string; message: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-country-'))
  try {
    copyWith(folder, path, text)
    const args = [
      COMPILER,
      '--noEmit',
      '--singleThreaded',
      '--incremental',
      'false',
      '--pretty',
      'false',
    ]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return stdout.split(/\n(?=\S)/).flatMap(line => {
      const [, file, message] = /^([^(]+)\(\d+,\d+\): error (.*)$/s.exec(line) ?? []
      return file && message ? [{ file, message }] : []
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('Portugal and Portuguese are missing exactly where they must be added', () => {
  const list = typescript.find(file => file.path === LIST)!.text
  const longer = list
    .replace(/(COUNTRIES = \[[^\]]+)/, "$1, 'PT'")
    .replace(/(LANGUAGES = \[[^\]]+)/, "$1, 'pt'")
  expect(longer.length).toBe(list.length + 2 * ", 'pt'".length)
  const faults = faultsWith(LIST, longer)
  const faulty = new Set(faults.map(fault => fault.file))
  expect([...faulty].sort()).toEqual([...COUNTRY_PLACES, ...LANGUAGE_PLACES].sort())
  const ofCountry = new Set(faults.filter(f => /\bPT\b/.test(f.message)).map(f => f.file))
  expect([...ofCountry].sort()).toEqual(COUNTRY_PLACES)
})

test('no other file lists the countries', () => {
  const codes = [...COUNTRIES, ...Object.values(COUNTRY_FACTS).map(facts => facts.alpha_3)]
  const named = ({ text }: Source) =>
    codes.filter(code => new RegExp(`['"\`|( ]${code}\\b`).test(text))
  const lists = typescript.filter(file => !/\btest\//.test(file.path) && named(file).length > 3)
  expect(lists.map(file => file.path)).toEqual([
    // A person's country of residence: every country of the world.
    'console/src/onboarding/steps/representative.tsx',
    LIST,
    'server/src/countries/folders.ts',
    // The countries of the European Economic Area.
    'server/src/integrations/bank-files/writing/sepa-countries.ts',
    // The countries of SEPA.
    'server/src/platform/kit/iban.ts',
  ])
})
