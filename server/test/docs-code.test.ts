/**
 * Tests the TypeScript in the docs: it compiles against the SDK, and the guides do what they say.
 */
import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { testApp } from './support/app.ts'
import { pages, ROOT } from './tidy/sources.ts'

const blocks = pages.flatMap(page =>
  [...page.text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code], index) => ({
    path: `${ROOT}${page.path}.${index + 1}.ts`,
    code: code!,
  })),
)

/** Names that a block may use from earlier blocks, or that its reader supplies. */
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

test('every block compiles', () => {
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

/**
 * The expected output, where a line gives it: `console.log(…) // CLOSED; the debit is cancelled`.
 */
const PRINTS = /console\.log\(.*\) \/\/ ([^;:\n]+)/g

/** Runs a block with this client; returns the lines it printed. */
async function run(code: string, headroom: unknown): Promise<string[]> {
  const printed: string[] = []
  const log = (...values: unknown[]) => printed.push(format(...values))
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  })
  const body = new Function('headroom', 'console', `return (async () => {${outputText}})()`)
  await body(headroom, { log })
  return printed
}

/** The first code block of each section. The text before the first section creates the client. */
const guides = readFileSync(`${ROOT}docs/guides.md`, 'utf8')
  .split(/^## /m)
  .slice(1)
  .map(text => ({ title: text.split('\n')[0], code: /```ts\n([\s\S]*?)```/.exec(text)![1]! }))

describe('a guide does what it says', () => {
  test.each(guides)('$title', async ({ code }) => {
    const { client } = await testApp()
    const printed = await run(code, client)
    const output = [...code.matchAll(PRINTS)].map(([, line]) => line)
    expect(printed).toEqual(expect.arrayContaining(output))
  })
})
