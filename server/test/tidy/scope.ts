/** Statements that write or look up rows of partners without naming the partner. */
import ts from 'typescript'
import { below, nodesOf, pathInArea, type Source, typescript } from './sources.ts'

const WRITES = /\b(?:update|delete\s+from)\s+([a-z_]+)/g
const NAMES_PARTNER = /partner_id = |haveKeys\(|ofPartner\(|ofEachPartner\(/

/** Whole templates; a nested template is part of the outer template's statement. */
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
 * Each `select`, `update` or `delete` of a statement, with `()` in place of those inside it. The
 * parts of a `union` are separate.
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
/** Words that may follow a table without an alias. */
const NO_NAME = /^(?:cross|for|group|having|inner|join|left|limit|on|order|set|using|where)$/
/** A column with the id of a partner's row. */
const ID = '(?!partner_id|product_id)(?:id|[a-z_]+_id)'
/** A comparison with a given value, a list, the rows of a query, or the last key of a page. */
const VALUE = '(?:[=>] (?:any\\b|\\$\\{|\\()|in\\b)'
const SAME_ID = new RegExp(`\\b([a-z_]+)\\.${ID} = ([a-z_]+)\\.${ID}\\b`, 'g')
/** The helpers of `of-partner.ts` and `directory.ts`, up to the name of the table. */
const HELPER =
  '\\b(?:haveKeys|haveKeysIn|followKey|haveNames|isNamed|of(?:Each)?Partner|ofEachOwner)\\([^}]*'
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
  const names = named.map(({ name }) => name)
  const partnerOf = partnersIn(conditions, names)
  const isAlone = ({ name }: { name: string }) => {
    if (partnerOf(name) === GIVEN) return false
    const own = names.length === 1 ? `(?<![.\\w])(?:${name}\\.)?` : `\\b${name}\\.`
    if (new RegExp(`${own}${ID} ${VALUE}`).test(conditions)) return true
    const others = [...conditions.matchAll(SAME_ID)]
      .map(([, a, b]) => [a!, b!])
      .filter(pair => pair.includes(name))
      .flatMap(pair => pair.filter(other => other !== name))
    const isCompared = new RegExp(`\\b${name}\\.partner_id\\b`).test(conditions)
    return others.some(other =>
      names.includes(other) ? partnerOf(other) !== partnerOf(name) : !isCompared,
    )
  }
  return named.filter(isAlone).map(({ table }) => table)
}

/** Stands for a partner that a level takes from a value, another level or a query. */
const GIVEN = ' '

/**
 * Returns a function from a table's name in a level to a name that all tables with the same partner
 * share. That is `GIVEN` if the partner is given.
 */
function partnersIn(conditions: string, names: readonly string[]): (name: string) => string {
  const same = new Map<string, string>()
  const partnerOf = (name: string): string => {
    const other = same.get(name)
    return other === undefined ? name : partnerOf(other)
  }
  const join = (a: string, b: string) => {
    const [one, other] = [partnerOf(a), partnerOf(b)].sort()
    if (one !== other) same.set(other!, one!)
  }
  for (const [, a, b] of conditions.matchAll(SAME_PARTNER)) {
    // Other names are tables of an outer level, or rows of a query.
    for (const name of [a!, b!]) if (!names.includes(name)) join(name, GIVEN)
    join(a!, b!)
  }
  const isOne = /(?<![.\w])partner_id (?:=|in)|\(partner_id, |(?:ofPartner|orLenders)\(\w+\)/.test(
    conditions,
  )
  for (const name of names) {
    const given = `\\b${name}\\.partner_id ${VALUE}|\\(${name}\\.partner_id, |${HELPER}'${name}'`
    if (isOne || new RegExp(given).test(conditions)) join(name, GIVEN)
  }
  return partnerOf
}
