/** The allowed direction of imports: from higher to lower layers, never up or sideways. */
import { existsSync, readFileSync } from 'node:fs'
import { type Import, imports, reach, valuesOf } from './imports.ts'
import { below, pathInArea, ROOT, type Source, typescript } from './sources.ts'

/**
 * The server's areas and the files next to them, from the lowest up, each with its modules from the
 * lowest up. Modules in one row do not import each other.
 */
const LAYER_TABLE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contract: [['contract']],
  platform: [
    ['kit'],
    ['config', 'log-output'],
    ['db'],
    ['events', 'jobs'],
    ['ledger'],
    ['context', 'facts'],
    ['access'],
    ['alerts'],
  ],
  countries: [['countries']],
  integrations: [
    ['ports', 'bank-files'],
    ['adapters', 'documents'],
    ['mails', 'lender'],
  ],
  companies: [
    ['registry'],
    ['borrowers'],
    ['business-data', 'company-files'],
    ['credit-lines'],
    ['counterparties'],
  ],
  money: [['payments'], ['partner-terms']],
  credit: [
    ['invoices'],
    ['loans'],
    ['bills'],
    ['delinquency'],
    ['recollection', 'subscriptions'],
    ['repayments'],
    ['cards'],
    ['statements'],
  ],
  partners: [['eligibility'], ['onboardings'], ['referrers'], ['webhooks', 'decisions']],
  'back-office': [
    ['reports', 'portfolio'],
    ['operations', 'going-live'],
    ['verification'],
    ['business-days'],
  ],
  lists: [['event-views', 'reactions', 'job-handlers']],
  sandbox: [['sandbox']],
  entrypoints: [
    ['live-handlers'],
    ['handlers', 'archive'],
    ['mcp'],
    ['http'],
    ['worker'],
    ['app', 'seed'],
    ['commands'],
  ],
  process: [['main']],
}
const LAYERS = Object.values(LAYER_TABLE).flat()

/**
 * The folders within a module, from the lowest up. The files next to them are shared and lie below
 * all folders; the module's entry files may import everything.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'bank-files': ['reading', 'writing'],
  borrowers: ['wallets', 'repayment-methods', 'owners', 'restrictions', 'registration'],
  payments: [
    'orders',
    'collections',
    'suspense',
    'card-settlement',
    'bank-news',
    'bank-statements',
  ],
  loans: [
    'amounts-due',
    'booking',
    'repayments',
    'contracts',
    'requests',
    'closing',
    'payouts',
    'changes',
  ],
  bills: ['printed', 'collection', 'credits', 'documents', 'corrections', 'month-end'],
  recollection: ['cases', 'plans', 'interest-stops'],
}
const DOORS = /\/(index|handlers)\.ts$/

/** Modules that may import types from higher layers, because importing a type calls nothing. */
const TYPES_MAY_POINT_UP = ['config', 'context', 'facts']

/** Modules that know operations and events only. Of our code, they import just `THEY_KNOW`. */
const ASIDE = ['webhooks', 'decisions']
const THEY_KNOW = ['contract', 'kit', 'db', 'access', 'context', 'events']

/** Modules imported through their index. Files of the platform are imported directly. */
export const MODULES: readonly string[] = [
  'documents',
  'mails',
  ...['companies', 'money', 'credit', 'partners', 'back-office'].flatMap(area =>
    LAYER_TABLE[area]!.flat(),
  ),
  'sandbox',
]

/** A path's place in the layers: its module, or its file next to the areas. */
export function moduleOf(path: string): string {
  const [first] = path.split('/')
  if (first !== 'server') return first!
  return pathInArea(path).split('/')[0]!.replace(/\.ts$/, '')
}

export const layerOf: ReadonlyMap<string, number> = new Map(
  LAYERS.flatMap((places, floor) => places.map(place => [place, floor])),
)

const inServer = imports.filter(i => i.from.startsWith('server/src/') && i.ours)

export function unknownPlaces(): string[] {
  const places = new Set(below(typescript, 'server/src').map(file => moduleOf(file.path)))
  return [...places].filter(place => !layerOf.has(place))
}

function isFault({ from, to, type_only }: Import): boolean {
  const [here, there] = [moduleOf(from), moduleOf(to)]
  if (here === there || (type_only && TYPES_MAY_POINT_UP.includes(here))) return false
  if (ASIDE.includes(here) && !THEY_KNOW.includes(there)) return true
  return (layerOf.get(there) ?? 0) >= layerOf.get(here)!
}

export function layerViolations(): string[] {
  return inServer.filter(isFault).map(({ from, to }) => `${from} → ${to}`)
}

/** A file's level within its module; null if the module does not list its folder. */
function heightOf(path: string): number | null {
  if (DOORS.test(path)) return Number.POSITIVE_INFINITY
  const [, , , module, folder, file] = path.split('/')
  if (!file) return -1
  const height = FOLDERS[module!]!.indexOf(folder!)
  return height < 0 ? null : height
}

