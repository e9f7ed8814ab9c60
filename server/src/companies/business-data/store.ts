/** Writes shared data, except the status of batches, which `platform/db/move.ts` writes. */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { insertInto } from '../../platform/db/insert.ts'
import { lockNames } from '../../platform/db/locks.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { createYielder, yieldThread } from '../../platform/kit/pauses.ts'

export type BatchRow = Selectable<DB['data_batches']>
export interface CompanyOf {
  readonly partner_id: string
  readonly company_key: string
}

type Table = 'shared_accounts' | 'shared_transactions' | 'shared_invoices' | 'shared_activity'
export type Kind = 'accounts' | 'account_transactions' | 'invoices' | 'activity'
type Row = Record<string, unknown>

interface Storage {
  readonly table: Table
  /** The columns that identify an item among the company's items of this kind. */
  readonly keys: readonly string[]
  readonly on_conflict: RawBuilder<unknown>
}

const STORAGE: Record<Kind, Storage> = {
  accounts: {
    table: 'shared_accounts',
    keys: ['account_id'],
    // Data older than the stored row is ignored.
    on_conflict: sql`on conflict (partner_id, company_key, account_id) do update set
      account_name = excluded.account_name, account_number = excluded.account_number,
      account_number_type = excluded.account_number_type,
      bank_identifier = excluded.bank_identifier,
      bank_identifier_type = excluded.bank_identifier_type, provider = excluded.provider,
      amount = excluded.amount, last_updated_at = excluded.last_updated_at,
      received_at = excluded.received_at
      where (shared_accounts.last_updated_at, shared_accounts.received_at)
        <= (excluded.last_updated_at, excluded.received_at)`,
  },
  account_transactions: {
    table: 'shared_transactions',
    keys: ['transaction_key'],
    // A removed transaction stays removed, even if sent again. An update without a balance keeps
    // the stored balance; a removal keeps the lower of the stored and the sent balance.
    on_conflict: sql`on conflict (partner_id, company_key, transaction_key) do update set
      account = excluded.account, at = excluded.at, amount = excluded.amount,
      currency = excluded.currency, category = excluded.category,
      counterparty_name = excluded.counterparty_name, operation_type = excluded.operation_type,
      provider = excluded.provider, reference = excluded.reference,
      settled_balance = case when excluded.state = 'deleted'
        then least(excluded.settled_balance, shared_transactions.settled_balance)
        else coalesce(excluded.settled_balance, shared_transactions.settled_balance) end,
      state = excluded.state,
      received_at = excluded.received_at
      where shared_transactions.state <> 'deleted' and (excluded.state = 'deleted'
        or shared_transactions.received_at <= excluded.received_at)`,
  },
  invoices: {
    table: 'shared_invoices',
    keys: ['invoice_key'],
    on_conflict: sql`on conflict (partner_id, company_key, invoice_key) do update set
      direction = excluded.direction, invoice_number = excluded.invoice_number,
      buyer = excluded.buyer, seller = excluded.seller, currency = excluded.currency,
      issued_at = excluded.issued_at, due_at = excluded.due_at,
      first_payment_at = excluded.first_payment_at, last_payment_at = excluded.last_payment_at,
      payment_method = excluded.payment_method, net_amount = excluded.net_amount,
      tax_amount = excluded.tax_amount, total_amount = excluded.total_amount,
      to_pay_amount = excluded.to_pay_amount, received_at = excluded.received_at
      where shared_invoices.received_at <= excluded.received_at`,
  },
  activity: {
    table: 'shared_activity',
    keys: ['kind', 'from_on', 'to_on'],
    on_conflict: sql`on conflict (partner_id, company_key, kind, from_on, to_on) do update set
      amount = excluded.amount, count = excluded.count, received_at = excluded.received_at`,
  },
}

/** Rows per statement, so that building its text does not block the event loop. */
const ROWS_AT_ONCE = 1_000

