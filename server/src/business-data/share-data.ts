/** Takes in what a partner shares of a company: at once, or into a batch. */
import type { Inspect } from '../context.ts'
import type { Actor } from '../db/move.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import { state } from '../facts.ts'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'
import { wellFormed } from '../kit/well-formed.ts'
import type { SharedKind } from './kinds.ts'
import { momentFaults, momentOf } from './moments.ts'
import { type CompanyNamed, companyOf } from './rules.ts'
import { type CompanyOf, insertUpload, lockBatch, storeShared } from './store.ts'

/** The fields that calls of all kinds have, as far as they have them. */
interface Call {
  readonly identifier?: string
  readonly identifier_type?: string
  readonly batch_id?: string | null | undefined
  readonly start_date?: string | null | undefined
  readonly end_date?: string | null | undefined
}

/** Everything wrong with a call that its schema cannot see; `rows` by their place in it. */
function faultsOf<Row>(
  kind: SharedKind<Row, never>,
  call: Call,
  rows: Iterable<[number, Row]>,
  now: Date,
): InvalidParam[] {
  const { identifier, identifier_type } = call
  const about = { identifier: identifier ?? '', identifier_type: identifier_type ?? 'name' }
  const company = identifier && identifier_type ? companyOf(about) : null
  const faults = company && 'fault' in company ? [company.fault] : []
  faults.push(...momentFaults('end_date', call.end_date))
  for (const [index, row] of rows) {
    faults.push(...kind.faults(row, `${kind.list}.${index}`, now, about))
    const at = (row as { at?: string }).at
    if (at && isOutside(at, call)) {
      faults.push({ name: `${kind.list}.${index}.at`, reason: 'is not in the period of the call' })
    }
  }
  return faults
}

/** A call that names its period tells everything that happened in it, and nothing else. */
function isOutside(at: string, { start_date, end_date }: Call): boolean {
  const moment = momentOf(at)
  if (start_date && moment < momentOf(start_date)) return true
  return !!end_date && moment > momentOf(end_date)
}

/** What is wrong with a call beside what its schema says, as far as its rows are well-formed. */
export function inspectShared<Row>(kind: SharedKind<Row, never>): Inspect {
  return async ({ database }, { partner_id }, body) => {
    const scope = { partners: [partner_id], read_only: true }
    const now = await transaction(database, scope, async tx => tx.now)
    const { [kind.list]: _, ...shape } = kind.shape
    const call = wellFormed(shape, body) as Call
    const given = body[kind.list]
    const rows = (Array.isArray(given) ? given : []).flatMap((row, index) => {
      const parsed = kind.row.safeParse(row)
      return parsed.success ? [[index, parsed.data] as [number, Row]] : []
    })
    return faultsOf(kind, call, rows, now)
  }
}

/**
 * Keeps what is shared. Outside a batch it counts at once: `business_data_shared` is stated.
 * Throws `request_invalid` with every fault by its index, `state_conflict` for a closed batch.
 */
export async function shareData<Row, Body extends Call & CompanyNamed>(
  tx: Tx,
  actor: Actor,
  partner_id: string,
  kind: SharedKind<Row, Body>,
  body: Body,
): Promise<void> {
  const rows = (body as unknown as Record<string, Row[]>)[kind.list]!
  const faults = faultsOf(kind as never, body, rows.entries(), tx.now)
  if (faults.length > 0) throw invalid(...faults)
  const { company_key } = companyOf(body) as { company_key: string }
  const company = { partner_id, company_key }
  if (body.batch_id) return addToBatch(tx, company, body.batch_id, kind, body)
  await storeShared(tx, company, kind.kind, kind.rowsOf(body))
  await state(tx, actor, 'business_data_shared', company)
}

async function addToBatch<Row, Body extends Call>(
  tx: Tx,
  { partner_id, company_key }: CompanyOf,
  batch_id: string,
  kind: SharedKind<Row, Body>,
  body: Body,
): Promise<void> {
  const batch = await lockBatch(tx, partner_id, batch_id, 'to add')
  if (!batch) throw problem('resource_unknown', 'batch_id is no batch of yours')
  if (batch.company_key !== company_key) {
    throw invalid({ name: 'batch_id', reason: 'is a batch of another company' })
  }
  if (batch.status !== 'CREATED') {
    throw problem('state_conflict', `the batch is ${batch.status}: open another one`)
  }
  await insertUpload(tx, {
    partner_id,
    batch_id,
    kind: kind.kind,
    from_at: keptMoment(body.start_date),
    to_at: keptMoment(body.end_date),
    rows: kind.rowsOf(body),
  })
}

/** The record's default of a start, the year 1, means from the beginning. */
function keptMoment(text: string | null | undefined): Date | null {
  return text && momentFaults('', text).length === 0 ? momentOf(text) : null
}
