/**
 * Measures fairness: one partner sends heavy requests while another reads a loan at a steady rate.
 * The figure is the latency of the second partner.
 */
import { type Client, createClient } from '@headroom/sdk'
import { businessOf } from '../../server/src/sandbox/generators.ts'
import { createBorrowers } from '../borrowers.ts'
import type { Request } from '../connection.ts'
import type { Company, LoadPlan, LoadResult } from '../load.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { runLoad } from '../run-load.ts'
import { dataFolder, type Service, startService } from '../service.ts'

const AT_ONCE = 64
const RATE = 50
const WATCHERS = 16
const WARM_UP_SECONDS = 3
const BATCH_ROWS = 20_000
const EXPORTS_AT_ONCE = 4
const BATCHES_AT_ONCE = 2
const CARD_ENTRIES = 500
const BARS = { first_bar: 250, goal: 50 }

/** Requests that the busy partner sends over `connections`, repeatedly unless `once` is set. */
interface Flood {
  readonly name: string
  readonly connections: number
  readonly once: boolean
  readonly requests: (client: Client, options: Options) => Promise<Request[]>
}

const FLOODS: readonly Flood[] = [
  { name: 'statements as PDF', connections: AT_ONCE, once: false, requests: statements },
  { name: 'signatures', connections: AT_ONCE, once: true, requests: signatures },
  { name: 'invoices read from their PDF', connections: AT_ONCE, once: true, requests: invoices },
  { name: 'exports of a card', connections: EXPORTS_AT_ONCE, once: false, requests: exports },
  { name: 'batches', connections: BATCHES_AT_ONCE, once: false, requests: batches },
]

export async function measureHeavy(options: Options, say: (line: string) => void): Promise<Row[]> {
  const folder = dataFolder()
  const service = await startService(folder.path, 'serve')
  try {
    const watch = await watchPlan(service, options)
    await runLoad({ ...watch, seconds: WARM_UP_SECONDS })
    const rows: Row[] = []
    for (const flood of FLOODS) rows.push(await measure(flood, { service, options, watch, say }))
    return rows
  } finally {
    await service.stop()
    folder.remove()
  }
}

/** The load of the second partner: reading one of its own loans. */
async function watchPlan(
  { port, second_key: key }: Service,
  { seconds }: Options,
): Promise<LoadPlan> {
  const client = createClient({ base_url: `http://127.0.0.1:${port}`, key })
  const companies = await createBorrowers(client, 1)
  const id = await lend(client, companies[0]!)
  const work = { kind: 'get', path: `/loan/${id}` } as const
  return { port, key, connections: WATCHERS, seconds, rate: RATE, work }
}

async function lend(client: Client, { identifier, account_number }: Company): Promise<string> {
  const today = (await client.getSandboxClock()).business_date.slice(0, 10)
  const later = new Date(Date.parse(today) + 30 * 86_400_000).toISOString().slice(0, 10)
  const { id } = await client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 100_000,
    borrower: { identifier },
    loan_to: { account_number },
    to_pay_at: today,
    to_repay_at: later,
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  return id
}

interface Course {
  readonly service: Service
  readonly options: Options
  readonly watch: LoadPlan
  readonly say: (line: string) => void
}

interface Found {
  readonly watched: LoadResult
  readonly flood: LoadResult
}

async function measure(flood: Flood, { service, options, watch, say }: Course): Promise<Row> {
  const { port, key, client } = service
  const found: Found[] = []
  for (let n = 0; n < options.repetitions; n++) {
    const requests = await flood.requests(client, options)
    const plan: LoadPlan = {
      port,
      key,
      connections: flood.connections,
      rate: null,
      seconds: options.seconds,
      ...(flood.once && { at_most: requests.length, seconds: 10 * options.seconds }),
      work: { kind: 'heavy', requests },
    }
    const busy = runLoad(plan)
    const [watched, result] = await Promise.all([runLoad(watch), busy])
    found.push({ watched, flood: result })
  }
  const p99 = found.map(one => one.watched.p99_ms)
  say(`${flood.name}: p99 ${p99.map(ms => ms.toFixed(0)).join(', ')} ms`)
  const middle = (of: (one: Found) => number) => median(found.map(of)).toFixed(1)
  return {
    work: `GET /loan/{id} beside another partner's ${flood.connections} ${flood.name}: p99`,
    value: median(p99),
    unit: 'ms',
    better: 'less',
    ...BARS,
    text: [
      `p50 ${middle(one => one.watched.p50_ms)} ms, max ${middle(one => one.watched.max_ms)} ms`,
      `the other partner ${middle(one => one.flood.per_second)}/s`,
      `p50 ${middle(one => one.flood.p50_ms)} ms`,
    ].join('; '),
    details: found,
  }
}

let borrowers = 100

/** A company that is not a borrower yet; another one on each call. */
function nextBusiness() {
  borrowers++
  return businessOf('FRA', borrowers, borrowers)
}

async function createOne(client: Client): Promise<string> {
  const { id } = await client.createBorrower(nextBusiness())
  return id!
}

async function signedOne(client: Client): Promise<string> {
  const borrower_id = await createOne(client)
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  return borrower_id
}

async function statements(client: Client): Promise<Request[]> {
  const id = await signedOne(client)
  const year = new Date().getUTCFullYear()
  const query = `from=${year - 1}-01-01&to=${year + 1}-12-31&format=pdf`
  return [{ method: 'GET', path: `/borrower/${id}/statement?${query}` }]
}

async function signatures(client: Client): Promise<Request[]> {
  const requests: Request[] = []
  for (let n = 0; n < AT_ONCE; n++) {
    const body = JSON.stringify({ signed_at: new Date().toISOString() })
    requests.push({ method: 'POST', path: `/borrower/${await createOne(client)}/sign`, body })
  }
  return requests
}

async function invoices(client: Client): Promise<Request[]> {
  const requests: Request[] = []
  for (let n = 0; n < AT_ONCE; n++) {
    const { invoice_creation_payload } = await client.generateSandboxInvoice({})
    const body = JSON.stringify(invoice_creation_payload)
    requests.push({ method: 'POST', path: '/invoices', body })
  }
  return requests
}

async function exports(client: Client): Promise<Request[]> {
  const borrower_id = await signedOne(client)
  const input = { borrower_id, first_name: 'Ada', last_name: 'Byron' }
  const { id: card_id } = await client.createCard(input)
  await client.updateCardStatus({ card_id, status: 'active' })
  for (let n = 0; n < CARD_ENTRIES; n++) {
    await client.authorizeSandboxCard({
      card_id,
      amount: 1,
      currency: 'EUR',
      merchant_name: `Shop ${n}`,
    })
  }
  const path = `/cards/${card_id}/entries/export`
  return ['csv', 'pdf'].map(format => ({ method: 'GET', path: `${path}?format=${format}` }))
}

/** One request with the maximum number of transactions. */
async function batches(): Promise<Request[]> {
  const { identifier } = nextBusiness()
  const transactions = Array.from({ length: BATCH_ROWS }, (_, n) => ({
    account: 'main',
    amount: 1000 + n,
    side: 'credit',
    currency: 'EUR',
    salt_id: `row-${n}`,
    at: new Date(Date.now() - n * 60_000).toISOString(),
  }))
  const body = JSON.stringify({ identifier, identifier_type: 'siren', transactions })
  return [{ method: 'POST', path: '/business/data/account-transactions', body }]
}
