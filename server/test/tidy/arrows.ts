/** Which way imports may point: from the top of the house down, never up and never sideways. */
import { existsSync, readFileSync } from 'node:fs'
import { type Import, imports, reach, valuesOf } from './imports.ts'
import { below, inWing, ROOT, type Source, typescript } from './sources.ts'

/**
 * The wings of the server and the files beside them, from the lowest up, each with its rooms from
 * the lowest up. On one floor nobody knows anybody.
 */
const HOUSE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contract: [['contract']],
  platform: [
    ['kit'],
    ['config'],
    ['db'],
    ['events', 'jobs'],
    ['ledger'],
    ['context', 'facts'],
    ['access'],
    ['alerts'],
  ],
  countries: [['countries']],
  outside: [['ports'], ['adapters', 'documents'], ['mails']],
  companies: [['borrowers'], ['business-data'], ['credit-lines'], ['counterparties']],
  money: [['payments'], ['partner-terms']],
  credit: [
    ['invoices'],
    ['loans'],
    ['bills'],
    ['lateness'],
    ['recollection', 'subscriptions'],
    ['repayments'],
    ['cards'],
    ['statements'],
  ],
  partners: [['eligibility'], ['onboardings'], ['referrers'], ['webhooks', 'decisions']],
  office: [['reports', 'portfolio'], ['desk'], ['proofs'], ['days']],
  lists: [['event-views', 'reactions', 'job-handlers']],
  sandbox: [['sandbox']],
  doors: [['handlers', 'archive'], ['mcp'], ['http'], ['worker'], ['house', 'seed'], ['commands']],
  process: [['main']],
}
const FLOORS = Object.values(HOUSE).flat()

/**
 * What is done in a room that has folders of its own, from the lowest up. The files beside them are
 * what all of it is about, and lie below; the room's doors know all.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  borrowers: ['wallets', 'methods', 'owners', 'standing', 'joining'],
  payments: ['collections', 'suspense', 'card-settlement', 'bank-news'],
  loans: ['repayment', 'contracts', 'requests', 'endings', 'payouts', 'changes'],
  bills: ['printed', 'collection', 'credits', 'papers', 'corrections', 'month-end'],
  recollection: ['cases', 'plans', 'interest-stops'],
}
const DOORS = /\/(index|handlers)\.ts$/

/** What a row of the house talks about; a type says nothing about who calls whom. */
const TYPES_MAY_POINT_UP = ['config', 'context', 'facts']

/** Rooms that stand aside: they know operations and events, and of the house only what is below. */
const ASIDE = ['webhooks', 'decisions']
const THEY_KNOW = ['contract', 'kit', 'db', 'access', 'context', 'events']

/** Entered by their index. The platform is what all of them are built of. */
export const ROOMS: readonly string[] = [
  'documents',
  'mails',
  ...['companies', 'money', 'credit', 'partners', 'office'].flatMap(wing => HOUSE[wing]!.flat()),
  'sandbox',
]

/** The floor's word for a path: its room, or its file beside the wings. */
export function placeOf(path: string): string {
  const [first] = path.split('/')
  if (first !== 'server') return first!
  return inWing(path).split('/')[0]!.replace(/\.ts$/, '')
}

export const floorOf: ReadonlyMap<string, number> = new Map(
  FLOORS.flatMap((places, floor) => places.map(place => [place, floor])),
)

const inServer = imports.filter(i => i.from.startsWith('server/src/') && i.ours)

/** Places that no floor names. */
export function unknownPlaces(): string[] {
  const places = new Set(below(typescript, 'server/src').map(file => placeOf(file.path)))
  return [...places].filter(place => !floorOf.has(place))
}

function isFault({ from, to, type_only }: Import): boolean {
  const [here, there] = [placeOf(from), placeOf(to)]
  if (here === there || (type_only && TYPES_MAY_POINT_UP.includes(here))) return false
  if (ASIDE.includes(here) && !THEY_KNOW.includes(there)) return true
  return (floorOf.get(there) ?? 0) >= floorOf.get(here)!
}

/** Imports that point up or sideways. */
export function arrowFaults(): string[] {
  return inServer.filter(isFault).map(({ from, to }) => `${from} → ${to}`)
}

/** Where a file stands within its room; null where the room's list does not name its folder. */
function heightOf(path: string): number | null {
  if (DOORS.test(path)) return Number.POSITIVE_INFINITY
  const [, , , room, folder, file] = path.split('/')
  if (!file) return -1
  const height = FOLDERS[room!]!.indexOf(folder!)
  return height < 0 ? null : height
}