/**
 * Writes a company's rows in bulk. The last of several duplicates counts. Whether it replaces a
 * stored item is up to the kind's `on_conflict`.
 */
export async function storeShared(
  tx: Tx,
  company: CompanyOf,
  kind: Kind,
  rows: readonly Row[],
  received_at: Date,
): Promise<void> {
  const { table, keys, on_conflict } = STORAGE[kind]
  const keyOf = (row: Row) => JSON.stringify(keys.map(key => row[key]))
  const { partner_id, company_key } = company
  const about = { partner_id, company_key, received_at }
  const single = new Map<string, Row>()
  const pauseWhenDue = createYielder()
  for (const row of rows) {
    await pauseWhenDue()
    single.set(keyOf(row), { ...row, ...about })
  }
  if (single.size === 0) return
  await yieldThread()
  // All requests write in the same order, so that two with the same rows wait for each other
  // instead of deadlocking. Sorting keys is faster than sorting rows with a compare function.
  const ordered = [...single.keys()].toSorted().map(key => single.get(key)!)
  for (const piece of pieces(ordered)) {
    const values = piece as unknown as readonly Insertable<DB[Table]>[]
    await tx.run(sql`${insertInto(table, values)} ${on_conflict}`)
  }
}

function* pieces<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    yield rows.slice(from, from + ROWS_AT_ONCE)
  }
}

export async function findBatch(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<BatchRow | undefined> {
  return tx.maybe(sql<BatchRow>`
    select * from data_batches where partner_id = ${partner_id} and id = ${id}`)
}

/**
 * Locks and reads a partner's batch. Uploads share their lock; a transition excludes them.
 */
export async function lockBatch(
  tx: Tx,
  partner_id: string,
  id: string,
  use: 'to add' | 'to move',
): Promise<BatchRow | undefined> {
  const lock = use === 'to add' ? sql`for share` : sql`for no key update`
  return tx.maybe(sql<BatchRow>`
    select * from data_batches where partner_id = ${partner_id} and id = ${id} ${lock}`)
}

/**
 * The company's open batch, locked; a batch that is being closed does not count. Concurrent calls
 * for the same company wait, so the second finds the batch that the first opened.
 */
export async function lockOngoing(tx: Tx, company: CompanyOf): Promise<BatchRow | undefined> {
  const { partner_id, company_key } = company
  await lockNames(tx, 'business data', [`${partner_id} ${company_key}`])
  return tx.maybe(sql<BatchRow>`
    select * from data_batches
    where partner_id = ${partner_id} and company_key = ${company_key}
      and status = 'CREATED'
    for no key update`)
}

export async function insertBatch(tx: Tx, row: Insertable<DB['data_batches']>): Promise<void> {
  await tx.run(insertInto('data_batches', [row]))
}

/** Stores an upload to an open batch, in pieces of limited size. */
export async function insertUploads(
  tx: Tx,
  upload: Pick<UploadRow, 'partner_id' | 'batch_id'> & {
    kind: Kind
    from_at: Date | null
    to_at: Date | null
  },
  rows: readonly Row[],
): Promise<void> {
  // A request without rows is stored too, for its kind and period.
  for (const piece of rows.length > 0 ? pieces(rows) : [[]]) {
    const row = { ...upload, id: tx.newId(), received_at: tx.now, rows: piece as never }
    await tx.run(insertInto('data_uploads', [row]))
  }
}

export type UploadRow = Selectable<DB['data_uploads']>

export async function nextUpload(
  tx: Tx,
  batch: BatchRow,
  after: string,
): Promise<UploadRow | undefined> {
  return tx.maybe(sql<UploadRow>`
    select * from data_uploads
    where partner_id = ${batch.partner_id} and batch_id = ${batch.id} and id > ${after}::uuid
    order by id limit 1`)
}

export async function deleteUploads(tx: Tx, batch: BatchRow): Promise<void> {
  await tx.run(sql`
    delete from data_uploads where partner_id = ${batch.partner_id} and batch_id = ${batch.id}`)
}
