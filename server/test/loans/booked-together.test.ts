/** Booking several loans together has the same result as booking one after the other. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bookLoanFacts, lockLoanMoney } from '../../src/credit/loans/booking/money.ts'
import type { LoanRow } from '../../src/credit/loans/store.ts'
import { keysOf } from '../../src/platform/db/of-partner.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { bankCash } from '../../src/platform/ledger/index.ts'
import { testApp } from '../support/app.ts'
import { lend, loanOf, runSql } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const app = await testApp({ work: false })
const { database } = app.context

/** Repaid in part, in full, in full with ten days of interest, and by a single cent. */
const PARTS = [
  { lent: 100_000, paid: 40_000n },
  { lent: 50_000, paid: 50_000n },
  { lent: 200_000, paid: 201_000n },
  { lent: 30_000, paid: 1n },
]

async function repay(
  tx: Tx,
  payment_id: string,
  ids: readonly string[],
  book: (changes: Parameters<typeof bookLoanFacts>[1]) => Promise<unknown>,
): Promise<void> {
  const loans = await lockLoanMoney(tx, keysOf(app.partner_id, ids))
  const paid = (loan: LoanRow) => PARTS[ids.indexOf(loan.id)]!.paid
  const fact = { kind: 'repayment' as const, value_on: tx.today, payment_id }
  await book(
    loans.map(loan => {
      const { id: loan_id, partner_id } = loan
      const { value_on } = fact
      const amount = paid(loan)
      const moved = {
        loan_id,
        partner_id,
        kind: 'REPAYMENT' as const,
        payment_id,
        amount,
        value_on,
      }
      const other = bankCash(tx.settings.bank_accounts.COLLECTION.id, tx.today)
      return { loan, fact: { ...fact, cash: amount, other }, moved: [moved] }
    }),
  )
}

/** What booking loans together could change, such as loans, lines, books, events and jobs. */
async function outcome(tx: Tx, ids: readonly string[]) {
  const result = tx.pending.events.map(({ type, resource_id }) => `${type} ${resource_id}`).sort()
  return {
    result: [...new Set(result)],
    jobs: tx.pending.jobs.map(job => JSON.stringify(job)).sort(),
    loans: await tx.all(sql`select id, status, principal_outstanding, principal_repaid,
      interest_accrued, interest_paid, surplus, reserved from loans
      where id = any(${ids}::uuid[]) order by id`),
    lines: await tx.all(sql`select id, outstanding, reserved from credit_lines order by id`),
    books: await tx.all(sql`select a.code, a.owner_id, b.amount from ledger_balances b
      join ledger_accounts a on a.id = b.account_id order by 1, 2`),
    steps: tx.pending.journal
      .rows('state_changes')
      .filter(({ resource_id }) => ids.includes(resource_id))
      .map(({ resource_id, from_status, to_status, trigger }) =>
        [resource_id, from_status, to_status, trigger].join(),
      )
      .sort(),
  }
}

class Undone extends Error {}

test('several old loans, of one borrower and of two', async () => {
  const borrowers = [await readyBorrower(app, 'SCT'), await readyBorrower(app, 'SCT')]
  const ids: string[] = []
  for (const [index, { lent }] of PARTS.entries()) {
    ids.push((await lend(app, borrowers[index % 2]!, { amount: lent, days: 20 })).id)
  }
  const { data } = await app.client.listPayments({ loan_id: [ids[0]!] })
  const ten_days = 10 * 86_400_000
  await runSql(app, 'update deployment set clock_offset_ms = clock_offset_ms + $1', [ten_days])
  const tried = async (together: boolean) => {
    let found: Awaited<ReturnType<typeof outcome>> | undefined
    const trial = transaction(database, { partners: '*', actor: 'service' }, async tx => {
      await repay(tx, data[0]!.id, ids, async changes => {
        if (together) return bookLoanFacts(tx, changes)
        for (const change of changes) {
          const [loan] = await lockLoanMoney(tx, [change.loan])
          await bookLoanFacts(tx, [{ ...change, loan: loan! }])
        }
      })
      found = await outcome(tx, ids)
      throw new Undone()
    })
    await expect(trial).rejects.toThrow(Undone)
    return found!
  }
  const [together, alone] = [await tried(true), await tried(false)]
  expect(together).toEqual(alone)
  expect(together.loans.length).toBe(PARTS.length)
  const rows = together.loans as { id: string; status: string }[]
  expect(ids.map(id => rows.find(row => row.id === id)!.status)).toEqual([
    'TO_REPAY',
    'TO_REPAY_FEES',
    'CLOSED',
    'TO_REPAY',
  ])
  expect((await loanOf(app, ids[0]!)).status).toBe('TO_REPAY')
})
