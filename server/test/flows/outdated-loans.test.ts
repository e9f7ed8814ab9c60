/** A migration can mark loans whose stored figures must be recomputed from their movements. */
import { expect, test } from 'vitest'
import { clearAlert, readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { appOn } from '../support/calendar.ts'
import { lend, loanOf, payIn, paymentsOfType, refundDebit, runSql } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { readyBorrower } from '../support/story.ts'

// Not a story, because stories check events, and this test overwrites figures that events show.
test('the next business day recomputes marked loans', async () => {
  const app = await appOn('2027-01-11')
  const until = (to: string) => app.client.advanceSandboxClock({ to })
  const loan = await lend(app, await readyBorrower(app), { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  const from_iban = 'FR7630006000011234567890189'
  await payIn(app, { to: loan, amount: 1_000_000, from_iban })
  await until('2027-02-10')
  const payments = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await refundDebit(app, payments.find(one => one.payment_method === 'DIRECT_DEBIT')!)
  // Simulates a migrated loan, whose stored figures do not include the reclaimed refund yet.
  await runSql(
    app,
    `update loans set refunds_reclaimed = 0, reclaimed_on = null, reclaimed_known_on = null,
      fold_outdated = true where id = $1`,
    [loan.id],
  )
  await asOperator(app, tx => clearAlert(tx, 'refund_reclaimed', loan.id))
  expect((await app.verify()).findings).not.toEqual([])
  await until('2027-02-11')
  expect((await app.verify()).findings).toEqual([])
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    reclaimed_refunds_amount: 995_000,
    to_repay_at: '2027-01-29T00:00:00Z',
  })
  const alerts = await asOperator(app, readOpenAlerts)
  expect(alerts.filter(alert => alert.subject_id === loan.id)).toMatchObject([
    { kind: 'refund_reclaimed' },
  ])
})