/** Imports within a module that point up, and files in unlisted folders. */
export function innerViolations(): string[] {
  const inside = inServer.filter(({ from, to }) => {
    const module = moduleOf(from)
    return module in FOLDERS && module === moduleOf(to)
  })
  return inside
    .filter(({ from, to }) => {
      const [here, there] = [heightOf(from), heightOf(to)]
      return here === null || there === null || there > here
    })
    .map(({ from, to }) => `${from} → ${to}`)
}

/**
 * Values imported from inside another module. Modules are imported through their index; their pure
 * files may be imported directly.
 */
export function deepImports(): string[] {
  return inServer
    .filter(({ from, to, type_only }) => {
      const there = moduleOf(to)
      if (type_only || !MODULES.includes(there) || moduleOf(from) === there) return false
      return !DOORS.test(to) && !isPure(to)
    })
    .map(({ from, to }) => `${from} → ${to}`)
}

/** Files that import themselves through others, which makes the order of execution accidental. */
export function importCycles(): string[] {
  return below(typescript, 'server/src')
    .filter(({ path }) => valuesOf(path).some(to => reach(to).has(path)))
    .map(file => file.path)
}

/** Files that are pure by name or location: everything they need is passed as arguments. */
const PURE = [
  /^server\/src\/platform\/kit\//,
  /^server\/src\/countries\//,
  /^server\/src\/([a-z-]+\/){2,3}(compute|rules|account|interest|dates|revocable|scorecard|figures|entries|chart)\.ts$/,
  /^server\/src\/companies\/counterparties\/read-party\.ts$/,
  /^server\/src\/partners\/decisions\/(references|planned-operation|match-step)\.ts$/,
  /^server\/src\/credit\/invoices\/(read-invoice|extraction\/(extract|layout|parties|values|words))\.ts$/,
  /^server\/src\/companies\/borrowers\/repayment-methods\/direct-debit-data\.ts$/,
  /^server\/src\/integrations\/documents\/(blocks|bill|contract|format|mails|mandate|terms|types)\.ts$/,
  /^server\/src\/integrations\/documents\/(draw|pen|texts\/.*)(\.ts)?$/,
  /^server\/src\/integrations\/adapters\/sandbox\/(bank-rules|countries|ibans|company-.*)\.ts$/,
  /^contract\/src\//,
]

/** Yields between parts of long work; the time it reads does not affect results. */
const TAKES_TURNS = 'server/src/platform/kit/pauses.ts'

function isPure(path: string): boolean {
  return path !== TAKES_TURNS && PURE.some(pattern => pattern.test(path))
}

const IMPURE_PLACES = ['db', 'ports', 'jobs', 'events', 'context', 'facts', 'config']
const IMPURE_PACKAGES = /^(pg|fastify|kysely|pino|prom-client|node:(fs|net|http|child|dns))/

/** Impure imports of pure files, and pure files that read a clock or random numbers. */
export function impureImports(): string[] {
  const pure = below(typescript, 'server/src').filter(file => isPure(file.path))
  return pure.flatMap(file => [...reached(file), ...clocks(file)])
}

function reached(file: Source): string[] {
  return [...reach(file.path)]
    .filter(to => {
      if (to === file.path || isPure(to)) return false
      return IMPURE_PACKAGES.test(to) || IMPURE_PLACES.includes(moduleOf(to))
    })
    .map(to => `${file.path} → ${to}`)
}

/** A default argument (`now: Date = new Date()`) is allowed: the caller can pass its own. */
function clocks({ path, text }: Source): string[] {
  const reads = /(?<!: Date = )new Date\(\)|Date\.now\(\)|performance\.now\(\)|Math\.random\(\)/
  return reads.test(text) ? [`${path} reads a clock or throws dice`] : []
}

const AREAS = Object.keys(LAYER_TABLE).filter(area => existsSync(`${ROOT}server/src/${area}`))

const areaOf = (path: string) => AREAS.find(area => path.startsWith(`server/src/${area}/`))

/** The other areas that each area imports, according to its README and in fact. */
export function areaDependencies(): Record<'declared' | 'used', Record<string, string>> {
  const used = AREAS.map(area => {
    const reached = new Set(inServer.flatMap(i => (areaOf(i.from) === area ? areaOf(i.to) : [])))
    return [area, AREAS.filter(one => one !== area && reached.has(one)).join(', ')]
  })
  const declared = AREAS.map(area => {
    const page = readFileSync(`${ROOT}server/src/${area}/README.md`, 'utf8')
    return [area, /^Uses: (.*)\.$/m.exec(page)?.[1] ?? '']
  })
  return { declared: Object.fromEntries(declared), used: Object.fromEntries(used) }
}
