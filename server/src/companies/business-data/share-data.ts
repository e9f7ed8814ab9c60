/** Stores the data a partner shares about a company, directly or in a batch. */
import type { Validation } from '../../context.ts'
import { publishFact } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { createYielder } from '../../platform/kit/pauses.ts'
import { type InvalidParam, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { SharedKind } from './kinds.ts'
import { type CompanyReference, companyOf } from './rules.ts'
import { findBatch, insertUploads, lockBatch, storeShared } from './store.ts'
import { readTimestamp, timestampFaults } from './timestamps.ts'

/** The fields besides the rows, any of which may be missing. Only transactions have a period. */
interface Call {
  readonly identifier?: string | undefined
  readonly identifier_type?: string | undefined
  readonly batch_id?: string | null | undefined
  readonly start_date?: string | null | undefined
  readonly end_date?: string | null | undefined
}

/** Faults that the schema cannot check, for the fields that are present. */
async function faultsOf<Row>(
  kind: SharedKind<Row, never>,
  call: Call,
  rows: readonly (WellFormed<Row> | undefined)[],
  now: Date,
): Promise<InvalidParam[]> {
  const { identifier, identifier_type } = call
  const company = identifier && identifier_type ? companyOf({ identifier, identifier_type }) : null
  const faults = company && 'fault' in company ? [company.fault] : []
  faults.push(...timestampFaults('end_date', call.end_date))
  const { start_date, end_date } = call
  if (start_date && end_date && readTimestamp(end_date) < readTimestamp(start_date)) {
    faults.push({ name: 'end_date', reason: 'is before start_date' })
  }
  const pauseWhenDue = createYielder()
  for (const [index, row] of rows.entries()) {
    await pauseWhenDue()
    if (!row) continue
    faults.push(...kind.faults(row, `${kind.list}.${index}`, now, { identifier, identifier_type }))
    const { at } = row as { at?: string }
    if (at && isOutsidePeriod(at, call)) {
      faults.push({ name: `${kind.list}.${index}.at`, reason: 'is not in the period of the call' })
    }
  }
  return faults
}

/** A request with a period must contain only transactions within it. */
function isOutsidePeriod(at: string, { start_date, end_date }: Call): boolean {
  const moment = readTimestamp(at)
  if (start_date && moment < readTimestamp(start_date)) return true
  return !!end_date && moment > readTimestamp(end_date)
}

/** Validates the shared rows, and that the batch, if given, is about the same company. */
export async function checkShared<Row>(
  tx: Tx,
  partner_id: string,
  kind: SharedKind<Row, never>,
  body: Call,
): Promise<Validation> {
  const faults = await faultsOf(kind, body, rowsIn(kind, body) ?? [], tx.now)
  const { batch_id, identifier, identifier_type } = body
  if (!batch_id || !identifier || !identifier_type) return { faults }
  const company = companyOf({ identifier, identifier_type })
  const batch = await findBatch(tx, partner_id, batch_id)
  const wrong = batch && 'company_key' in company && batch.company_key !== company.company_key
  return { faults: wrong ? [...faults, OTHER_BATCH] : faults }
}

const OTHER_BATCH = { name: 'batch_id', reason: 'is a batch of another company' }

function rowsIn<Row>({ list }: SharedKind<Row, never>, body: object) {
  return (body as Record<string, (WellFormed<Row> | undefined)[] | undefined>)[list]
}

/**
 * Stores the data. Outside a batch, the data counts at once, and `business_data_shared` is
 * published. Throws `resource_unknown` if the partner has no such batch, or `state_conflict` if it
 * is not open.
 */
export async function shareData<Row, Body extends Call & CompanyReference>(
  tx: Tx,
  partner_id: string,
  kind: SharedKind<Row, Body>,
  body: Body,
): Promise<void> {
  const { company_key } = companyOf(body) as { company_key: string }
  const company = { partner_id, company_key }
  if (body.batch_id) return addToBatch(tx, partner_id, body.batch_id, kind, body)
  await storeShared(tx, company, kind.kind, await rowsOf(kind, body), tx.now)
  await publishFact(tx, 'business_data_shared', company)
}

async function addToBatch<Row, Body extends Call>(
  tx: Tx,
  partner_id: string,
  batch_id: string,
  kind: SharedKind<Row, Body>,
  body: Body,
): Promise<void> {
  const batch = await lockBatch(tx, partner_id, batch_id, 'to add')
  if (!batch) throw problem('resource_unknown', 'batch_id is no batch of yours')
  if (batch.status !== 'CREATED') {
    throw problem('state_conflict', `the batch is ${batch.status}: open another one`)
  }
  const upload = {
    partner_id,
    batch_id,
    kind: kind.kind,
    from_at: lowerBoundOf(body.start_date),
    to_at: lowerBoundOf(body.end_date),
  }
  await insertUploads(tx, upload, await rowsOf(kind, body))
}

/** Converts a request to rows, pausing so that other requests are served meanwhile. */
async function rowsOf<Row, Body>(
  kind: SharedKind<Row, Body>,
  body: Body,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  const pauseWhenDue = createYielder()
  for (const row of kind.rowsOf(body)) {
    await pauseWhenDue()
    rows.push(row)
  }
  return rows
}

/** A moment that cannot be stored, such as the year 1, leaves the period open on that side. */
function lowerBoundOf(text: string | null | undefined): Date | null {
  return text && timestampFaults('', text).length === 0 ? readTimestamp(text) : null
}
