/** Direct debit plans during which the borrower's mandate changes. */
import { expect } from 'vitest'
import { generateIban } from '../../src/integrations/adapters/sandbox/generators.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { lend, returnDebit } from '../support/money.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { reportOf } from '../support/reports.ts'
import { readyBorrower } from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

/** Returns a function that gives the cents forecast for a day from plan installments. */
async function planInstallments(app: TestApp) {
  const { rows } = await reportOf(app, 'cash-flow', { to: '2027-02-28' })
  const expected = rows.filter(row => row.kind === 'plan_installments')
  return (day: string) => Number(expected.find(row => row.period === day)?.inflow ?? 0)
}

async function debitsOf({ client }: TestApp, installment_id: string) {
  const { data } = await client.listPayments({ payment_intent_id: [installment_id] })
  return data.toReversed()
}

story(
  'a plan by debit follows the default method, even after its mandate has ended',
  async tale => {
    const { app, until } = tale
    const { client } = app
    const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
    const loan = await lend(app, borrower, { amount: 60_000, days: 30 })
    const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const { plan } = await planFor(app, case_id, {
      number_of_installment: 4,
      period: 'weekly' as const,
      start_date: '2027-01-18',
      repayment_method: 'DIRECT_DEBIT' as const,
    })
    const another = (seed: number) =>
      client.addRepaymentMethod({
        borrower_id: borrower.id,
        payment_method: 'DIRECT_DEBIT',
        is_default_repayment_method: true,
        apply_to_all_active_loans: true,
        from_account: {
          account_number: generateIban('FRA', 'SUCCESS', seed),
          bank_identifier: 'BNPAFRPP',
        },
      })
    const debits = async () => {
      const installments = await installmentsOf(app, plan.id)
      const all = await Promise.all(installments.map(one => debitsOf(app, one.id)))
      return all.map(payments => {
        const { status, scheduled_at, from_account_details } = payments.at(-1)!
        return [status, scheduled_at!.slice(0, 10), from_account_details!.account_number]
      })
    }
    await until('2027-01-20')
    const second = (await another(4_731)).account_to_debit!.account_number
    // The second debit, three banking days ahead, is frozen. The later ones use the new mandate.
    expect(await debits()).toEqual([
      ['PAID', '2027-01-18', borrower.account_number],
      ['SCHEDULED', '2027-01-25', borrower.account_number],
      ['SCHEDULED', '2027-02-01', second],
      ['SCHEDULED', '2027-02-08', second],
    ])
    await until('2027-02-01')
    const [, , paid, last] = await installmentsOf(app, plan.id)
    await returnDebit(app, (await debitsOf(app, paid!.id)).at(-1)!, { reason_code: 'AC04' })
    expect((await debits()).map(([status]) => status)).toEqual(['PAID', 'PAID', 'PAID', 'CANCELED'])
    await until('2027-02-04')
    const before = await planInstallments(app)
    const third = (await another(4_732)).account_to_debit!.account_number
    expect((await debits()).slice(3)).toEqual([['SCHEDULED', '2027-02-09', third]])
    // The forecast expects the last installment on the day of its new debit, not its due date.
    const after = await planInstallments(app)
    const moved = ['2027-02-08', '2027-02-09'].map(day => after(day) - before(day))
    expect(moved).toEqual([-last!.due_amount, last!.due_amount])
    await transfer(app, {
      reference: paid!.reference,
      amount: paid!.due_amount,
      from_iban: borrower.account_number,
    })
    await until('2027-02-10')
    expect((await client.getInstallmentPlan({ installment_plan_id: plan.id })).status).toBe(
      'COMPLETED',
    )
  },
)
