/** The books cannot be changed unseen: what the database refuses, and what verify finds. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifyBills } from '../../src/bills/index.ts'
import { type Tx, transaction } from '../../src/db/transaction.ts'
import { sealEntries, verifyLedger } from '../../src/ledger/index.ts'
import { verifyLoans } from '../../src/loans/index.ts'
import { houseOn } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import { billsOf, lend, payIn } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'
import { meanwhile, UNGUARDED } from './meanwhile.ts'

let house: TestHouse
const ids = { repaid: '', running: '', waiting: '' }

/** A line with a repaid, a running and a waiting loan, a bill paid, a refund, some suspense. */
beforeAll(async () => {
  house = await houseOn('2027-01-29')
  const borrower = await readyBorrower(house, 'SCT')
  const repaid = await lend(house, borrower, { amount: 100_000, days: 20 })
  const running = await lend(house, borrower, { amount: 200_000, days: 20 })
  const debited = await readyBorrower(house)
  await lend(house, debited, { amount: 30_000, days: 1 })
  await house.client.advanceSandboxClock({ to: '2027-02-01' })
  await payIn(house, { to: running, amount: 50_000 })
  await payIn(house, { to: repaid, amount: 100_400 })
  await payIn(house, { to: running, amount: 777, reference: 'nothing that we know' })
  const [bill] = await billsOf(house, borrower)
  await payIn(house, { to: repaid, amount: 500, reference: bill!.payment.to_references[0]! })
  await house.client.advanceSandboxClock({ to: '2027-02-03' })
  const asked = await house.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 40_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: '2027-02-10',
    to_repay_at: '2027-02-20',
    auto_validate: false,
    salt_id: crypto.randomUUID(),
  })
  Object.assign(ids, { repaid: repaid.id, running: running.id, waiting: asked.id })
  await transaction(house.context.database, { partners: '*' }, sealEntries)
  expect(await house.verify()).toMatchObject({ findings: [], unsealed: 0 })
})

async function findings(tx: Tx) {
  const ledger = await verifyLedger(tx)
  const loans = await verifyLoans(tx)
  return [...ledger.findings, ...loans.findings, ...(await verifyBills(tx))]
}

/** The checks that notice what the statements do, by name. */
async function noticed(...statements: string[]): Promise<string[]> {
  const found = await meanwhile(house, statements, findings)
  return [...new Set(found.map(f => f.check))].sort()
}

describe('the database refuses', () => {
  const attempt = (statement: string) =>
    transaction(house.context.database, { partners: '*' }, tx => tx.raw(statement))

  const entry = '01900000-0000-7000-8000-00000000e001'
  const newEntry = `insert into ledger_entries (id, kind, value_on, booked_at)
    values ('${entry}', 'refund', '2027-02-03', now())`
  const posting = (line: number, amount: number) =>
    `insert into ledger_postings select '${entry}', ${line}, id, ${amount}
      from ledger_accounts limit 1`

  test('an entry that does not balance', async () => {
    const unbalanced = `${newEntry}; ${posting(0, 100)}`
    await expect(attempt(unbalanced)).rejects.toThrow(/does not balance/)
    const halves = `${newEntry}; insert into ledger_postings
      select '${entry}', n, id, n * 100 from
        (select row_number() over () as n, id from ledger_accounts limit 2) two`
    await expect(attempt(halves)).rejects.toThrow(/does not balance/)
  })

  test.each(['ledger_entries', 'ledger_postings', 'ledger_seals'])(
    'any change of %s',
    async table => {
      const column = table === 'ledger_seals' ? 'hash = hash' : 'entry_id = entry_id'
      const set = table === 'ledger_entries' ? 'kind = kind' : column
      await expect(attempt(`update ${table} set ${set}`)).rejects.toThrow(/append-only: UPDATE/)
      await expect(attempt(`delete from ${table}`)).rejects.toThrow(/append-only: DELETE/)
      await expect(attempt(`truncate ${table} cascade`)).rejects.toThrow(/append-only: TRUNCATE/)
    },
  )

  test('that an account becomes another one', async () => {
    await expect(attempt(`update ledger_accounts set code = 'suspense'`)).rejects.toThrow(
      /append-only: UPDATE/,
    )
  })
})

