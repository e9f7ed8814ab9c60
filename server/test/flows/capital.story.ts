/** Transfers to the funding account: repayments, capital, unmatched payments. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { atDesk } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import {
  debitOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  refundDebit,
  suspended,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** An account on file for no borrower. */
const SECOND_PAYER = 'FR7630006000011234567890189'

const settingsOf = ({ context }: TestHouse) => context.database.settings.lender

interface Funding {
  readonly amount: number
  readonly from_iban?: string | null
  readonly reference?: string
}

/** Transfers to the funding account and books the transfer. */
async function fund(house: TestHouse, transfer: Funding) {
  const { funding_iban: to_iban } = settingsOf(house)
  const received = await house.client.createSandboxIncomingTransfer({ to_iban, ...transfer })
  await house.drain()
  return received
}

/** The cents of that transfer booked as the lender's capital. */
async function capitalOf(house: TestHouse, amount: number): Promise<number> {
  const { rows } = await atDesk(house, tx =>
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
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 1_000_001, days: 20 })
  await until('2027-01-29')
  const { default_loan_from } = await lineOf(house, borrower)
  expect(default_loan_from!.account_number).toBe(settingsOf(house).funding_iban)
  await fund(house, {
    amount: 1_000_001,
    from_iban: borrower.account_number,
    reference: referenceOf(loan),
  })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_001,
  })
  expect(await capitalOf(house, 1_000_001)).toBe(0)
  await until('2027-02-08')
  expect((await house.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
})

story('a reclaimed refund returned by its payer repays the loan', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(house, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-15')
  await refundDebit(house, await debitOf(house, loan))
  const [refund] = await paymentsOfType(house, loan, 'REFUND')
  const { account_number: to_iban } = refund!.from_account_details!
  expect(to_iban).toBe(settingsOf(house).collection_iban)
  const back = { amount: 995_000, from_iban: SECOND_PAYER, reference: refund!.to_references[0]! }
  await house.client.createSandboxIncomingTransfer({ to_iban, ...back })
  await house.drain()
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_000,
  })
})

story('money of unknown origin is not capital: it goes to suspense', async tale => {
  const { house, until } = tale
  await until('2027-01-13')
  await fund(house, { amount: 70_001, from_iban: SECOND_PAYER, reference: 'Capital' })
  expect(await suspended(house, 70_001)).toEqual(['no known reference'])
  const borrower = await readyBorrower(house, 'SCT')
  await fund(house, { amount: 70_002, from_iban: borrower.account_number })
  expect(await suspended(house, 70_002)).toEqual(['no known reference'])
})

story('the lender deposits capital from its own account', async ({ house, until }) => {
  // Before the first payout, the deposit would replace the sandbox's initial capital.
  await until('2027-01-13')
  const [own] = settingsOf(house).capital_ibans
  await fund(house, { amount: 80_001, from_iban: own!, reference: 'Capital' })
  expect(await capitalOf(house, 80_001)).toBe(80_001)
  // In a sandbox, a transfer without a sender comes from that account.
  const received = await fund(house, { amount: 80_002 })
  expect(received.from_iban).toBe(own)
  expect(await capitalOf(house, 80_002)).toBe(80_002)
  // Only the funding account takes capital.
  const { collection_iban: to_iban } = settingsOf(house)
  await house.client.createSandboxIncomingTransfer({ to_iban, amount: 80_003, from_iban: own! })
  await house.drain()
  expect(await suspended(house, 80_003)).toEqual(['no known reference'])
})
