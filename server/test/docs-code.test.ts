/** The TypeScript that the pages show: it must fit the SDK as it is. */
import ts from 'typescript'
import { expect, test } from 'vitest'
import { pages, ROOT } from './tidy/sources.ts'

const blocks = pages.flatMap(page =>
  [...page.text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code], index) => ({
    path: `${ROOT}${page.path}.${index + 1}.ts`,
    code: code!,
  })),
)

/** What a block may take from the one before it, or from its reader. */
const GIVEN: Record<string, string> = {
  headroom: `import('@headroom/sdk').Client`,
  client: `import('@headroom/sdk').Client`,
  loan: `import('@headroom/contract').Loan`,
  request: `import('node:http').IncomingMessage`,
  rawBody: 'string',
}

function textOf({ code }: { code: string }): string {
  const missing = Object.entries(GIVEN).filter(
    ([name]) => !new RegExp(`const ${name} =|async \\(${name}`).test(code),
  )
  const given = missing.map(([name, type]) => `declare const ${name}: ${type}\n`).join('')
  return `${given}${code}\nexport {}\n`
}

test('every block compiles', { timeout: 60_000 }, () => {
  expect(blocks.length).toBeGreaterThan(2)
  const config = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  options.noUnusedLocals = false
  const host = ts.createCompilerHost(options)
  const ours = new Map(blocks.map(block => [block.path, textOf(block)]))
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = path => ours.has(path) || fileExists(path)
  host.readFile = path => ours.get(path) ?? readFile(path)
  host.getSourceFile = (path, language, ...more) => {
    const text = ours.get(path)
    if (text === undefined) return getSourceFile(path, language, ...more)
    return ts.createSourceFile(path, text, language, true)
  }
  const program = ts.createProgram([...ours.keys()], options, host)
  const faults = [...ours.keys()].flatMap(path => {
    const file = program.getSourceFile(path)!
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  })
  expect(
    faults.map(f => `${f.file?.fileName} ${ts.flattenDiagnosticMessageText(f.messageText, ' ')}`),
  ).toEqual([])
})
