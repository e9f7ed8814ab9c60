/** Words that are forbidden, or allowed only in certain places. */
import { below, code, hits, pathInArea, type Source, texts, typescript } from './sources.ts'

/** Split in two, so that this file does not match itself. */
const word = (...halves: string[]) => halves.join('')

export function marks(): string[] {
  const words = [word('TO', 'DO'), word('FIX', 'ME'), word('X', 'XX'), word('HA', 'CK')]
  return hits(texts, new RegExp(`\\b(${words.join('|')})\\b`))
}

/** Folders of a developer's machine. */
export function machinePaths(): string[] {
  const halves = [
    ['wo', 'rk'],
    ['fa', 'rm'],
    ['tmp/', 'probe'],
    ['Us', 'ers'],
    ['ho', 'me'],
  ]
  const folders = halves.map(([a, b]) => word('/', a!, b!, '/'))
  return hits(texts, new RegExp(folders.join('|')))
}

export function prints(): string[] {
  return hits(below(code, 'server/src'), /console\.(log|info|debug)\(/)
}

/** Test files share loaded modules, so one file's mock would affect the others. */
export function mockedModules(): string[] {
  return hits(typescript, new RegExp(`\\bvi\\.${word('mo', 'ck')}\\(`))
}

/** `any` switches type checking off; where unavoidable, a lint suppression states the reason. */
export function anyCasts(): string[] {
  return hits(typescript, new RegExp(`\\b${word('as ', 'any')}\\b|<${word('an', 'y')}>`))
}

/** Files with statuses that have no machine, or belong to other software. */
const OTHER_STATUSES = [
  // Row types. The generator types the columns that have a machine.
  'server/src/platform/db/schema.ts',
  // Partners' statuses are set by operators; the history covers all machines.
  'server/src/platform/access/sessions.ts',
  'server/src/platform/db/verify-history.ts',
  // Read from Stripe's data.
  'server/src/integrations/adapters/stripe/card-issuer.ts',
  'server/src/integrations/adapters/stripe/read-event.ts',
  // The title of a column.
  'server/src/integrations/documents/texts/card-statement.ts',
]

/** A status that is any text, or a cast to a status: the contract's machines type every status. */
export function untypedStatuses(): string[] {
  return hits(below(code, 'server/src'), /status\??: string\b|status as ['A-Z]/).filter(
    hit => !OTHER_STATUSES.some(path => hit.startsWith(path)),
  )
}

/**
 * The time limit of a test (`vitest.config.ts`). It is meant for tests that hang; a shorter limit
 * would also end slow tests.
 */
const TEST_MS_MIN = 240_000

/** Tests and hooks with a time limit so short that a busy machine may exceed it. */
export function hurriedTests(): string[] {
  const limits = /^ *\}, (?<after>[\d_]+)\)$|\},\n +(?<below>[\d_]+),\n *\)$/gm
  return typescript
    .filter(({ path }) => /\.(test|story)\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(limits)]
        .map(({ groups }) => Number((groups!.after ?? groups!.below)!.replaceAll('_', '')))
        .filter(ms => ms >= 1_000 && ms < TEST_MS_MIN)
        .map(ms => `${path}: ${ms}`),
    )
}

