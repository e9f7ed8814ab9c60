/** The project's own files, read once and parsed on demand. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface Source {
  /** From the project root, with slashes. */
  readonly path: string
  readonly text: string
}

/** Generated files, never edited by hand. */
export const GENERATED = [
  'server/src/platform/db/schema.ts',
  'contract/openapi.json',
  'docs/machines.md',
]

const FOLDERS = '{contract,server,sdk,console,bench,simulator,scripts,docs,.ci}'
const KINDS = 'ts,tsx,mjs,sql,md,json,yaml,css,html'

/** The project's files with these extensions, in its folders and at its root. */
function readFiles(kinds: string): Source[] {
  const patterns = [`${FOLDERS}/**/*.{${kinds}}`, `*.{${kinds}}`]
  const found = globSync(patterns, {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/.headroom', '**/dist'],
  })
  const paths = found.map(path => path.replaceAll('\\', '/')).sort()
  return paths.map(path => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }))
}

const all = readFiles(KINDS).filter(file => file.path !== 'package-lock.json')

export const texts: readonly Source[] = all
export const code = all.filter(
  file => /\.(ts|tsx|mjs|sql)$/.test(file.path) && !GENERATED.includes(file.path),
)
export const typescript = code.filter(file => /\.tsx?$/.test(file.path))
export const pages = all.filter(file => file.path.endsWith('.md'))

/** Files in a folder, which is given without a trailing slash. */
export function below(files: readonly Source[], folder: string): Source[] {
  return files.filter(file => file.path.startsWith(`${folder}/`))
}

/** Areas that are a single module. */
const SINGLE_MODULE_AREAS = ['countries', 'sandbox']

/**
 * A path relative to its area of the server: its module and file, or its file next to the areas.
 */
export function pathInArea(path: string): string {
  const [, , area, module] = path.split('/')
  const from =
    SINGLE_MODULE_AREAS.includes(area!) || !module ? 'server/src/' : `server/src/${area}/`
  return path.slice(from.length)
}

const parsed = new Map<string, ts.SourceFile>()

export function parse(file: Source): ts.SourceFile {
  const known = parsed.get(file.path)
  if (known) return known
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true)
  parsed.set(file.path, tree)
  return tree
}

export function* nodesOf(file: Source): Generator<ts.Node> {
  const waiting: ts.Node[] = [parse(file)]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node
    node.forEachChild(child => {
      waiting.push(child)
    })
  }
}

export function lineOf(file: Source, node: ts.Node): number {
  return parse(file).getLineAndCharacterOfPosition(node.getStart()).line + 1
}

/** Lines that match a pattern, as `path:line`. */
export function hits(files: readonly Source[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

/** The files tracked by git; null in a copy without a repository. */
export function tracked(): string[] | null {
  if (!existsSync(`${ROOT}.git`)) return null
  return execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
}
