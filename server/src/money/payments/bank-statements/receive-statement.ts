/** Stores a statement as the bank sent it, once, to be booked by a job. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { BankEntry, BankInbox, BankStatement } from '../../../integrations/ports/bank.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import { accountIdOf, lockAccount } from '../bank-account-store.ts'
import { receiveBankNews } from '../receive-bank-news.ts'
import {
  beginStatement,
  completeStatement,
  deleteStatement,
  findSame,
  insertBankEntries,
  type StatementRow,
  stepStatement,
} from './store.ts'

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
 * nothing, except that a refused one is judged again. Which content of a name holds is decided when
 * it is booked.
 */
async function receiveStatement(
  database: Database,
  statement: BankStatement,
  entries: AsyncIterable<readonly BankEntry[]>,
): Promise<void> {
  const hash = createHash('sha256').update(canonicalJson(statement))
  let id: string | null = null
  let count = 0
  const store = async (slice: readonly BankEntry[], is_last: boolean) => {
    for (const entry of slice) hash.update(canonicalJson(entry))
    const content_hash = is_last ? hash.digest('hex') : null
    id = await transaction(database, ALL, async tx => {
      const account_id = await accountIdOf(tx, statement.account_iban)
      const row_id = id ?? (await beginStatement(tx, account_id, statement))
      await insertBankEntries(tx, row_id, count, slice)
      if (content_hash) {
        await lockAccount(tx, account_id)
        const { statement_id } = statement
        const same = await findSame(tx, account_id, statement_id, content_hash)
        if (same) await meetSame(tx, row_id, same)
        else await complete(tx, row_id, content_hash, count + slice.length)
      }
      return row_id
    })
    count += slice.length
  }
  let held: readonly BankEntry[] = []
  for await (const slice of entries) {
    if (held.length > 0) await store(held, false)
    held = slice
  }
  await store(held, true)
}

async function complete(tx: Tx, id: string, content_hash: string, entries: number): Promise<void> {
  await completeStatement(tx, id, content_hash, entries)
  enqueue(tx, 'book_bank_statement', { statement_id: id })
}

/** The same statement came before. If it was refused, other statements may explain it by now. */
async function meetSame(tx: Tx, id: string, same: StatementRow): Promise<void> {
  await deleteStatement(tx, id)
  if (same.state === 'BOOKED') await clearConflicts(tx, same)
  if (same.state !== 'REFUSED') return
  await stepStatement(tx, same, 'check_again')
  enqueue(tx, 'book_bank_statement', { statement_id: same.id })
}

/** The bank confirms what is booked, so other content under its name does not hold. */
async function clearConflicts(tx: Tx, booked: StatementRow): Promise<void> {
  const others = await tx.all(sql<{ id: string }>`
    select id from bank_statements where bank_account_id = ${booked.bank_account_id}
      and statement_id = ${booked.statement_id} and state = 'REFUSED'`)
  await clearAlert(tx, 'statement_conflict', ...others.map(one => one.id))
}