describe('the chain of hashes', () => {
  const third = '(select entry_id from ledger_seals where position = 3)'

  test('names the entry whose posting was changed, though all still balances', async () => {
    const found = await meanwhile(
      house,
      [...UNGUARDED, `update ledger_postings set amount = amount * 2 where entry_id = ${third}`],
      async tx => ({
        findings: await findings(tx),
        ...(await tx.one(sql<{ entry_id: string }>`
          select entry_id from ledger_seals where position = 3`)),
      }),
    )
    expect(found.findings).toContainEqual({
      check: 'hash_chain',
      detail: `entry ${found.entry_id} at position 3 does not fit the chain`,
    })
  })

  test.each([
    [
      'a posting moved to another account',
      "ledger_postings set account_id = (select id from ledger_accounts where code = 'suspense')",
      'entry_id',
    ],
    ['another value date', `ledger_entries set value_on = value_on - 1`, 'id'],
    [
      'another booking time',
      `ledger_entries set booked_at = booked_at - interval '1 second'`,
      'id',
    ],
    ['another kind', `ledger_entries set kind = 'refund'`, 'id'],
    ['another partner', `ledger_entries set partner_id = null`, 'id'],
    ['another payment', `ledger_entries set payment_id = null`, 'id'],
    ['another hash', `ledger_seals set hash = reverse(hash)`, 'entry_id'],
  ])('notices %s', async (_, change, column) => {
    const statement = `update ${change} where ${column} = ${third}`
    expect(await noticed(...UNGUARDED, statement)).toContain('hash_chain')
  })

  test('notices a seal that is missing, and an entry that nobody sealed', async () => {
    const gap = 'delete from ledger_seals where position = 3'
    expect(await noticed(...UNGUARDED, gap)).toContain('hash_chain')
    const unsealed = await meanwhile(house, [...UNGUARDED, gap], verifyLedger)
    expect(unsealed.entries - unsealed.sealed).toBe(1)
  })

  test('seals what is new once, in order', async () => {
    const [again, seals] = await meanwhile(house, [], async tx => [
      await sealEntries(tx),
      await tx.all(sql<{ fits: boolean }>`
        select entry_id > lag(entry_id, 1, entry_id) over (order by position)
          or position = 1 as fits from ledger_seals`),
    ])
    expect(again).toBe(0)
    expect(seals.length).toBeGreaterThan(10)
    expect(seals.every(seal => seal.fits)).toBe(true)
  })
})

