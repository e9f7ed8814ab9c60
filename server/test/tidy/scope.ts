/** Statements that write or look up rows of partners without naming the partner. */
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

/** The tables that `find` returns for the server's statements, as `path: table`. */
function inStatements(find: (statement: string) => readonly string[]): string[] {
  const found = below(typescript, 'server/src').flatMap(file =>
    templatesOf(file)
      .flatMap(template => find(template.getText()))
      .map(table => `${pathInArea(file.path)}: ${table}`),
  )
  return [...new Set(found)].sort()
}

/** Files whose statements write one of these tables and name no partner, as `path: table`. */
export function writesWithoutPartner(tables: ReadonlySet<string>): string[] {
  return inStatements(statement => {
    if (NAMES_PARTNER.test(statement)) return []
    return [...statement.matchAll(WRITES)].map(match => match[1]!).filter(t => tables.has(t))
  })
}

/** Files whose statements look up rows of these tables by an id alone, as `path: table`. */
export function readsWithoutPartner(tables: ReadonlySet<string>): string[] {
  return inStatements(statement => levelsOf(statement).flatMap(level => byIdAlone(level, tables)))
}

/**
 * Each `select`, `update` or `delete` of a statement, with `()` in place of those inside it, and
 * the parts of a `union` apart.
 */
function levelsOf(statement: string): string[] {
  const levels: string[] = []
  const open = ['']
  const isLevel: boolean[] = []
  for (const [at, sign] of [...statement].entries()) {
    if (sign === '(') {
      isLevel.push(/^\(\s*(?:select|with|update|delete)\b/.test(statement.slice(at, at + 60)))
      if (isLevel.at(-1)) open.push('')
    }
    if (sign === ')' && isLevel.pop()) levels.push(open.pop()!.slice(1))
    open.push(open.pop() + sign)
  }
  return [...levels, ...open].flatMap(level => level.split(/\bunion\b/))
}

const TABLES = /\b(?:from|join|update|using)\s+([a-z_]+)(?:\s+(?:as\s+)?([a-z_]+))?/g
/** Words that may follow a table that has no other name. */
const NO_NAME = /^(?:cross|for|group|having|inner|join|left|limit|on|order|set|using|where)$/
/** The column of an id that belongs to a partner. */
const ID = '(?!partner_id|product_id)(?:id|[a-z_]+_id)'
/** A comparison with a given value, a list or the rows of a query. */
const VALUE = '(?:= (?:any\\b|\\$\\{|\\()|in\\b)'
const SAME_PARTNER = /\b([a-z_]+)\.partner_id = ([a-z_]+)\.partner_id\b/g

/** The tables that a level looks up by an id alone. */
function byIdAlone(level: string, tables: ReadonlySet<string>): string[] {
  const conditions = level
    .replace(/^.*?\b(?=(?:from|update)\s)/s, '')
    .replace(/\bset\s.*?(?=\b(?:from|where|returning)\s|$)/s, '')
  const named = [...conditions.matchAll(TABLES)]
    .filter(([, table]) => tables.has(table!))
    .map(([, table, word]) => ({
      table: table!,
      name: word && !NO_NAME.test(word) ? word : table!,
    }))
  const has = (pattern: string) => new RegExp(pattern).test(conditions)
  const known = knownPartners(
    conditions,
    named.map(({ name }) => name),
  )
  const isAlone = ({ name }: { name: string }) => {
    const own = named.length === 1 ? `(?<![.\\w])(?:${name}\\.)?` : `\\b${name}\\.`
    if (has(`${own}${ID} ${VALUE}`) && !known.has(name)) return true
    const joined = `\\b${name}\\.${ID} = (?!${name}\\.)[a-z_]+\\.|\\.[a-z_]+ = ${name}\\.${ID}\\b`
    return has(joined) && !known.has(name) && !has(`\\b${name}\\.partner_id\\b`)
  }
  return named.filter(isAlone).map(({ table }) => table)
}

/** The names of tables whose partner a level is given, or has from a table with a given one. */
function knownPartners(conditions: string, names: readonly string[]): Set<string> {
  const same = [...conditions.matchAll(SAME_PARTNER)].map(([, a, b]) => [a!, b!] as const)
  const isGiven = (name: string) =>
    new RegExp(`\\b${name}\\.partner_id ${VALUE}|\\(${name}\\.partner_id, |'${name}'`).test(
      conditions,
    )
  const known = new Set(names.filter(isGiven))
  if (
    /(?<![.\w])partner_id (?:=|in)|\(partner_id, |(?:ofPartner|orLenders)\(\w+\)/.test(conditions)
  ) {
    for (const name of names) known.add(name)
  }
  // Tables of an outer level, and rows of a query.
  for (const name of same.flat()) if (!names.includes(name)) known.add(name)
  for (const _ of names) {
    for (const [a, b] of same) if (known.has(a) || known.has(b)) known.add(a).add(b)
  }
  return known
}
