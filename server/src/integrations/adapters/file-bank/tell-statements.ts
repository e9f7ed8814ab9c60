/** Hands statements over to the service, each once all of it is there and decided. */
import { transaction } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { type Day, min } from '../../../platform/kit/dates.ts'
import type { BankEntry, BankStatement } from '../../ports/bank.ts'
import { doEach } from './do-each.ts'
import type { FileBankParts } from './exchange.ts'
import { markTold, readMovements, readUntold, type StatementRow } from './movement-store.ts'
import { OWN_TABLES } from './received-store.ts'

/** Returns how many were handed over. The same statement again changes nothing. */
export async function tellStatements({ database, inbox }: FileBankParts): Promise<number> {
  const rows = await transaction(database, OWN_TABLES, readUntold)
  return doEach(wholeStatements(rows), async pages => {
    async function* entries(): AsyncGenerator<BankEntry[]> {
      let place = 0
      for (const { id } of pages) {
        for await (const slice of readMovements(database, id)) {
          yield slice.map(entry => ({ ...entry, place: ++place }))
        }
      }
    }
    await inbox.statement(bankStatementOf(pages), entries())
    const ids = pages.map(page => page.id)
    await transaction(database, OWN_TABLES, tx => markTold(tx, ids))
  })
}

/** The statements of which all pages are there, in the order of their last ones. */
function wholeStatements(rows: readonly StatementRow[]): StatementRow[][] {
  return rows.flatMap(row => {
    if (row.page === null) return [[row]]
    if (!row.is_last_page) return []
    const pages = rows
      .filter(one => one.account === row.account && one.pages_of === row.pages_of)
      .sort((a, b) => a.page! - b.page!)
    const is_whole = pages.every((one, index) => one.page === pages[0]!.page! + index)
    return is_whole && pages[0]!.is_first_page && pages.at(-1)! === row ? [pages] : []
  })
}

function bankStatementOf(pages: readonly StatementRow[]): BankStatement {
  const [first, last] = [pages[0]!, pages.at(-1)!]
  const { account, reference, pages_of, sequence, closing, closing_on } = last
  const { opening } = first
  assert(closing_on && sequence !== null, 'the last page has a day')
  assert(opening !== null && closing !== null, 'a whole statement has both balances')
  const days = pages.flatMap((page): Day[] => (page.from_on ? [page.from_on] : []))
  return {
    account_iban: account,
    statement_id: pages_of === null ? reference : `${pages_of} ${closing_on}`,
    sequence,
    from_on: min(closing_on, ...days),
    to_on: closing_on,
    opening,
    closing,
    raw: { file_bank_statements: pages.map(page => page.id) },
  }
}
