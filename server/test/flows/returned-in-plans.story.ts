/** If a debit of a plan is returned, money paid for the whole plan pays the oldest installment. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { loanOf, refundDebit } from '../support/money.ts'
import { installmentsOf, lateInPlan, transfer } from '../support/recollection.ts'

const story = calendar('2027-01-11')

async function paidOf(app: TestApp, plan_id: string) {
  const installments = await installmentsOf(app, plan_id)
  return installments.map(one => [one.status, one.paid_amount])
}

/** Overdue loans in a plan of three installments with fees, after the first installment's debit. */
async function firstDebited(tale: StoryContext, amounts: readonly number[]) {
  const input = { number_of_installment: 3, recollection_fees: 900 }
  const { borrower, loans, plan } = await lateInPlan(tale, amounts, input)
  const { app, until } = tale
  await until('2027-01-26')
  const [first, second, third] = await installmentsOf(app, plan.id)
  const { payment_id: id } = first!.attempts[0]!
  const pay = (reference: string, amount: number) =>
    transfer(app, { reference, amount, from_iban: borrower.account_number })
  return { loans, plan, first: first!, second: second!, third: third!, debit: { id }, pay }
}

for (const amounts of [[90_000], [60_000, 30_001]]) {
  story(
    `money for a plan of ${amounts.length} loans pays what a return leaves open`,
    async tale => {
      const { app, until } = tale
      const { loans, plan, first, second, third, debit, pay } = await firstDebited(tale, amounts)
      // Pays the second installment and a part of the third.
      await pay(plan.reference, second.due_amount + 10_000)
      expect(await paidOf(app, plan.id)).toEqual([
        ['PAID', first.paid_amount],
        ['PAID', second.due_amount],
        ['PARTIALLY_PAID', 10_000],
      ])
      await refundDebit(app, debit)
      const [one, two, three] = await installmentsOf(app, plan.id)
      expect([one!.status, three!.paid_amount]).toEqual(['PAID', 0])
      expect(two).toMatchObject({ status: 'PARTIALLY_PAID' })
      const paid = second.due_amount + 10_000
      expect(one!.paid_amount + two!.paid_amount).toBe(paid)
      const repaid = await Promise.all(loans.map(loan => loanOf(app, loan.id)))
      const principal = repaid.reduce((sum, loan) => sum + loan.repaid_nominal_amount, 0)
      expect(principal).toBe(paid - 300)
      await until('2027-01-31')
      const now = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
      expect(now.status).toBe('ACTIVE')
      expect(third.due_amount).toBeGreaterThan(10_000)
    },
  )
}

story('money whose target is a later installment stays with it', async tale => {
  const { app, until } = tale
  const { plan, second, debit, pay } = await firstDebited(tale, [80_000])
  await pay(second.reference, second.due_amount)
  await refundDebit(app, debit)
  const open = await paidOf(app, plan.id)
  expect(open[0]).toEqual(['ISSUE_DETECTED', 0])
  expect(open[1]).toEqual(['PAID', second.due_amount])
  await until('2027-01-31')
  const { status } = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(status).toBe('BROKEN')
})
