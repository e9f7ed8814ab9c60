/** Compares the content of a batch with its announcement. */
import type { BatchContent } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { BatchRow } from './store.ts'
import { readTimestamp } from './timestamps.ts'

/** The received content of a batch that can be compared with the announcement. */
interface ReceivedContent {
  kinds: string[]
  accounts: number
  invoices: number
  covered: { account: string | null; from_at: Date | null; to_at: Date | null }[]
}

/** Every difference between the announcement and the data received. */
export async function findMissingData(tx: Tx, batch: BatchRow): Promise<InvalidParam[]> {
  const content = batch.content as unknown as BatchContent
  const received = await readReceived(tx, batch)
  return [
    ...content.shared_data_types
      .filter(kind => !received.kinds.includes(kind))
      .map(kind => ({ name: 'content.shared_data_types', reason: `no ${kind} have come` })),
    ...countFault('accounts', content.accounts?.total_count, received.accounts),
    ...countFault('invoices', content.invoices?.total_count, received.invoices),
    ...(content.account_transactions ?? []).flatMap((wanted, at) =>
      isCovered(wanted, received)
        ? []
        : [
            {
              name: `content.account_transactions.${at}`,
              reason: `no transactions of ${wanted.account} have come for this period`,
            },
          ],
    ),
  ]
}

function countFault(kind: string, announced: number | undefined, came: number): InvalidParam[] {
  if (announced === undefined || announced === came) return []
  const reason = `${announced} were announced, ${came} have come`
  return [{ name: `content.${kind}.total_count`, reason }]
}

type AnnouncedTransactions = NonNullable<BatchContent['account_transactions']>[number]

/** Whether a transaction in the period was received, or an upload that spans the whole period. */
function isCovered(wanted: AnnouncedTransactions, { covered }: ReceivedContent): boolean {
  const [from, to] = [readTimestamp(wanted.start_date), readTimestamp(wanted.end_date)]
  return covered.some(({ account, from_at, to_at }) => {
    if (account === null) return to_at !== null && to_at >= to && (!from_at || from_at <= from)
    return account === wanted.account && from_at! >= from && from_at! <= to
  })
}

/**
 * Duplicate rows in a batch count once. In `covered`, a row without an account is the period of an
 * upload, and a row with an account is a transaction.
 */
async function readReceived(tx: Tx, batch: BatchRow): Promise<ReceivedContent> {
  const mine = sql`u.batch_id = ${batch.id} and u.partner_id = ${batch.partner_id}`
  const counts = await tx.one(sql<Omit<ReceivedContent, 'covered'>>`
      select coalesce(array_agg(distinct u.kind), '{}') as kinds,
        count(distinct r.row->>'account_id')::int as accounts,
        count(distinct r.row->>'invoice_key')::int as invoices
      from data_uploads u left join jsonb_array_elements(u.rows) as r (row) on true
      where ${mine}`)
  const covered = await tx.all(sql<ReceivedContent['covered'][number]>`
      select null as account, u.from_at, u.to_at from data_uploads u
      where ${mine} and u.kind = 'account_transactions' and u.to_at is not null
      union
      select r.row->>'account', (r.row->>'at')::timestamptz, null
      from data_uploads u, jsonb_array_elements(u.rows) as r (row)
      where ${mine} and u.kind = 'account_transactions' and r.row->>'account' is not null`)
  return { ...counts, covered }
}