describe('verify finds', () => {
  const of = (which: keyof typeof ids) => `where id = '${ids[which]}'`

  test.each([
    [
      'a posting too much',
      [
        ...UNGUARDED,
        `update ledger_postings set amount = amount + 1
      where line = 0 and entry_id = (select min(entry_id::text)::uuid from ledger_postings)`,
      ],
      ['entry_balance', 'hash_chain', 'running_balance', 'trial_balance'],
    ],
    [
      'a balance that drifted',
      [
        `update ledger_balances set amount = amount + 1 where account_id =
          (select id from ledger_accounts where code = 'loan_principal' limit 1)`,
      ],
      ['loan_books', 'running_balance'],
    ],
    [
      'a line that has lent more',
      ['update credit_lines set outstanding = outstanding + 1'],
      ['line_outstanding', 'partner_exposure'],
    ],
    [
      'a line that promised less',
      ['update credit_lines set reserved = reserved - 1 where reserved > 0'],
      ['line_reserved', 'partner_exposure'],
    ],
    [
      'a partner exposed otherwise',
      ['update partners set exposure = exposure + 1'],
      ['partner_exposure'],
    ],
    [
      'a payment of another amount',
      [`update payments set amount = amount + 1 where payment_type = 'LOAN_PAYMENT'`],
      ['cash_moved', 'payment_shares'],
    ],
    [
      'a payment that never was',
      [`update payments set status = 'FAILED' where payment_type = 'REFUND'`],
      ['cash_moved'],
    ],
    ['suspense that came from nowhere', ['update suspense_items set cash = 0'], ['cash_moved']],
    [
      'a bill of another amount',
      ['update bills set amount = amount + 1'],
      ['bill_status', 'bill_total'],
    ],
    [
      'a line of another amount',
      [
        `update bill_lines set amount = amount + 1
          where loan_id in (select id from loans where amount = 200000)`,
      ],
      ['bill_total', 'loan_billed'],
    ],
    [
      'a line paid otherwise',
      ['update bill_lines set paid = paid - 1', 'update bills set amount_paid = amount_paid - 1'],
      ['bill_status', 'bill_total', 'line_paid'],
    ],
    [
      'a bill that nobody paid',
      [`update bills set status = 'PAID', amount_paid = 0 where amount_paid > 0`],
      ['bill_status', 'bill_total'],
    ],
  ])('%s', async (_, statements, checks) => {
    expect(await noticed(...statements)).toEqual(checks)
  })

  test.each([
    [
      'principal_outstanding = principal_outstanding + 1',
      'running',
      ['line_outstanding', 'loan_books', 'loan_fold'],
    ],
    ['principal_repaid = principal_repaid + 1', 'running', ['loan_fold']],
    ['principal_repaid_on = null', 'repaid', ['loan_fold']],
    ['paid_out_on = paid_out_on - 1', 'running', ['loan_fold']],
    ['interest_paid = interest_paid + 1', 'repaid', ['loan_books', 'loan_fold']],
    [
      'interest_billed = interest_billed + 1',
      'running',
      ['loan_billed', 'loan_books', 'loan_fold'],
    ],
    ['interest_accrued = interest_accrued + 1', 'repaid', ['loan_books', 'loan_fold']],
    ['surplus = surplus + 1', 'repaid', ['loan_books', 'loan_fold']],
    ['surplus_refunded = surplus_refunded - 1', 'repaid', ['loan_books']],
    ['rate_ppm = 400', 'repaid', ['loan_fold', 'loan_shares']],
    [`status = 'CLOSED'`, 'running', ['loan_fold']],
    [`status = 'TO_REPAY'`, 'repaid', ['loan_fold']],
    [`status = 'TO_REPAY'`, 'waiting', ['loan_fold', 'loan_reserved']],
    [`status = 'CANCELED'`, 'waiting', ['loan_reserved']],
    ['reserved = reserved - 1', 'waiting', ['line_reserved', 'loan_reserved']],
    ['reserved = reserved + 200000', 'running', ['line_reserved', 'loan_reserved']],
  ] as const)('a loan with %s', async (change, which, checks) => {
    expect(await noticed(`update loans set ${change} ${of(which)}`)).toEqual(checks)
  })

  test.each([
    [
      'a movement of another amount',
      'update loan_movements set amount = amount + 1',
      'payment_shares',
    ],
    [
      'a movement of another day',
      `update loan_movements set value_on = value_on + 1 where kind = 'REPAYMENT'`,
      'loan_fold',
    ],
    ['a movement that was voided', 'update loan_movements set voided_at = now()', 'loan_fold'],
    [
      'a movement that is gone',
      `delete from loan_movements where kind = 'BILL_PAYMENT'`,
      'loan_fold',
    ],
    ['a share of another cent', 'update loan_movements set interest = interest + 1', 'loan_shares'],
    ['a step of another day', 'update loan_principal_steps set from_on = from_on - 1', 'loan_fold'],
    [
      'a step of another amount',
      'update loan_principal_steps set principal = principal + 1',
      'loan_fold',
    ],
  ])('%s', async (_, statement, check) => {
    expect(await noticed(statement)).toContain(check)
  })

  test('nothing once all of that was undone', async () => {
    expect((await house.verify()).findings).toEqual([])
  })
})
