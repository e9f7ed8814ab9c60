/** Daily runs and checks of the books read the rows they need and few others. */
import { beforeAll, expect, test } from 'vitest'
import { verifyCash } from '../../src/back-office/verification/verify-cash.ts'
import { setOffReopened } from '../../src/credit/bills/index.ts'
import { verifyBills } from '../../src/credit/bills/verify.ts'
import { verifyCards } from '../../src/credit/cards/verify.ts'
import { verifyLoans } from '../../src/credit/loans/booking/verify.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS } from '../../src/platform/db/slices.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { sealEntries } from '../../src/platform/ledger/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { rowsRead } from '../support/blocks-touched.ts'
import { sentBy } from '../support/statements.ts'

const ALL = { partners: '*', actor: 'service' } as const
const LOANS = 20_000
const PAYERS = 500
/** Payers with a credit and an open bill. */
const CREDITED = PAYERS / 50
/** Every hundredth entry is the lender's own: an unmatched payment. */
const UNMATCHED = LOANS / 100

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false, new: true })
  const { pool } = app.context.database
  await transaction(app.context.database, ALL, fill)
  await pool.query(`vacuum analyze ledger_accounts, ledger_balances, ledger_entries,
    ledger_postings, ledger_unsealed, bills`)
})

/**
 * Accounts of loans with an entry each, accounts of a few payers, and bills. The loans and payers
 * do not exist. Many payers have an open bill or a credit, and few have both.
 */
async function fill(tx: Tx): Promise<void> {
  await tx.raw(`
    insert into ledger_accounts (id, partner_id, code, owner_id)
      select uuidv7(), '${LENDER_ID}', code, null
      from unnest('{bank_cash,suspense,suspense_loss,lender_capital,card_settlement}'::text[]) code
      on conflict do nothing;
    create temp table owners on commit drop as
      select n, uuidv7() as owner_id, (array['${app.partner_id}',
        '${app.second_partner_id}']::uuid[])[n / 50 % 2 + 1] as partner_id
      from generate_series(1, ${LOANS}) n;
    insert into ledger_accounts (id, partner_id, code, owner_id)
      select uuidv7(), partner_id, code, owner_id from owners
      cross join unnest('{loan_principal,interest_accrued,interest_billed}'::text[]) code;
    insert into ledger_accounts (id, partner_id, code, owner_id)
      select uuidv7(), partner_id, code, owner_id from owners
      cross join unnest('{credit_notes_payable,subscription_receivable}'::text[]) code
      where n <= ${PAYERS};
    create temp table entries on commit drop as
      select uuidv7() as id, owner_id,
        case when n % 100 = 0 then '${LENDER_ID}' else partner_id end as of from owners;
    insert into ledger_entries (id, partner_id, kind, value_on, booked_at)
      select id, of, 'payout', '2027-01-11', now() from entries;
    insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
      select e.of, e.id, 0, a.id, -1 from entries e
        join ledger_accounts a on a.owner_id is null and a.code = 'bank_cash'
      union all select e.of, e.id, 1, a.id, 1 from entries e
        join ledger_accounts a on a.owner_id is null and a.code = 'suspense'
        where e.of = '${LENDER_ID}'
      union all select e.of, e.id, 1, a.id, 1 from entries e
        join ledger_accounts a on a.owner_id = e.owner_id and a.code = 'loan_principal'
        where e.of <> '${LENDER_ID}';
    insert into ledger_balances (partner_id, account_id, amount)
      select a.partner_id, a.id, case when n % 50 = 0 or n % 10 > 4 then -1 else 0 end
      from owners o join ledger_accounts a on a.owner_id = o.owner_id;
    insert into bills (id, payer_id, partner_id, status, period_from, period_to, due_on, amount,
        amount_paid, currency, loan_types, reference, ran_at, created_at)
      select uuidv7(), owner_id, partner_id, case n % 10 when 0 then 'TO_PAY' else 'PAID' end,
        '2027-01-01', '2027-01-31', '2027-02-03', 100, case n % 10 when 0 then 0 else 100 end,
        'EUR', '{}', 'RF' || n, now(), now() from owners;
    insert into ledger_unsealed (partner_id, entry_id)
      select of, id from entries order by id`)
}

/** For each text, how many rows of `table` are read by the statement of `work` that contains it. */
async function readBy(
  work: (tx: Tx) => Promise<unknown>,
  texts: readonly string[],
  table: string,
): Promise<number[]> {
  const { database } = app.context
  const sent = await sentBy(database, on => transaction(on, ALL, work))
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const counts: number[] = []
    for (const text of texts) {
      const [statement, ...others] = sent.filter(one => one.text.includes(text))
      expect(others, text).toEqual([])
      counts.push(await rowsRead(tx, statement!, table))
    }
    return counts
  })
}

test("sums of the lender's accounts read only the postings on them", async () => {
  const checks = ['suspense in the books', 'losses in suspense', 'put in by the books']
  const [suspense, losses, funding] = await readBy(verifyLoans, checks, 'ledger_postings')
  expect([suspense, losses]).toEqual([UNMATCHED, 0])
  // Depending on the plan: the lender's postings on cash, or all postings of its entries.
  expect(funding).toBeLessThanOrEqual(2 * UNMATCHED)
  expect(await readBy(verifyCards, ['the processor is owed'], 'ledger_postings')).toEqual([0])
})

test('payers with a credit and an open bill are read page by page', async () => {
  const { database } = app.context
  const page = (after: RowKey) => (tx: Tx) => setOffReopened().read(tx, after.id, after)
  const found = await transaction(database, ALL, page(BEFORE_ALL_KEYS))
  expect(found).toHaveLength(CREDITED)
  const keys = found.map(({ partner_id, id }) => `${partner_id} ${id}`)
  expect(keys).toEqual(keys.toSorted())
  const middle = found[CREDITED / 2 - 1]!
  expect(await transaction(database, ALL, page(middle))).toEqual(found.slice(CREDITED / 2))
  for (const table of ['ledger_accounts', 'ledger_balances', 'bills']) {
    const read = (after: RowKey) => readBy(page(after), ['credit_notes_payable'], table)
    const [first, second] = [await read(BEFORE_ALL_KEYS), await read(middle)]
    // EXPLAIN rounds the average rows per loop, so the counts are approximate.
    expect(first[0]).toBeLessThanOrEqual(2 * PAYERS)
    expect(second[0]).toBeLessThan(0.7 * first[0]!)
  }
})

test('checks of credits and subscriptions read the accounts of payers', async () => {
  const [credits] = await readBy(verifyBills, ['is owed'], 'ledger_accounts')
  const [fees] = await readBy(verifyCash, ['more than came in'], 'ledger_accounts')
  expect(credits).toBeLessThanOrEqual(PAYERS)
  expect(fees).toBeLessThanOrEqual(PAYERS)
})

test('the sealer reads one batch of the unsealed entries', async () => {
  const sealing = ['from (select * from ledger_unsealed']
  expect(await readBy(sealEntries, sealing, 'ledger_unsealed')).toEqual([2_000])
})
