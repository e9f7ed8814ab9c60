/**
 * Another country and another language: the compiler names each place that has to know of them, and
 * nothing else lists the countries. The sources are compiled as they are, but for Portugal and
 * Portuguese in the contract's lists.
 */
import { COUNTRIES, COUNTRY_FACTS } from '@headroom/contract'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT, type Source, typescript } from '../tidy/sources.ts'

const LIST = 'contract/src/countries.ts'

/** Only files that speak of either can have a table by them. To check all takes twice as long. */
const SPEAKS_OF_THEM = /countr|langu|locale|\bFRA?\b/i

const COUNTRY_PLACES = [
  // Its alpha-3 code, and what its company numbers are called.
  LIST,
  // Its folder.
  'server/src/countries/served.ts',
  // A company on the documents that tests draw.
  'server/test/documents/samples.ts',
]

const LANGUAGE_PLACES = [
  'contract/src/shared.ts',
  // How the law is called in it, and a company number.
  ...COUNTRIES.map(code => `server/src/countries/${code.toLowerCase()}/law.ts`),
  'server/src/countries/be/index.ts',
  'server/src/companies/business-data/data-types.ts',
  'server/src/credit/invoices/reading/words.ts',
  // Names, streets and trades of the sandbox.
  ...['activities', 'company-profile', 'countries', 'people'].map(
    name => `server/src/outside/adapters/sandbox/${name}.ts`,
  ),
  'server/src/sandbox/invoice-texts.ts',
  'server/src/outside/documents/format.ts',
  ...['bill/index', 'card-statement', 'common', 'contract/index', 'law', 'mails/index'].map(
    name => `server/src/outside/documents/texts/${name}.ts`,
  ),
  ...['mandate/index', 'statement', 'terms/index'].map(
    name => `server/src/outside/documents/texts/${name}.ts`,
  ),
  'server/src/partners/onboardings/page-view.ts',
  'server/src/platform/kit/dates.ts',
  'server/src/platform/kit/money.ts',
  'server/test/documents/mandate.test.ts',
]

/** The faults of a program in which `path` has another text: file and message. */
function faultsWith(path: string, text: string): { file: string; message: string }[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost({ ...options, incremental: false })
  const { getSourceFile } = host
  host.getSourceFile = (name, language, ...more) =>
    name === `${ROOT}${path}`
      ? ts.createSourceFile(name, text, language, true)
      : getSourceFile(name, language, ...more)
  const program = ts.createProgram(fileNames, { ...options, incremental: false }, host)
  const ours = program.getSourceFiles().filter(file => !file.fileName.includes('/node_modules/'))
  return ours
    .filter(file => SPEAKS_OF_THEM.test(file.text))
    .flatMap(file => program.getSemanticDiagnostics(file))
    .map(({ file, messageText }) => ({
      file: file!.fileName.slice(ROOT.length),
      message: ts.flattenDiagnosticMessageText(messageText, ' '),
    }))
}

test('Portugal and Portuguese are missed where they have to be told, and nowhere else', () => {
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
    // Where a person may live: every country of the world.
    'console/src/onboarding/steps/representative.tsx',
    LIST,
    'server/src/countries/folders.ts',
  ])
})
