/** POST /borrower/{id}/deactivate: cancels pending loans; refused while money is owed. */
import { expect } from 'vitest'
import { calendar } from '../../support/calendar.ts'
import { lend, lineOf, loanOf, payIn } from '../../support/money.ts'
import { refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from '../loans/request.ts'

const story = calendar(DAY)

story(
  'pending loans are canceled, the line closed, mandates ended and requests declined',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const borrower_id = borrower.id
    const waiting = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
    const planned = await app.client.createLoan(
      requestOf(borrower, { to_pay_at: '2027-01-18', to_repay_at: '2027-01-30' }),
    )
    await app.drain()
    await app.client.deactivateBorrower({ borrower_id })
    for (const { id } of [waiting, planned]) {
      expect((await loanOf(app, id)).status).toBe('CANCELED')
    }
    expect((await app.client.getBorrower({ borrower_id })).status).toBe('DEACTIVATED')
    expect(await lineOf(app, borrower)).toMatchObject({ pool_amount: 0, balance_available: 0 })
    const { data: methods } = await app.client.listRepaymentMethods({ borrower_id })
    expect(methods.map(m => [m.status, m.is_main, m.mandate?.status])).toEqual([
      ['DEACTIVATED', false, 'DEACTIVATED'],
    ])
    const more = await app.client.createLoan(requestOf(borrower))
    expect(more).toMatchObject({ status: 'DECLINED', denial_reason: 'BORROWER_STATUS' })
    await app.client.deactivateBorrower({ borrower_id })
    // No later daily run reopens the line.
    await until('2027-04-20')
    expect(await lineOf(app, borrower)).toMatchObject({
      pool_amount: 0,
      end_date: `${DAY}T00:00:00Z`,
    })
    const method = app.client.addRepaymentMethod({
      borrower_id,
      payment_method: 'SCT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
    })
    expect(await refusal(method)).toMatchObject({ status: 409 })
  },
)

story(
  'deactivation is refused while loans are owed, names them and changes nothing',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const borrower_id = borrower.id
    const later = { auto_validate: false, to_repay_at: '2027-02-20' }
    const waiting = await app.client.createLoan(requestOf(borrower, later))
    const owed = await lend(app, borrower, { amount: 50_000, days: 20 })
    await until('2027-01-25')
    const refused = await refusal(app.client.deactivateBorrower({ borrower_id }))
    expect(refused).toMatchObject({ status: 409, code: 'money_owed' })
    expect(refused.invalid_params).toEqual([
      {
        name: owed.id,
        reason: 'TO_REPAY: 50000 of principal and 250 of interest are owed',
      },
    ])
    expect((await loanOf(app, waiting.id)).status).toBe('TO_VALIDATE')
    await payIn(app, { to: owed, amount: 50_000 })
    const fees = await refusal(app.client.deactivateBorrower({ borrower_id }))
    expect(fees.invalid_params[0]!.reason).toBe(
      'TO_REPAY_FEES: 0 of principal and 250 of interest are owed',
    )
    await payIn(app, { to: owed, amount: 250 })
    await app.client.deactivateBorrower({ borrower_id })
    expect((await app.client.getBorrower({ borrower_id })).status).toBe('DEACTIVATED')
  },
)

story("an unknown borrower or another partner's is 404", async ({ app }) => {
  const borrower = await readyBorrower(app)
  for (const send of [
    () => app.client.deactivateBorrower({ borrower_id: crypto.randomUUID() }),
    () => app.second.deactivateBorrower({ borrower_id: borrower.id }),
  ]) {
    expect(await refusal(send())).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
  const { status } = await app.client.getBorrower({ borrower_id: borrower.id })
  expect(status).toBe('READY')
})
