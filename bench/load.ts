/**
 * The load generator, run as a child process. It receives a plan from its parent, carries it out
 * and reports the results. An unexpected response ends it with an error.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Connection, type Request } from './connection.ts'

export interface Company {
  readonly id: string
  readonly identifier: string
  readonly account_number: string
}

export interface LoadPlan {
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly seconds: number
  /**
   * Requests per second, sent even if earlier ones are unanswered, as long as a connection is free.
   * Null sends the next request whenever a connection is free.
   */
  readonly rate: number | null
  /** Requests in total; if absent, as many as fit into `seconds`. */
  readonly at_most?: number
  readonly work:
    | { readonly kind: 'get'; readonly path: string }
    /** Sends these requests in turn; 429 and 503 responses are accepted too. */
    | { readonly kind: 'heavy'; readonly requests: readonly Request[] }
    | { readonly kind: 'cards'; readonly card_ids: readonly string[] }
    | {
        readonly kind: 'loans'
        readonly companies: readonly Company[]
        readonly to_pay_at: string
        readonly to_repay_at: string
      }
}

export interface LoadResult {
  readonly answered: number
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly max_ms: number
  /** CPU that this process took from the service and the database. */
  readonly cpu_seconds: number
}

/** A cent, so that no credit line is exhausted. */
const AMOUNT = 1
const LATER = [429, 503]
const GRANTED = ['VALIDATED', 'SCHEDULED', 'INITIATED', 'TO_REPAY']

let turn = 0

function nextRequest({ work }: LoadPlan): Request {
  if (work.kind === 'heavy') return work.requests[turn++ % work.requests.length]!
  if (work.kind === 'get') return { method: 'GET', path: work.path }
  // The SDK sends this header with every POST.
  const headers = { 'idempotency-key': crypto.randomUUID() }
  if (work.kind === 'cards') {
    const card_id = work.card_ids[Math.floor(Math.random() * work.card_ids.length)]!
    const input = { amount: AMOUNT, currency: 'EUR', merchant_name: 'Bench' }
    const path = `/sandbox/cards/${card_id}/authorize`
    return { method: 'POST', path, headers, body: JSON.stringify(input) }
  }
  const { companies, to_pay_at, to_repay_at } = work
  const company = companies[Math.floor(Math.random() * companies.length)]!
  const body = JSON.stringify({
    loan_type: 'WALLET_FINANCING',
    amount: AMOUNT,
    borrower: { identifier: company.identifier },
    loan_to: { account_number: company.account_number },
    to_pay_at,
    to_repay_at,
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  return { method: 'POST', path: '/loans', headers, body }
}

function check({ work }: LoadPlan, { status, body }: Answer): void {
  if (work.kind === 'heavy') {
    if (status >= 400 && !LATER.includes(status)) throw new Error(`answered ${status}: ${body}`)
    return
  }
  if (work.kind === 'get') {
    if (status !== 200) throw new Error(`answered ${status}: ${body}`)
    return
  }
  if (work.kind === 'cards') {
    if (status !== 200 || !JSON.parse(body).approved) throw new Error(`answered ${status}: ${body}`)
    return
  }
  const loan = JSON.parse(body)
  if (status !== 201 || !GRANTED.includes(loan.status)) {
    throw new Error(`a loan was not granted (${status}): ${body}`)
  }
}

async function carryOut(plan: LoadPlan): Promise<LoadResult> {
  const open = Array.from({ length: plan.connections }, () => Connection.open(plan.port, plan.key))
  const connections = await Promise.all(open)
  const latencies: number[] = []
  const began = performance.now()
  const end = began + plan.seconds * 1000
  const cpu = process.cpuUsage()
  let due = began
  let sent = 0
  /**
   * The time at which the next request is due. Latency counts from then, even if it is sent late.
   */
  const takeTurn = () => {
    if (plan.rate === null) return performance.now()
    due += 1000 / plan.rate
    return due
  }
  const one = async (connection: Connection) => {
    for (;;) {
      const turn = takeTurn()
      if (turn >= end) return
      const ahead = turn - performance.now()
      if (ahead > 0) await sleep(ahead)
      if (performance.now() >= end || sent === plan.at_most) return
      sent++
      check(plan, await connection.send(nextRequest(plan)))
      const now = performance.now()
      // Responses after the end are not counted.
      if (now <= end) latencies.push(now - turn)
    }
  }
  await Promise.all(connections.map(one))
  // If no heavy request ends within the measurement, its whole duration counts.
  if (latencies.length === 0 && plan.work.kind === 'heavy') latencies.push(plan.seconds * 1000)
  for (const connection of connections) connection.close()
  const { user, system } = process.cpuUsage(cpu)
  return resultOf(latencies, plan.seconds, (user + system) / 1e6)
}

function resultOf(latencies: number[], seconds: number, cpu_seconds: number): LoadResult {
  if (latencies.length === 0) throw new Error('nothing was answered in time')
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!
  return {
    answered: latencies.length,
    per_second: latencies.length / seconds,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
    cpu_seconds,
  }
}

process.once('message', async (plan: LoadPlan) => {
  const result = await carryOut(plan).catch((error: Error) => ({ error: error.message }))
  process.send!(result, () => process.exit())
})
