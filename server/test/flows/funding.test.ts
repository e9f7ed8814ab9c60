/** Payouts leave only while there is cash, and kill switches hold payouts and collections. */
import { expect } from 'vitest'
import { activateSwitch, deactivateSwitch, readSwitches } from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { bankCash, post, transferPostings } from '../../src/platform/ledger/index.ts'
import { calendar } from '../support/calendar.ts'
import { lend, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-14')

const CAPITAL = { code: 'lender_capital', owner_id: null } as const

/** Withdraws all but this many cents from the lender's account. */
async function leave(tx: Tx, cents: bigint): Promise<void> {
  const { rows } = await tx.raw(`
    select coalesce(sum(p.amount), 0)::bigint as cash from ledger_postings p
    join ledger_accounts a on a.id = p.account_id where a.code in ('bank_cash', 'suspense')`)
  const cash = bankCash(tx.settings.bank_accounts.FUNDING.id, tx.today)
  const postings = transferPostings(cash, CAPITAL, cents - BigInt(rows[0].cash))
  await post(tx, [{ kind: 'opening_balance', partner_id: LENDER_ID, value_on: tx.today, postings }])
}

story(
  'a switch cannot be deactivated by the operator who activated it; nothing leaves meanwhile',
  async ({ app, until }) => {
    const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
    const payouts = { kind: 'payouts', partner_id: LENDER_ID } as const
    const partner = { kind: 'partner', partner_id: app.partner_id } as const
    const collections = { kind: 'collections', partner_id: LENDER_ID } as const
    const borrower = await readyBorrower(app)
    const running = await lend(app, borrower, { amount: 20_000, days: 5 })
    await asOperator(app, tx => activateSwitch(tx.as(one), payouts, 'fraud?'))
    const { id } = await requestLoan(app, borrower, { amount: 10_000 })
    await app.drain()
    expect((await loanOf(app, id)).status).toBe('SCHEDULED')
    const alone = asOperator(app, tx => deactivateSwitch(tx.as(one), payouts))
    await expect(alone).rejects.toMatchObject({ code: 'state_conflict' })
    await asOperator(app, tx => deactivateSwitch(tx.as(two), payouts))
    expect((await loanOf(app, id)).status).toBe('TO_REPAY')

    await asOperator(app, tx => activateSwitch(tx.as(two), partner, 'contract ended'))
    const refused = await requestLoan(app, borrower, { amount: 10_000 })
    expect(refused).toMatchObject({ denial_reason: 'LINKED_BUSINESS_IS_BLOCKED' })
    await asOperator(app, tx => deactivateSwitch(tx.as(one), partner))

    await asOperator(app, tx => activateSwitch(tx.as(one), collections, 'bank is down'))
    await until('2027-01-20')
    const [debit] = await paymentsOfType(app, running, 'REPAYMENT_NOMINAL')
    expect(debit!.status).toBe('SCHEDULED')
    // The kill switch delays the debit, which does not make the borrower overdue.
    expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
    expect(await asOperator(app, readSwitches)).toMatchObject([{ kind: 'collections' }])
    await asOperator(app, tx => deactivateSwitch(tx.as(two), collections))
    await until('2027-01-25')
    expect((await loanOf(app, running.id)).status).toBe('TO_REPAY_FEES')
  },
)

story(
  'short of cash a payout waits with an alert, and leaves once cash arrives',
  async ({ app, until }) => {
    await until('2027-02-10')
    const borrower = await readyBorrower(app, 'SCT')
    const first = await lend(app, borrower, { amount: 20_000 })
    await asOperator(app, tx => leave(tx, 5_000n))
    const { id } = await requestLoan(app, borrower, { amount: 10_000 })
    const small = await requestLoan(app, borrower, { amount: 5_000 })
    await app.drain()
    expect((await loanOf(app, id)).status).toBe('SCHEDULED')
    const waiting = async () =>
      (await asOperator(app, readOpenAlerts)).filter(alert => alert.kind === 'funding_short')
    expect(await waiting()).toHaveLength(1)
    expect((await loanOf(app, small.id)).status).toBe('TO_REPAY')
    const { funding_iban: to_iban } = app.context.database.settings.lender
    await app.client.createSandboxIncomingTransfer({ to_iban, amount: 9_999 })
    await app.drain()
    expect((await loanOf(app, id)).status).toBe('SCHEDULED')
    await payIn(app, { to: first, amount: 1 })
    expect((await loanOf(app, id)).status).toBe('TO_REPAY')
    expect(await waiting()).toEqual([])
    await asOperator(app, tx => leave(tx, 100_000_000n))
  },
)

story('a payout that cannot leave is canceled after its payout date', async ({ app, until }) => {
  const one = await createOperatorId(app)
  const two = await createOperatorId(app)
  await until('2027-02-15')
  const borrower = await readyBorrower(app, 'SCT')
  const payouts = { kind: 'payouts', partner_id: LENDER_ID } as const
  await asOperator(app, tx => activateSwitch(tx.as(one), payouts, 'drill'))
  const { id } = await requestLoan(app, borrower, { amount: 10_000, days: 3 })
  await until('2027-02-19')
  expect((await loanOf(app, id)).status).toBe('CANCELED')
  await asOperator(app, tx => deactivateSwitch(tx.as(two), payouts))
})

story('money to be refunded is not lent to others', async ({ app, until }) => {
  await until('2027-03-02')
  const borrower = await readyBorrower(app, 'SCT')
  const first = await lend(app, borrower, { amount: 20_000 })
  await asOperator(app, tx => leave(tx, 0n))
  // 30,000 of the transfer will be refunded on the next banking day, so only 20,000 can be lent.
  await payIn(app, { to: first, amount: 50_000 })
  const more = await requestLoan(app, borrower, { amount: 20_001 })
  const enough = await requestLoan(app, borrower, { amount: 20_000 })
  await app.drain()
  expect((await loanOf(app, more.id)).status).toBe('SCHEDULED')
  expect((await loanOf(app, enough.id)).status).toBe('TO_REPAY')
  await until('2027-03-04')
  expect(await paymentsOfType(app, first, 'REFUND')).toMatchObject([
    { amount: 30_000, status: 'PAID' },
  ])
  expect((await loanOf(app, more.id)).status).toBe('SCHEDULED')
  await asOperator(app, tx => leave(tx, 100_000_000n))
})
