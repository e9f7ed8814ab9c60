/**
 * Measures the queue's own overhead with jobs that only look up a row: jobs that run inside a
 * transaction and jobs that run outside one, with an empty queue and with a million waiting jobs.
 * Also measures a commit that enqueues three jobs and one that enqueues none.
 */
import { createLog, openApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import type { Context } from '../../server/src/context.ts'
import * as banks from '../../server/src/integrations/adapters/index.ts'
import { readLenderFile } from '../../server/src/integrations/lender/index.ts'
import { transaction } from '../../server/src/platform/db/transaction.ts'
import { enqueue } from '../../server/src/platform/jobs/index.ts'
import { newId } from '../../server/src/platform/kit/ids.ts'
import { runJobs } from '../../server/src/worker.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { dataFolder } from '../service.ts'

const ALL = { partners: '*', actor: 'service' } as const
const JOBS = 2_000
const COMMITS = 1_000
const WAITING = 1_000_000
const PAGE = 5_000
const PARTNERS = [newId(), newId(), newId()]

/** The ids do not exist, so each job ends at its first lookup. */
const KINDS = {
  inside: {
    name: 'close_data_batch',
    data: (partner_id: string) => ({ partner_id, batch_id: newId() }),
  },
  outside: { name: 'send_mail', data: (partner_id: string) => ({ partner_id, mail_id: newId() }) },
} as const
type Kind = keyof typeof KINDS

export async function measureJobs(options: Options, say: (line: string) => void): Promise<Row[]> {
  const folder = dataFolder()
  const config = readConfig(
    { HEADROOM_DATA: folder.path, HEADROOM_LOG: 'fatal' },
    banks,
    readLenderFile,
  )
  const app = await openApp(config, createLog(config))
  try {
    const { context } = app
    const rows: Row[] = []
    const measure = async (work: string, once: () => Promise<number>) => {
      await once()
      const found: number[] = []
      for (let n = 0; n < options.repetitions; n++) found.push(await once())
      rows.push(rowOf(work, found))
      say(rows.at(-1)!.text)
    }
    await measure('an inside job', () => msOfJob(context, 'inside'))
    await measure('an outside job', () => msOfJob(context, 'outside'))
    await measure('a commit with no job', () => msOfCommit(context, 0))
    await measure('a commit with three jobs', () => msOfCommit(context, 3))
    await put(context, 'inside', WAITING)
    const many = `with ${WAITING.toLocaleString('en')} waiting`
    await measure(`an inside job, ${many}`, () => msOfJob(context, 'inside'))
    await measure(`an outside job, ${many}`, () => msOfJob(context, 'outside'))
    return rows
  } finally {
    await app.close()
    folder.remove()
  }
}

function rowOf(work: string, found: readonly number[]): Row {
  const value = median(found)
  return {
    work,
    value,
    unit: 'ms',
    better: 'less',
    first_bar: null,
    goal: null,
    text: `${work}: ${value.toFixed(2)} ms, ${Math.round(1000 / value)} a second`,
    details: found,
  }
}

async function put({ database }: Context, kind: Kind, count: number): Promise<void> {
  const { name, data } = KINDS[kind]
  for (let left = count; left > 0; left -= PAGE) {
    await transaction(database, ALL, async tx => {
      for (let n = 0; n < Math.min(PAGE, left); n++) {
        const partner_id = PARTNERS[n % PARTNERS.length]!
        enqueue(tx, name, data(partner_id) as never, partner_id)
      }
    })
  }
}

/** Milliseconds per job, running only jobs of this kind. */
async function msOfJob(context: Context, kind: Kind): Promise<number> {
  await put(context, kind, JOBS)
  const began = performance.now()
  let ran = 0
  while (ran < JOBS) ran += await runJobs(context, [KINDS[kind].name])
  return (performance.now() - began) / ran
}

/** Milliseconds per transaction that reads one row and enqueues `jobs` jobs. */
async function msOfCommit({ database }: Context, jobs: number): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < COMMITS; n++) {
    await transaction(database, ALL, async tx => {
      await tx.raw('select mode from deployment')
      const partner_id = PARTNERS[n % PARTNERS.length]!
      if (jobs > 0) enqueue(tx, 'write_contract', { partner_id, loan_id: newId() }, partner_id)
      if (jobs > 1) enqueue(tx, 'submit_payment', { partner_id, payment_id: newId() }, partner_id)
      if (jobs > 2) enqueue(tx, 'review_lateness', { partner_id, borrower_id: newId() }, partner_id)
    })
  }
  return (performance.now() - began) / COMMITS
}
