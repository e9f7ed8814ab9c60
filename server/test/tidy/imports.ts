/** Which file imports which names from where, parsed from every file's syntax. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { nodesOf, parse, ROOT, type Source, typescript } from './sources.ts'

export interface Import {
  readonly from: string
  /** A path in the project, or a package name. */
  readonly to: string
  readonly ours: boolean
  /** Whether only types are imported. */
  readonly type_only: boolean
  /** The imported names; `*` means all. */
  readonly names: readonly string[]
}

const PACKAGES: Record<string, string> = {
  '@headroom/contract': 'contract/src/index.ts',
  '@headroom/contract/countries': 'contract/src/countries.ts',
  '@headroom/sdk': 'sdk/src/index.ts',
}

function resolve(from: string, specifier: string): { to: string; ours: boolean } {
  const entry = PACKAGES[specifier]
  if (entry) return { to: entry, ours: true }
  if (!specifier.startsWith('.')) return { to: specifier, ours: false }
  return { to: join(dirname(from), specifier).replaceAll('\\', '/'), ours: true }
}

function readImport(file: Source, node: ts.Node): Import | null {
  const found = (specifier: string, type_only: boolean, names: string[]): Import => ({
    from: file.path,
    ...resolve(file.path, specifier),
    type_only,
    names,
  })
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const { importClause: clause, moduleSpecifier } = node
    return found(
      moduleSpecifier.text,
      clause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
      namesOf(clause),
    )
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const { exportClause: clause, moduleSpecifier } = node
    const names =
      clause && ts.isNamedExports(clause)
        ? clause.elements.map(e => (e.propertyName ?? e.name).text)
        : ['*']
    return found((moduleSpecifier as ts.StringLiteral).text, node.isTypeOnly, names)
  }
  // A dynamic import, `await import('…')`.
  const [argument] = ts.isCallExpression(node) ? node.arguments : []
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return dynamic && argument && ts.isStringLiteral(argument)
    ? found(argument.text, false, ['*'])
    : null
}

function namesOf(clause: ts.ImportClause | undefined): string[] {
  if (!clause) return ['*']
  const names = clause.name ? ['default'] : []
  const { namedBindings } = clause
  if (!namedBindings) return names
  if (ts.isNamespaceImport(namedBindings)) return [...names, '*']
  return [...names, ...namedBindings.elements.map(e => (e.propertyName ?? e.name).text)]
}

export const imports: readonly Import[] = typescript.flatMap(file =>
  [...nodesOf(file)].map(node => readImport(file, node)).filter(found => found !== null),
)

export function missingFiles(): string[] {
  return imports
    .filter(({ to, ours }) => ours && !existsSync(`${ROOT}${to}`))
    .map(({ from, to }) => `${from} → ${to}`)
}

/** Names in the list of long test files (`vitest.config.ts`) that no longer match a test file. */
export function missingLongTests(): string[] {
  const config = typescript.find(file => file.path === 'vitest.config.ts')!
  const [, list] = /const LONG = \[(.*?)\]/s.exec(config.text)!
  const names = [...list!.matchAll(/'(.+?)'/g)].map(([, name]) => `/${name}.test.ts`)
  return names.filter(name => !typescript.some(file => `/${file.path}`.endsWith(name)))
}

/**
 * The files and packages from which each file imports more than types, by file: those executed with
 * it.
 */
const runs = new Map<string, string[]>(
  typescript.map(file => [
    file.path,
    imports.filter(i => i.from === file.path && !i.type_only).map(i => i.to),
  ]),
)

/** The files and packages from which a file imports more than types. */
export function valuesOf(path: string): readonly string[] {
  return runs.get(path) ?? []
}

/** Every file and package executed along with `path`, itself included. */
export function reach(path: string): Set<string> {
  const seen = new Set([path])
  for (const at of seen) for (const to of valuesOf(at)) seen.add(to)
  return seen
}

export interface Exported {
  readonly name: string
  readonly is_type: boolean
}

/** The names a file exports itself, without re-exports and the default export. */
export function exportsOf(file: Source): Exported[] {
  return parse(file).statements.flatMap(statement => {
    if (!ts.canHaveModifiers(statement)) return []
    const modifiers = ts.getModifiers(statement) ?? []
    if (!modifiers.some(m => m.kind === ts.SyntaxKind.ExportKeyword)) return []
    if (modifiers.some(m => m.kind === ts.SyntaxKind.DefaultKeyword)) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(d => ({
        name: d.name.getText(),
        is_type: false,
      }))
    }
    const is_type = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    const name = (statement as ts.DeclarationStatement).name?.getText()
    return name ? [{ name, is_type }] : []
  })
}

/** The names of values that a file re-exports. Re-exported types are not counted. */
export function reexportsOf(file: Source): string[] {
  return parse(file).statements.flatMap(statement =>
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.filter(isValue(statement)).map(e => e.name.text)
      : [],
  )
}

function isValue({ isTypeOnly }: ts.ExportDeclaration) {
  return (element: ts.ExportSpecifier) => !isTypeOnly && !element.isTypeOnly
}