/** Spreads of object literals, which switch off the check for unknown properties. */
export function packedFields(): string[] {
  return hits(typescript, /\.\.\.\{/)
}

interface Rule {
  readonly what: string
  readonly pattern: RegExp
  /** Paths within an area in which the pattern is allowed. */
  readonly allowed: readonly RegExp[]
}

const RULES: readonly Rule[] = [
  {
    what: 'reads the real clock',
    pattern: /Date\.now\(\)|(?<!: Date = )new Date\(\)|performance\.now\(\)/,
    allowed: [
      // Create and move the business clock.
      /^db\/transaction\.ts$/,
      /^business-days\/business-day\.ts$/,
      // Real time by nature: timeouts, durations, idempotency keys, webhooks, an archive's date.
      /^db\/embedded\//,
      /^cards\/backoff\.ts$/,
      /^commands\/progress\.ts$/,
      /^archive\/write-archive\.ts$/,
      // Checks a lender's file for a deployment whose clock does not exist yet.
      /^commands\/(live|command-config)\.ts$/,
      /^http\/connections\.ts$/,
      /^http\/idempotency\.ts$/,
      /^http\/mcp-batch\.ts$/,
      /^kit\/pauses\.ts$/,
      /^db\/(connect|turns)\.ts$/,
      /^webhooks\//,
      /^worker\.ts$/,
    ],
  },
  {
    what: 'waits for time to pass',
    pattern: /\bsetTimeout\b|\bsetInterval\b/,
    // Waits between two tasks, or for a lock.
    allowed: [
      /^worker\.ts$/,
      /^db\/session-lock\.ts$/,
      /^jobs\/presence\.ts$/,
      // Waits between checks of silent connections, log writes, or searches for work.
      /^db\/answer-watch\.ts$/,
      /^log-output\.ts$/,
      /^webhooks\/deliver\.ts$/,
      // Ends a process that hangs.
      /^commands\/serve\.ts$/,

      /^cards\/backoff\.ts$/,
      /^db\/embedded\//,
      /^http\//,
      /^invoices\/extraction\/(reading-turns|reader)\.ts$/,
      // Waits until a turn is given up, or an idle thread ends.
      /^kit\/fair-turns\.ts$/,
      /^kit\/thread\.ts$/,
      // Waits between two shared lookups, or until a connection is given up.
      /^kit\/coalesce-lookups\.ts$/,
      /^db\/connect\.ts$/,
    ],
  },
  {
    what: 'knows the table of jobs',
    pattern: /\b(from|into|join|update) jobs\b/,
    allowed: [/^jobs\/queue\.ts$/, /^db\/migrations\//],
  },
  {
    what: 'takes an advisory lock',
    pattern: /pg_(try_)?advisory/,
    allowed: [
      /^db\/(locks|session-lock|migrate)\.ts$/,
      // Sessions that hold a lock for their lifetime.
      /^jobs\/presence\.ts$/,
    ],
  },
  {
    what: 'says that a line is locked',
    pattern: /\bonLockedLine\(|\.map\(onLockedLine\)|\bas (?:On)?LockedLine\b/,
    allowed: [
      /^credit-lines\/balances\.ts$/,
      /^loans\/(store|booking\/money)\.ts$/,
      /^loans\/requests\/decision-inputs\.ts$/,
      /^cards\/spenders\.ts$/,
    ],
  },
  {
    what: 'books a loan without planning its payments',
    pattern: /\bbookLoanFacts\b/,
    allowed: [/^loans\/booking\/money\.ts$/, /^loans\/repayments\/plan-payments\.ts$/],
  },
  {
    what: 'sends an order that may not be stored',
    pattern: /\bbank\.submit\(/,
    allowed: [/^payments\/orders\/send-order\.ts$/],
  },
  {
    what: 'asks again whether a payment was returned',
    pattern: /\bcharged_back_payment_id = \w+\.id\b/,
    allowed: [
      // Fills `returned_at` in older exports.
      /^payments\/store\.ts$/,
      // Compares `returned_at` with the payments that took money back.
      /^verification\/verify-cash\.ts$/,
      // Reads why the money came back.
      /^loans\/repayments\/refund-surplus\.ts$/,
    ],
  },
  {
    what: 'knows the web framework',
    pattern: /from 'fastify'/,
    allowed: [/^http\//],
  },
]

export function misplaced(): string[] {
  const files = below(code, 'server/src')
  return RULES.flatMap(({ what, pattern, allowed }) => {
    const elsewhere = files.filter(({ path }) => !allowed.some(one => one.test(pathInArea(path))))
    return hits(elsewhere, pattern).map(hit => `${hit} ${what}`)
  })
}

const UPDATE =
  /\bupdate\s+((?!set\b)\S+\s+(?:\w+\s+)?)?set\b([\s\S]*?)(\bwhere\b|\bfrom\b|\breturning\b|`|$)/gi
/**
 * Tables whose status column belongs to no state machine: stored HTTP answers, sandbox outcomes.
 */
const OTHER_TABLES = ['idempotency_keys', 'sandbox_compliance']

/** Files with a statement that sets a status between `set` and `where`. */
export function statusWriters(): string[] {
  return below(typescript, 'server/src')
    .filter(({ text }) =>
      [...text.matchAll(UPDATE)].some(match => {
        const inserts = [
          ...text.slice(0, match.index).matchAll(/\b(?:insert ?into|append)\W+(\w+)/gi),
        ]
        const table = match[1]?.trim().split(' ')[0] ?? inserts.at(-1)?.[1]
        return /\bstatus\b\s*=/.test(match[2]!) && !OTHER_TABLES.includes(table ?? '')
      }),
    )
    .map(file => file.path)
}

const WRITES = [
  /\binsert into ([a-z_]+)/g,
  /\bupdate ([a-z_]+)(?:\s+(?:as )?[a-z]+)?\s+set\b/g,
  /\bdelete from ([a-z_]+)/g,
  /\b(?:insertInto|updateTable|deleteFrom|append)\(\s*'([a-z_]+)'/g,
]

/**
 * Paths within their area, by the table they write. The sandbox is left out, because its reset
 * empties the tables of other modules.
 */
function writers(): Map<string, string[]> {
  const files = below(typescript, 'server/src').filter(({ path }) => !path.includes('/sandbox/'))
  const found = files.flatMap(({ path, text }) =>
    WRITES.flatMap(pattern => [...text.matchAll(pattern)]).map(match => ({
      table: match[1]!,
      path: pathInArea(path),
    })),
  )
  return new Map(
    [...Map.groupBy(found, f => f.table)].map(([table, by]) => [
      table,
      [...new Set(by.map(f => f.path))],
    ]),
  )
}

const roomOf = (path: string) => path.split('/')[0]!

/** The module, or the file next to the modules, that owns each table by writing it. */
export function tableOwners(): ReadonlyMap<string, string> {
  const owners = [...writers()].map(([table, paths]): [string, string] => [
    table,
    roomOf(paths.filter(path => STORE.test(path))[0] ?? paths[0]!).replace(/\.ts$/, ''),
  ])
  return new Map(owners)
}

export function sharedTables(): string[] {
  const shared = [...writers()].flatMap(([table, paths]) => {
    const rooms = [...new Set(paths.map(roomOf))].sort()
    return rooms.length > 1 ? [`${table}: ${rooms.join(', ')}`] : []
  })
  return shared.sort()
}

const STORE = /^[a-z-]+\/([a-z-]+\/)?([a-z-]+-)?store(-[a-z-]+)?\.ts$/
/** Updates figures of locked credit lines; the file explains why. */
const BALANCES = 'credit-lines/balances.ts'

/** Files other than the store that write tables, in modules with a store. */
export function writersBesideStores(): string[] {
  const paths = [...new Set([...writers().values()].flat())]
  const rooms = new Set(paths.filter(path => STORE.test(path)).map(roomOf))
  return paths.filter(p => rooms.has(roomOf(p)) && !STORE.test(p) && p !== BALANCES)
}

const MONEY =
  /\b(\w*(amount|cents|principal|interest|fees|balance|outstanding|surplus|total)\w*|\d+n)\b/i

/** Divisions with a money amount on either side. */
export function moneyDivisions(): string[] {
  const files = below(code, 'server/src').filter(
    ({ path }) => path.endsWith('.ts') && path !== 'server/src/platform/kit/money.ts',
  )
  return files.flatMap(file => linesThatDivide(file))
}

function linesThatDivide({ path, text }: Source): string[] {
  return withoutComments(text).flatMap((line, index) => {
    const divided = [...line.matchAll(/([\w.)\]]+) ?[/%] ?([\w.(]+)/g)]
    const money = divided.some(([, left, right]) => MONEY.test(left!) || MONEY.test(right!))
    return money ? [`${path}:${index + 1}`] : []
  })
}

/** The lines of a file without comments and quoted text. */
function withoutComments(text: string): string[] {
  const quiet = text
    .replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ' '))
    .replace(/'[^'\n]*'/g, "''")
  return quiet.split('\n').map(line => line.replace(/(^|\s)\/\/.*$/, ''))
}

/** Files where ignoring an empty aggregate is intended: the other argument is the answer. */
const BESIDE_NOTHING = [
  // No open transaction, or no earlier sign-in: the other timestamp counts.
  'server/src/back-office/operations/audit-chain.ts',
  'server/src/platform/access/sign-in.ts',
]

/**
 * Calls of `least` and `greatest` with an aggregate that may be null. Both ignore nulls, so
 * `least(sum(amount), cap)` over no rows is the cap. The aggregate must be in a `coalesce`.
 */
export function boundsOfNothing(): string[] {
  const files = below(code, 'server/src').filter(({ path }) => {
    return path.endsWith('.ts') && !BESIDE_NOTHING.includes(path)
  })
  return files.flatMap(({ path, text }) => {
    const calls = [...text.matchAll(/\b(?:least|greatest)\(/g)]
    const wrong = calls.filter(({ 0: call, index }) => {
      const inside = argumentsAt(text, index + call.length)
      return /\b(sum|min|max|avg)\(/.test(withoutCalls(inside, 'coalesce'))
    })
    return wrong.map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`)
  })
}

/** The text between the parenthesis before `start` and its closing one. */
function argumentsAt(text: string, start: number): string {
  let depth = 1
  let end = start
  while (depth > 0 && end < text.length) {
    depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
    end++
  }
  return text.slice(start, end - 1)
}

function withoutCalls(text: string, name: string): string {
  const at = text.indexOf(`${name}(`)
  if (at < 0) return text
  const start = at + name.length + 1
  const rest = text.slice(start + argumentsAt(text, start).length + 1)
  return text.slice(0, at) + withoutCalls(rest, name)
}
