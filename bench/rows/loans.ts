/**
 * Measures `POST /loans` with the decision in the response: throughput on many lines and on one,
 * relative to pgbench, latency at half that load, and the service's peak memory.
 */
import type { Client } from '@headroom/sdk'
import { createBorrowers } from '../borrowers.ts'
import { findPgbench, type Limit, openLimit } from '../limit.ts'
import type { Company, LoadPlan, LoadResult } from '../load.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { runLoad } from '../run-load.ts'
import { dataFolder, type Service, startService, watchMemory } from '../service.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

interface Pair {
  readonly ours: LoadResult
  /** Loans per second; null without pgbench. */
  readonly limit: number | null
}

interface Course {
  readonly options: Options
  readonly plan: LoadPlan
  readonly limit: Limit | null
  readonly say: (line: string) => void
}

export async function measureLoans(options: Options, say: (line: string) => void): Promise<Row[]> {
  const folder = dataFolder()
  // Without `answer`, the service would run jobs during pgbench's turn and lower the limit.
  const service = await startService(folder.path, 'answer')
  const pgbench = await findPgbench()
  if (!pgbench) say('pgbench is not on this machine: no limit to hold loans against')
  let limit: Limit | null = null
  try {
    say(`setting up ${options.lines} borrowers`)
    const companies = await createBorrowers(service.client, options.lines)
    limit = pgbench ? await openLimit(pgbench, folder.path, options.lines) : null
    const plan = await planOf(service, companies)
    const rows = await measureAll({ options, plan, limit, say }, service, companies)
    return rows
  } finally {
    await limit?.close()
    await service.stop()
    folder.remove()
  }
}

async function planOf({ port, key, client }: Service, companies: Company[]): Promise<LoadPlan> {
  const [to_pay_at, to_repay_at] = await loanDays(client)
  const work = { kind: 'loans', companies, to_pay_at, to_repay_at } as const
  return { port, key, connections: CONNECTIONS, seconds: WARM_UP_SECONDS, rate: null, work }
}

async function loanDays(client: Client): Promise<[string, string]> {
  const { business_date } = await client.getSandboxClock()
  const later = new Date(Date.parse(business_date.slice(0, 10)) + 30 * 86_400_000)
  return [business_date.slice(0, 10), later.toISOString().slice(0, 10)]
}

async function measureAll(
  course: Course,
  service: Service,
  companies: readonly Company[],
): Promise<Row[]> {
  const { plan, options, limit, say } = course
  await runLoad(plan)
  const hotPlan = { ...plan, work: { ...plan.work, companies: companies.slice(0, 1) } } as LoadPlan
  const memory = watchMemory(service.pid)
  try {
    say('many lines')
    const many = await pairs(course, options.lines)
    say('one hot line')
    const hot = await pairs({ ...course, plan: hotPlan }, 1)
    const rate = median(many.map(pair => pair.ours.per_second)) / 2
    say('half of the load on many lines')
    await limit?.settle()
    const half: LoadResult[] = []
    for (let n = 0; n < options.repetitions; n++) {
      half.push(await runLoad({ ...plan, seconds: options.seconds, rate }))
    }
    return [
      throughputRow(`POST /loans on ${options.lines} lines`, many, [0.35, 1]),
      throughputRow('POST /loans on one hot line', hot, [0.5, 3]),
      latencyRow(half, rate),
      memoryRow(memory.stop()),
    ]
  } finally {
    memory.stop()
  }
}

/**
 * Measures the service and the limit in turn, so that other load on the machine affects both alike.
 */
async function pairs({ options, plan, limit, say }: Course, lines: number): Promise<Pair[]> {
  const found: Pair[] = []
  for (let n = 0; n < options.repetitions; n++) {
    await limit?.settle()
    const ours = await runLoad({ ...plan, seconds: options.seconds })
    await limit?.settle()
    const theirs = limit && (await limit.measure(lines, options.seconds))
    const pgbench = theirs === null ? '' : `, pgbench ${theirs.toFixed(0)}/s`
    say(`  ${ours.per_second.toFixed(0)}/s${pgbench}, p99 ${ours.p99_ms.toFixed(0)} ms`)
    found.push({ ours, limit: theirs })
  }
  return found
}

function throughputRow(work: string, found: Pair[], [first_bar, goal]: [number, number]): Row {
  const ratios = found.flatMap(({ ours, limit }) => (limit ? ours.per_second / limit : []))
  const ours = median(found.map(pair => pair.ours.per_second))
  const limits = found.flatMap(pair => pair.limit ?? [])
  const against =
    limits.length > 0 ? `pgbench ${median(limits).toFixed(0)}/s` : 'no pgbench on this machine'
  return {
    work,
    value: ratios.length > 0 ? median(ratios) : null,
    unit: '×',
    better: 'more',
    first_bar,
    goal,
    text: `${ours.toFixed(0)}/s, ${against}; ${ratios.map(r => r.toFixed(2)).join(', ')}`,
    details: found,
  }
}

function latencyRow(half: LoadResult[], rate: number): Row {
  return {
    work: 'its p99 at half that load',
    value: median(half.map(result => result.p99_ms)),
    unit: 'ms',
    better: 'less',
    first_bar: 50,
    goal: 20,
    text: `at ${rate.toFixed(0)}/s; p50 ${median(half.map(r => r.p50_ms)).toFixed(1)} ms`,
    details: half,
  }
}

function memoryRow(value: number): Row {
  return {
    work: 'memory of the server process',
    value,
    unit: 'MB',
    better: 'less',
    first_bar: 300,
    goal: 150,
    text: 'the most it had under the loads above',
    details: null,
  }
}
