/** Stores a statement as the bank sent it, once, to be booked by a job. */
import { createHash } from 'node:crypto'
import type { BankEntry, BankInbox, BankStatement } from '../../../integrations/ports/bank.ts'
import { raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import { accountIdOf } from '../bank-accounts.ts'
import { receiveBankNews } from '../receive-bank-news.ts'
import { beginStatement, completeStatement, findStatement, insertBankEntries } from './store.ts'

const ALL = { partners: '*', actor: 'bank' } as const

export function bankInbox(database: Database): BankInbox {
  return {
    news: async news => {
      await transaction(database, ALL, tx => receiveBankNews(tx, news))
    },
    statement: (statement, entries) => receiveStatement(database, statement, entries),
  }
}

/**
 * Stores the entries slice by slice, each in its own transaction. The same statement again changes
 * nothing; other content under the name of a statement that was not refused raises an alert.
 */
async function receiveStatement(
  database: Database,
  statement: BankStatement,
  entries: AsyncIterable<readonly BankEntry[]>,
): Promise<void> {
  const hash = createHash('sha256').update(canonicalJson(statement))
  let id: string | null = null
  let is_first = true
  const store = async (slice: readonly BankEntry[], is_last: boolean) => {
    for (const entry of slice) hash.update(canonicalJson(entry))
    const content_hash = is_last ? hash.digest('hex') : null
    id = await transaction(database, ALL, async tx => {
      const account_id = await accountIdOf(tx, statement.account_iban)
      const row_id = is_first ? await beginStatement(tx, account_id, statement) : id
      if (row_id) await insertBankEntries(tx, row_id, slice)
      if (content_hash) await finish(tx, row_id, { account_id, statement, content_hash })
      return row_id
    })
    is_first = false
  }
  let held: readonly BankEntry[] = []
  for await (const slice of entries) {
    if (held.length > 0) await store(held, false)
    held = slice
  }
  await store(held, true)
}

interface Whole {
  readonly account_id: string
  readonly statement: BankStatement
  readonly content_hash: string
}

async function finish(
  tx: Tx,
  row_id: string | null,
  { account_id, statement, content_hash }: Whole,
): Promise<void> {
  if (row_id) {
    if (!(await completeStatement(tx, row_id, content_hash))) return
    enqueue(tx, 'book_bank_statement', { statement_id: row_id })
    return
  }
  const known = await findStatement(tx, account_id, statement.statement_id)
  if (known.content_hash === content_hash) return
  const detail = `The bank sent statement ${statement.statement_id} again with other content`
  await raiseAlert(tx, 'statement_conflict', known.id, detail)
}
