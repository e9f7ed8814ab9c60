/**
 * A country more: the compiler names each place that has to know of it, and nothing else lists the
 * countries. The sources are compiled as they are, but for one more code in the contract's list.
 */
import { COUNTRIES, COUNTRY_FACTS } from '@headroom/contract'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT, type Source, typescript } from '../tidy/sources.ts'

const LIST = 'contract/src/countries.ts'

/** Files that may say so of themselves: they speak of countries or know one by its code. */
const SPEAKS_OF_COUNTRIES = /countr|\bFRA?\b/i

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
    .filter(file => SPEAKS_OF_COUNTRIES.test(file.text))
    .flatMap(file => program.getSemanticDiagnostics(file))
    .map(({ file, messageText }) => ({
      file: file!.fileName.slice(ROOT.length),
      message: ts.flattenDiagnosticMessageText(messageText, ' '),
    }))
}

test('Portugal in the list is missed where it has to be told, and nowhere else', () => {
  const list = typescript.find(file => file.path === LIST)!.text
  const longer = list.replace("'BE'] as const", "'BE', 'PT'] as const")
  expect(longer).not.toBe(list)
  const faults = faultsWith(LIST, longer)
  expect([...new Set(faults.map(fault => fault.file))].sort()).toEqual([
    // Its alpha-3 code, and what its company numbers are called.
    LIST,
    // Its folder.
    'server/src/countries/served.ts',
    // A company on the documents that tests draw.
    'server/test/documents/samples.ts',
  ])
  expect(faults.filter(({ message }) => !message.includes("'PT'")).map(f => f.message)).toEqual([])
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
