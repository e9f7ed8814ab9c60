/** The project's documentation: links, decision records, settings and commands. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as banks from '../../src/integrations/adapters/index.ts'
import type { BankAdapter } from '../../src/integrations/ports/bank-adapter.ts'
import { pages, ROOT, type Source, texts } from './sources.ts'

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const CODE = /```[\s\S]*?```/g

/** Broken links between pages, anchors included. */
export function brokenLinks(): string[] {
  return pages.flatMap(page =>
    [...page.text.replace(CODE, '').matchAll(LINK)]
      .map(([, target]) => target!)
      .filter(target => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))
      .map(target => `${page.path} → ${target}`),
  )
}

const NAMED_FILE = /`([\w./-]+\.(?:ts|tsx|mjs|sql|md))`/g

/**
 * Missing files that pages may name: one that the reader writes, and a migration from before the
 * baseline.
 */
const ELSEWHERE = ['first-loan.ts', '0047_keys_of_loans.sql']

/** File names on pages for which no such file exists. */
export function filesNamedInVain(): string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.replace(CODE, '').matchAll(NAMED_FILE)]
      .map(([, name]) => name!)
      .filter(name => !ELSEWHERE.includes(name))
      .filter(name => !texts.some(file => `/${file.path}`.endsWith(`/${name}`)))
      .map(name => `${path} → ${name}`),
  )
}

function leadsSomewhere({ path }: Source, target: string): boolean {
  const [file, anchor] = target.split('#') as [string, string | undefined]
  const to = file === '' ? path : join(dirname(path), file).replaceAll('\\', '/')
  if (!existsSync(`${ROOT}${to}`)) return false
  if (anchor === undefined) return true
  const page = pages.find(p => p.path === to)
  return page !== undefined && anchorsOf(page).includes(anchor)
}

function anchorsOf({ text }: Source): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const PARTS = ['Context', 'Decision', 'Consequences', 'Alternatives']
/** One page when printed. */
const DECISION_LINES_MAX = 50

/**
 * Faults in the titles, sections or length of the decision records. A record that no longer
 * explains anything is deleted, and its number is not used again.
 */
export function decisionFaults(): string[] {
  const records = pages.filter(page => page.path.startsWith('docs/decisions/'))
  const numbers = records.map(({ path }) => path.slice('docs/decisions/'.length).split('-')[0])
  return records.flatMap(({ path, text }, index) => {
    const faults = []
    if (numbers.indexOf(numbers[index]) !== index) faults.push(`${path} has a number twice`)
    const title = `# ${Number(numbers[index])}. `
    if (!text.startsWith(title)) faults.push(`${path} is not titled ${title}`)
    const missing = PARTS.filter(part => !text.includes(`\n## ${part}\n`))
    faults.push(...missing.map(part => `${path} lacks ${part}`))
    if (text.split('\n').length > DECISION_LINES_MAX) faults.push(`${path} is longer than a page`)
    return faults
  })
}

/** Pages below docs/ without a link to them or their folder. */
export function lostPages(): string[] {
  const targets = pages.flatMap(page =>
    [...page.text.matchAll(LINK)].map(([, target]) =>
      join(dirname(page.path), target!.split('#')[0]!).replaceAll('\\', '/'),
    ),
  )
  return pages
    .map(page => page.path)
    .filter(path => path.startsWith('docs/') && !targets.includes(path))
    .filter(path => !targets.includes(`${dirname(path)}/`))
}

function textOf(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8')
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(match => match[1]!))].sort()
}

const OPERATING = 'docs/operating.md'

const SETTING = /(?:\benv\.|reading, ')([A-Z_]+)/g
const ofBanks = Object.values(banks).flatMap((bank: BankAdapter) => bank.settings)

/** The settings the code reads, and those the operating page lists. */
export function settings(): { read: string[]; declared: string[] } {
  return {
    read: [...found(textOf('server/src/config.ts'), SETTING), ...ofBanks].sort(),
    declared: found(textOf(OPERATING), /^\| `([A-Z_]+)` \|/gm),
  }
}

/** The commands that exist, and those the operating page lists; without their options. */
export function commands(): { known: string[]; declared: string[] } {
  return {
    known: found(
      textOf('server/src/entrypoints/commands/index.ts'),
      /\busage: '([a-z ]+?)[ A-Z]*(?: \[.*)?'/g,
    ),
    declared: found(textOf(OPERATING), /^\| `([a-z ]+?)[ A-Z]*` \|/gm),
  }
}
