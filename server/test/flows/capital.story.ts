/** Transfers to the funding account: repayments, capital, unmatched payments. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  debitOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  refundDebit,
  suspenseReasons,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

const settingsOf = ({ context }: TestApp) => context.database.settings.lender

interface Funding {
  readonly amount: number
  readonly from_iban?: string | null
  readonly reference?: string
}

/** Sends a transfer to the funding account, and books it. */
async function fund(app: TestApp, transfer: Funding) {
  const { funding_iban: to_iban } = settingsOf(app)
  const received = await app.client.createSandboxIncomingTransfer({ to_iban, ...transfer })
  await app.drain()
  return received
}

/** Cents of transfers of this amount that were booked as the lender's capital. */
async function capitalOf(app: TestApp, amount: number): Promise<number> {
  const { rows } = await asOperator(app, tx =>
    tx.raw(
      `select coalesce(-sum(p.amount), 0)::bigint as capital from ledger_entries e
       join ledger_postings p on p.entry_id = e.id join ledger_accounts a on a.id = p.account_id
       where a.code = 'lender_capital' and e.kind = 'funding_received' and p.amount = $1`,
      [-amount],
    ),
  )
  return Number(rows[0].capital)
}

story('a transfer with a reference repays its loan, even on the funding account', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 1_000_001, days: 20 })
  await until('2027-01-29')
  const { default_loan_from } = await lineOf(app, borrower)
  expect(default_loan_from!.account_number).toBe(settingsOf(app).funding_iban)
  await fund(app, {
    amount: 1_000_001,
    from_iban: borrower.account_number,
    reference: referenceOf(loan),
  })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_001,
  })
  expect(await capitalOf(app, 1_000_001)).toBe(0)
  await until('2027-02-08')
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
})

story('a reclaimed refund returned by its payer repays the loan', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-15')
  await refundDebit(app, await debitOf(app, loan))
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  const { account_number: to_iban } = refund!.from_account_details!
  expect(to_iban).toBe(settingsOf(app).collection_iban)
  const back = { amount: 995_000, from_iban: SECOND_PAYER, reference: refund!.to_references[0]! }
  await app.client.createSandboxIncomingTransfer({ to_iban, ...back })
  await app.drain()
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_000,
  })
})

story('money of unknown origin is not capital but an unmatched payment', async tale => {
  const { app, until } = tale
  await until('2027-01-13')
  await fund(app, { amount: 70_001, from_iban: SECOND_PAYER, reference: 'Capital' })
  expect(await suspenseReasons(app, 70_001)).toEqual(['no known reference'])
  const borrower = await readyBorrower(app, 'SCT')
  await fund(app, { amount: 70_002, from_iban: borrower.account_number })
  expect(await suspenseReasons(app, 70_002)).toEqual(['no known reference'])
})

story('the lender deposits capital from its own account', async ({ app, until }) => {
  // After the first payout, because an earlier deposit would replace the sandbox's capital.
  await until('2027-01-13')
  const [own] = settingsOf(app).capital_ibans
  await fund(app, { amount: 80_001, from_iban: own!, reference: 'Capital' })
  expect(await capitalOf(app, 80_001)).toBe(80_001)
  // In a sandbox, a transfer without a sender comes from the lender's own account.
  const received = await fund(app, { amount: 80_002 })
  expect(received.from_iban).toBe(own)
  expect(await capitalOf(app, 80_002)).toBe(80_002)
  // A deposit into any other account is not capital.
  const { collection_iban: to_iban } = settingsOf(app)
  await app.client.createSandboxIncomingTransfer({ to_iban, amount: 80_003, from_iban: own! })
  await app.drain()
  expect(await suspenseReasons(app, 80_003)).toEqual(['no known reference'])
})
