/** A file bank that has sent orders, to which the bank answers with statements. */
import { sql } from 'kysely'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import type { Database } from '../../../src/platform/db/transaction.ts'
import { statementFile, type TestEntry } from './statement-files.ts'
import {
  exchangeAll,
  type FileBankApp,
  fileBankApp,
  filesOf,
  putIncoming,
  read,
} from './support.ts'

export interface Sent extends FileBankApp {
  readonly collection: string
  readonly funding: string
  readonly message_id: string
  /** The bank sends a statement of the collection account, and it is read. */
  books(...entries: TestEntry[]): Promise<void>
  sends(file: string): Promise<void>
}

let files = 0

/** Orders that were delivered in a file, or in several if they differ. */
export async function sent(...orders: readonly PaymentOrder[]): Promise<Sent> {
  const at = await fileBankApp({ orders_max: 1_500 })
  const bank = at.bankWith({})
  for (const order of orders) await bank.submit(order)
  await exchangeAll(bank)
  const { collection_iban: collection, funding_iban: funding } = at.database.settings.lender
  const [file] = await filesOf(at.database)
  const sends = async (content: string) => {
    files++
    putIncoming(at.folders, `${files}.xml`, content)
    await exchangeAll(bank)
  }
  return {
    ...at,
    bank,
    collection,
    funding,
    message_id: file?.message_id ?? '',
    sends,
    books: (...entries) => sends(statementFile({ id: `S${files}`, account: collection, entries })),
  }
}

export const entriesOf = (database: Database) =>
  read(database, tx =>
    tx.all(sql<{ place: number }>`
      select place from file_bank_entries order by statement_id, place`),
  )

export const statementsOf = (database: Database) =>
  read(database, tx =>
    tx.all(sql<{ refused_for: string | null; read_at: Date | null; state: string }>`
      select s.refused_for, s.read_at, f.state
      from file_bank_statements s join bank_files f on f.id = s.bank_file_id
      order by s.id`),
  )

export const told = ({ news }: FileBankApp) =>
  news.map(one => ({ kind: one.kind, payment_id: one.payment_id, amount: one.amount }))
