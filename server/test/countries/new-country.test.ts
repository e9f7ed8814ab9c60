/**
 * A new country and language: the compiler names each place that must be extended, and no other
 * file lists the countries. Compiles the sources with Portugal and Portuguese added to the
 * contract's lists.
 */
import { COUNTRIES, COUNTRY_FACTS } from '@headroom/contract'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT, type Source, typescript } from '../tidy/sources.ts'

const LIST = 'contract/src/countries.ts'

/**
 * Only files that mention countries or languages can hold such a table. Checking all files would
 * take twice as long.
 */
const SPEAKS_OF_THEM = /countr|langu|locale|\bFRA?\b/i

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

/** Compiler errors, as file and message, if `path` has this text instead. */
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
  ])
})
