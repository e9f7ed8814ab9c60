/** Length of files and functions, and each file's opening sentence. */
import ts from 'typescript'
import { code, lineOf, nodesOf, type Source, typescript } from './sources.ts'

/** Longer files rarely have a single purpose. */
const FILE_LINES_MAX = 450
export const FUNCTION_LINES_MAX = 70
export const COLUMNS_MAX = 100

export function linesOf({ text }: Source): number {
  return text.replace(/\n$/, '').split('\n').length
}

export function longFiles(): string[] {
  return code
    .filter(file => linesOf(file) > FILE_LINES_MAX)
    .map(file => `${file.path} has ${linesOf(file)} lines`)
}

/** Addresses and other unbreakable words may exceed the limit. */
export function wideLines(): string[] {
  return code.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const wide = [...line].length > COLUMNS_MAX && !/^\s*(\/\/|--|\*)?\s*\S+$/.test(line)
      return wide ? [`${path}:${index + 1}`] : []
    }),
  )
}

/** The formatter does not see the lines of an SQL text. */
export function linesWithTrailingSpaces(): string[] {
  return code.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (/\s$/.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

/** `describe(…, () => …)` contains tests as a file does, so its length does not count. */
function isSuite(node: ts.Node): boolean {
  const call = node.parent
  return ts.isCallExpression(call) && /^describe\b/.test(call.expression.getText())
}

export function longFunctions(): string[] {
  return typescript.flatMap(file =>
    [...nodesOf(file)]
      .filter(node => ts.isFunctionLike(node) && 'body' in node && node.body && !isSuite(node))
      .map(node => ({ node, lines: node.getText().split('\n').length }))
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ node, lines }) => `${file.path}:${lineOf(file, node)} has ${lines} lines`),
  )
}

const TOP: Record<string, RegExp> = {
  sql: /^-- \S+ \S+/,
  ts: /^(#!.*\n)?\/\*\*\s+(\* )?\S[\s\S]*?[.:!?)][\s\S]*?\*\//,
}

export function untitledFiles(): string[] {
  const pattern = (path: string) => (path.endsWith('.sql') ? TOP.sql! : TOP.ts!)
  return code.filter(({ path, text }) => !pattern(path).test(text)).map(file => file.path)
}
