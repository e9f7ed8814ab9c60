/** Payouts leave while there is cash, and none while a kill switch is set. */
import { expect } from 'vitest'
import { liftSwitch, readSwitches, throwSwitch } from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { post, transferPostings } from '../../src/platform/ledger/index.ts'
import { calendar } from '../support/calendar.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import { lend, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-14')

const CASH = { code: 'bank_cash', owner_id: null } as const
const CAPITAL = { code: 'lender_capital', owner_id: null } as const

/** Withdraws all but this many cents from the lender's account. */
async function leave(tx: Tx, cents: bigint): Promise<void> {
  const { rows } = await tx.raw(`
    select coalesce(sum(p.amount), 0)::bigint as cash from ledger_postings p
    join ledger_accounts a on a.id = p.account_id where a.code in ('bank_cash', 'suspense')`)
  const postings = transferPostings(CASH, CAPITAL, cents - BigInt(rows[0].cash))
  await post(tx, [{ kind: 'funding_opened', value_on: tx.today, postings }])
}

story(
  'a switch cannot be lifted by the operator who set it; nothing leaves meanwhile',
  async ({ house, until }) => {
    const [one, two] = [await operatorOf(house), await operatorOf(house)]
    const payouts = { kind: 'payouts', partner_id: null } as const
    const partner = { kind: 'partner', partner_id: house.partner_id } as const
    const collections = { kind: 'collections', partner_id: null } as const
    const borrower = await readyBorrower(house)
    const running = await lend(house, borrower, { amount: 20_000, days: 5 })
    await atDesk(house, tx => throwSwitch(tx, one, payouts, 'fraud?'))
    const { id } = await requestLoan(house, borrower, { amount: 10_000 })
    await house.drain()
    expect((await loanOf(house, id)).status).toBe('SCHEDULED')
    const alone = atDesk(house, tx => liftSwitch(tx, one, payouts))
    await expect(alone).rejects.toMatchObject({ code: 'state_conflict' })
    await atDesk(house, tx => liftSwitch(tx, two, payouts))
    expect((await loanOf(house, id)).status).toBe('TO_REPAY')

    await atDesk(house, tx => throwSwitch(tx, two, partner, 'contract ended'))
    const refused = await requestLoan(house, borrower, { amount: 10_000 })
    expect(refused).toMatchObject({ denial_reason: 'LINKED_BUSINESS_IS_BLOCKED' })
    await atDesk(house, tx => liftSwitch(tx, one, partner))

    await atDesk(house, tx => throwSwitch(tx, one, collections, 'bank is down'))
    await until('2027-01-20')
    const [debit] = await paymentsOfType(house, running, 'REPAYMENT_NOMINAL')
    expect(debit!.status).toBe('SCHEDULED')
    // A borrower waiting to be debited is not late.
    expect((await house.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
    expect(await atDesk(house, readSwitches)).toMatchObject([{ kind: 'collections' }])
    await atDesk(house, tx => liftSwitch(tx, two, collections))
    await until('2027-01-25')
    expect((await loanOf(house, running.id)).status).toBe('TO_REPAY_FEES')
  },
)

story(
  'short of cash a payout waits with an alert, and leaves once cash arrives',
  async ({ house, until }) => {
    await until('2027-02-10')
    const borrower = await readyBorrower(house, 'SCT')
    const first = await lend(house, borrower, { amount: 20_000 })
    await atDesk(house, tx => leave(tx, 5_000n))
    const { id } = await requestLoan(house, borrower, { amount: 10_000 })
    const small = await requestLoan(house, borrower, { amount: 5_000 })
    await house.drain()
    expect((await loanOf(house, id)).status).toBe('SCHEDULED')
    const waiting = async () =>
      (await atDesk(house, readOpenAlerts)).filter(alert => alert.kind === 'funding_short')
    expect(await waiting()).toHaveLength(1)
    expect((await loanOf(house, small.id)).status).toBe('TO_REPAY')
    const { funding_iban: to_iban } = house.context.database.settings.lender
    await house.client.createSandboxIncomingTransfer({ to_iban, amount: 9_999 })
    await house.drain()
    expect((await loanOf(house, id)).status).toBe('SCHEDULED')
    await payIn(house, { to: first, amount: 1 })
    expect((await loanOf(house, id)).status).toBe('TO_REPAY')
    expect(await waiting()).toEqual([])
    await atDesk(house, tx => leave(tx, 100_000_000n))
  },
)

story('a payout that could not leave is canceled after its day', async ({ house, until }) => {
  const one = await operatorOf(house)
  const two = await operatorOf(house)
  await until('2027-02-15')
  const borrower = await readyBorrower(house, 'SCT')
  const payouts = { kind: 'payouts', partner_id: null } as const
  await atDesk(house, tx => throwSwitch(tx, one, payouts, 'drill'))
  const { id } = await requestLoan(house, borrower, { amount: 10_000, days: 3 })
  await until('2027-02-19')
  expect((await loanOf(house, id)).status).toBe('CANCELED')
  await atDesk(house, tx => liftSwitch(tx, two, payouts))
})

story('money to be refunded is not lent to others', async ({ house, until }) => {
  await until('2027-03-02')
  const borrower = await readyBorrower(house, 'SCT')
  const first = await lend(house, borrower, { amount: 20_000 })
  await atDesk(house, tx => leave(tx, 0n))
  // 30,000 of it will be refunded on the next banking day.
  await payIn(house, { to: first, amount: 50_000 })
  const more = await requestLoan(house, borrower, { amount: 20_001 })
  const enough = await requestLoan(house, borrower, { amount: 20_000 })
  await house.drain()
  expect((await loanOf(house, more.id)).status).toBe('SCHEDULED')
  expect((await loanOf(house, enough.id)).status).toBe('TO_REPAY')
  await until('2027-03-04')
  expect(await paymentsOfType(house, first, 'REFUND')).toMatchObject([
    { amount: 30_000, status: 'PAID' },
  ])
  expect((await loanOf(house, more.id)).status).toBe('SCHEDULED')
  await atDesk(house, tx => leave(tx, 100_000_000n))
})
