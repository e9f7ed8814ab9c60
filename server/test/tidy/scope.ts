/** Statements that write rows of partners without naming the partner. */
import ts from 'typescript'
import { below, nodesOf, pathInArea, type Source, typescript } from './sources.ts'

const WRITES = /\b(?:update|delete\s+from)\s+([a-z_]+)/g
const NAMES_PARTNER = /partner_id = |haveKeys\(|ofPartner\(|ofEachPartner\(/

/** Whole templates; one inside another is a part of its statement. */
function templatesOf(file: Source): ts.TemplateLiteral[] {
  return [...nodesOf(file)].filter(
    (node): node is ts.TemplateLiteral => ts.isTemplateLiteral(node) && !isPart(node),
  )
}

function isPart(node: ts.Node): boolean {
  for (let { parent } = node; parent; { parent } = parent) {
    if (ts.isTemplateLiteral(parent)) return true
  }
  return false
}

/** Files whose statements write one of these tables and name no partner, as `path: table`. */
export function writesWithoutPartner(tables: ReadonlySet<string>): string[] {
  const found = below(typescript, 'server/src').flatMap(file =>
    templatesOf(file)
      .map(template => template.getText())
      .filter(text => !NAMES_PARTNER.test(text))
      .flatMap(text => [...text.matchAll(WRITES)].map(match => match[1]!))
      .filter(table => tables.has(table))
      .map(table => `${pathInArea(file.path)}: ${table}`),
  )
  return [...new Set(found)].sort()
}