/** Imports within a room that point up, and what lies in a folder that its list does not name. */
export function innerFaults(): string[] {
  const inside = inServer.filter(({ from, to }) => {
    const room = placeOf(from)
    return room in FOLDERS && room === placeOf(to)
  })
  return inside
    .filter(({ from, to }) => {
      const [here, there] = [heightOf(from), heightOf(to)]
      return here === null || there === null || there > here
    })
    .map(({ from, to }) => `${from} → ${to}`)
}

/**
 * Values that a room takes out of another room's inside. It is entered by its index; its pure words
 * and rows may be named as well.
 */
export function sideDoors(): string[] {
  return inServer
    .filter(({ from, to, type_only }) => {
      const there = placeOf(to)
      if (type_only || !ROOMS.includes(there) || placeOf(from) === there) return false
      return !DOORS.test(to) && !isPure(to)
    })
    .map(({ from, to }) => `${from} → ${to}`)
}

/** Files that bring themselves along by way of others; what runs first is then a matter of luck. */
export function circles(): string[] {
  return below(typescript, 'server/src')
    .filter(({ path }) => valuesOf(path).some(to => reach(to).has(path)))
    .map(file => file.path)
}

/** Files that are pure by their name or their place: they get everything they need as arguments. */
const PURE = [
  /^server\/src\/platform\/kit\//,
  /^server\/src\/countries\//,
  /^server\/src\/([a-z-]+\/){2,3}(compute|rules|account|interest|dates|revocable|scorecard|figures|entries|chart)\.ts$/,
  /^server\/src\/companies\/counterparties\/read-party\.ts$/,
  /^server\/src\/partners\/decisions\/(references|planned-operation|match-step)\.ts$/,
  /^server\/src\/credit\/invoices\/(read-invoice|reading\/(extract|layout|parties|values|words))\.ts$/,
  /^server\/src\/companies\/borrowers\/methods\/direct-debit-data\.ts$/,
  /^server\/src\/outside\/documents\/(blocks|bill|contract|format|mails|mandate|terms|types)\.ts$/,
  /^server\/src\/outside\/documents\/(draw|pen|texts\/.*)(\.ts)?$/,
  /^server\/src\/outside\/adapters\/sandbox\/(bank-rules|countries|ibans|company-.*)\.ts$/,
  /^contract\/src\//,
]

/** Long work in turns: what comes of it does not hang on the time that this looks at. */
const TAKES_TURNS = 'server/src/platform/kit/pauses.ts'

function isPure(path: string): boolean {
  return path !== TAKES_TURNS && PURE.some(pattern => pattern.test(path))
}

const IMPURE_PLACES = ['db', 'ports', 'jobs', 'events', 'context', 'facts', 'config']
const IMPURE_PACKAGES = /^(pg|fastify|kysely|pino|prom-client|node:(fs|net|http|child|dns))/

/** What pure files bring along that can wait, or that reads a clock. */
export function impurities(): string[] {
  const pure = below(typescript, 'server/src').filter(file => isPure(file.path))
  return pure.flatMap(file => [...reached(file), ...clocks(file)])
}

function reached(file: Source): string[] {
  return [...reach(file.path)]
    .filter(to => {
      if (to === file.path || isPure(to)) return false
      return IMPURE_PACKAGES.test(to) || IMPURE_PLACES.includes(placeOf(to))
    })
    .map(to => `${file.path} → ${to}`)
}

/** An argument's default (`now = new Date()`) is the caller's to give. */
function clocks({ path, text }: Source): string[] {
  const reads = /(?<!: Date = )new Date\(\)|Date\.now\(\)|performance\.now\(\)|Math\.random\(\)/
  return reads.test(text) ? [`${path} reads a clock or throws dice`] : []
}

const WINGS = Object.keys(HOUSE).filter(wing => existsSync(`${ROOT}server/src/${wing}`))

const wingOf = (path: string) => WINGS.find(wing => path.startsWith(`server/src/${wing}/`))

/** Which other wings each wing imports from, as its page says it and as it is. */
export function usedWings(): Record<'told' | 'used', Record<string, string>> {
  const used = WINGS.map(wing => {
    const reached = new Set(inServer.flatMap(i => (wingOf(i.from) === wing ? wingOf(i.to) : [])))
    return [wing, WINGS.filter(one => one !== wing && reached.has(one)).join(', ')]
  })
  const told = WINGS.map(wing => {
    const page = readFileSync(`${ROOT}server/src/${wing}/README.md`, 'utf8')
    return [wing, /^Uses: (.*)\.$/m.exec(page)?.[1] ?? '']
  })
  return { told: Object.fromEntries(told), used: Object.fromEntries(used) }
}
