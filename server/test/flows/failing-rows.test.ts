/**
 * If a daily run fails on one row, the others are processed. The failed row is reported and
 * retried until it succeeds.
 */
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { lapseMandates } from '../../src/companies/borrowers/index.ts'
import { reassessDueLines } from '../../src/companies/credit-lines/index.ts'
import { generateBills } from '../../src/credit/bills/index.ts'
import { lapseAuthorizations } from '../../src/credit/cards/index.ts'
import { logDueItems, reviewOverdueLoans } from '../../src/credit/delinquency/index.ts'
import { expireHeldLoans, payDuePayouts, releaseRevocable } from '../../src/credit/loans/index.ts'
import { instructDuePayments, returnOldSuspense } from '../../src/money/payments/index.ts'
import { expireDecisions } from '../../src/partners/decisions/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, authorize } from '../support/cards.ts'
import { approvedDecision } from '../support/decisions.ts'
import { failingWhere } from '../support/failing.ts'
import { lend, payIn, repayOn, runSql } from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const TODAY = day('2027-02-01')

let app: TestApp
beforeAll(async () => {
  app = await testApp({ on: TODAY, work: false })
})

interface Case {
  readonly what: string
  /** Creates a row for the run to process; returns the ID to pass to `done`. */
  readonly make: () => Promise<string>
  readonly run: (database: Database) => Promise<number>
  /** An SQL condition that holds once the run has processed the row. */
  readonly done: (id: string) => RawBuilder<unknown>
  /** Set if the run processes the same rows every time. */
  readonly repeats?: true
}

const wallet = async (method: 'DIRECT_DEBIT' | 'SCT', days: number) =>
  lend(app, await readyBorrower(app, method), { amount: 10_000, days })

const cases: Case[] = [
  {
    what: 'loans that were held up',
    make: async () => {
      const input = { amount: 1_000, days: 2, auto_validate: false }
      return (await requestLoan(app, await readyBorrower(app), input)).id
    },
    run: on => runPaged(on, expireHeldLoans(addDays(TODAY, 2))),
    done: id => sql`exists (select from loans where id = ${id} and status = 'DECLINED')`,
  },
  {
    what: 'payouts',
    make: async () => {
      const input = { amount: 1_000, pay_in: 4 }
      const { id } = await requestLoan(app, await readyBorrower(app), input)
      await app.drain()
      return id
    },
    run: on => runPaged(on, payDuePayouts(addDays(TODAY, 4))),
    done: id => sql`exists (select from loans where id = ${id} and status <> 'SCHEDULED')`,
  },
  {
    what: 'direct debits',
    make: async () => (await wallet('DIRECT_DEBIT', 10)).id,
    run: on => runPaged(on, instructDuePayments(addDays(TODAY, 10))),
    done: id => sql`exists (select from payments where loan_id = ${id}
      and payment_method = 'DIRECT_DEBIT' and status = 'INSTRUCTED')`,
  },
  {
    what: 'headroom of debits that cannot come back',
    make: async () => {
      const { id } = await wallet('DIRECT_DEBIT', 20)
      await runSql(app, 'update loans set reserved = 77 where id = $1', [id])
      await runSql(
        app,
        `update credit_lines set reserved = reserved + 77 where id = (select credit_line_id
          from loans where id = $1)`,
        [id],
      )
      return id
    },
    run: on => runPaged(on, releaseRevocable(TODAY)),
    done: id => sql`exists (select from loans where id = ${id} and reserved = 0)`,
  },
  {
    what: 'credit lines',
    make: async () => {
      const { id } = await readyBorrower(app)
      const old = "update credit_lines set assessed_on = '2026-01-01' where borrower_id = $1"
      await runSql(app, old, [id])
      return id
    },
    run: on => runPaged(on, reassessDueLines(TODAY)),
    done: id => sql`exists (select from credit_lines where borrower_id = ${id}
      and assessed_on = ${TODAY})`,
  },
  {
    what: 'mandates',
    make: async () => {
      const { id } = await readyBorrower(app)
      const unused = "update mandates set signed_at = '2020-01-01' where borrower_id = $1"
      await runSql(app, unused, [id])
      return id
    },
    run: on => runPaged(on, lapseMandates(TODAY)),
    done: id => sql`exists (select from mandates where borrower_id = ${id}
      and status <> 'READY')`,
  },
  {
    what: 'late borrowers',
    make: async () => {
      const { id } = await wallet('SCT', 30)
      await repayOn(app, id, "'2027-01-20'")
      return id
    },
    run: on => runPaged(on, reviewOverdueLoans()),
    done: id => sql`exists (select from late_loans where loan_id = ${id})`,
    repeats: true,
  },
  {
    what: 'principal that falls due',
    make: async () => (await wallet('SCT', 12)).id,
    run: on => runPaged(on, logDueItems(addDays(TODAY, 12))),
    done: id => sql`exists (select from loan_log where loan_id = ${id}
      and event_type = 'LOAN_PRINCIPAL_FALLEN_DUE')`,
    repeats: true,
  },
  {
    what: 'card authorisations',
    make: async () => {
      const card = await activeCard(app)
      await authorize(app, card, 4_000)
      return card.id
    },
    run: on => runPaged(on, lapseAuthorizations(addDays(TODAY, 8))),
    done: id => sql`exists (select from card_entries where card_id = ${id}
      and status = 'reversed')`,
  },
  {
    what: 'money in suspense',
    make: async () => {
      const to = await wallet('SCT', 40)
      await payIn(app, { to, amount: 123, reference: `stray ${to.id}` })
      return to.id
    },
    run: on => runPaged(on, returnOldSuspense(addDays(TODAY, 31))),
    done: id => sql`exists (select from suspense_items s join bank_news n on n.id = s.bank_news_id
      where s.status <> 'OPEN' and n.raw ->> 'reference' = ${`stray ${id}`})`,
  },
  {
    what: 'decisions',
    make: async () => {
      const wallets = `/borrower/${crypto.randomUUID()}/wallets`
      const { id } = await approvedDecision(app, [{ method: 'POST', path: wallets, body: {} }])
      await runSql(app, 'update decisions set expires_at = $2 where id = $1', [id, TODAY])
      return id
    },
    run: on => runPaged(on, expireDecisions()),
    done: id => sql`exists (select from decisions where id = ${id} and status = 'EXPIRED')`,
  },
  {
    what: 'bills',
    make: async () => (await wallet('SCT', 40)).id,
    run: on => generateBills(on, day('2027-03-01')),
    done: id => sql`exists (select from bill_lines where loan_id = ${id})`,
  },
]

for (const { what, make, run, done, repeats } of cases) {
  test(`${what}: a failing row blocks no other`, async () => {
    const { database } = app.context
    const ids = [await make(), await make(), await make()]
    const state = () => Promise.all(ids.map(id => isSo(done(id))))
    expect(await state()).toEqual([false, false, false])
    const failing = run(failingWhere(database, done(ids[0]!)))
    await expect(failing).rejects.toThrow('some failed')
    expect(await state()).toEqual([false, true, true])
    expect(await run(database)).toBeGreaterThanOrEqual(1)
    expect(await state()).toEqual([true, true, true])
    if (!repeats) expect(await run(database)).toBe(0)
    await app.drain()
  })
}

function isSo(condition: RawBuilder<unknown>): Promise<boolean> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { so } = await tx.one(sql<{ so: boolean }>`select (${condition}) as so`)
    return so
  })
}
