/** Mails request exactly the amount owed, by the right method. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { activateFee, feesOf, withFee } from '../support/fees.ts'
import {
  billsOf,
  debitOf,
  instructionOf,
  lend,
  lendInParts,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { installmentsOf, lateInPlan, transfer } from '../support/recollection.ts'
import { debitElsewhere, mailsTo, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const SECOND_PAYER = 'FR7630006000011234567890189'

const textOf = (mail: { text: string } | undefined) => mail!.text.replace(/\s+/g, ' ')

story('a bill whose debit is not repeated is requested by transfer', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 100_000, days: 45 })
  const requests = () => mailsTo(app, borrower, /virer votre facture/)
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  const { id: instruction_id } = await instructionOf(app, bill!.payment)
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AM04' })
  await app.drain()
  const [result] = await requests()
  expect(textOf(result).replace(/[\u00a0\u202f]/g, ' ')).toContain('Montant à payer : 10,50 €')
  expect(textOf(result)).toContain(bill!.payment.to_references[0]!)
  await until('2027-03-04')
  const [, february] = await billsOf(app, borrower)
  expect(february!.status).toBe('PAID')
  await returnDebit(app, february!.payment, { reason_code: 'MS03' })
  expect(await requests()).toHaveLength(2)
})

story('a bill whose mandate ends with its debit is requested once', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  await returnDebit(app, bill!.payment, { reason_code: 'AC04' })
  expect(await mailsTo(app, borrower, /virer votre facture/)).toEqual([])
  const [ended] = await mailsTo(app, borrower, /a pris fin/)
  expect(ended!.text).toContain(bill!.payment.to_references[0]!)
})

story('a bill or fee returned after its mandate has ended is requested by itself', async tale => {
  const { app, until } = tale
  await withFee(app)
  const borrower = await readyBorrower(app)
  const subscription_id = await activateFee(app, borrower.id)
  const loan = await lend(app, borrower, { amount: 100_000, days: 22 })
  await until('2027-02-04')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  expect(await mailsTo(app, borrower, /a pris fin/)).toHaveLength(1)
  const requests = () => mailsTo(app, borrower, /virer votre (facture|abonnement)/)
  expect(await requests()).toEqual([])
  const [bill] = await billsOf(app, borrower)
  const [fee] = await feesOf(app, subscription_id)
  await returnDebit(app, bill!.payment, { reason_code: 'AC04' })
  await returnDebit(app, fee!, { reason_code: 'AC04' })
  const [of_bill, of_fee, ...others] = await requests()
  expect(textOf(of_bill)).toContain(bill!.payment.to_references[0]!)
  expect(textOf(of_fee)).toContain('9,90 €')
  expect(others).toEqual([])
})

story('a bill returned after its borrower was deactivated is requested', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-04')
  const [bill] = await billsOf(app, borrower)
  await app.client.deactivateBorrower({ borrower_id: borrower.id })
  await app.drain()
  await returnDebit(app, bill!.payment, { reason_code: 'AC04' })
  const [result] = await mailsTo(app, borrower, /virer votre facture/)
  expect(textOf(result)).toContain(bill!.payment.to_references[0]!)
})

story('a bill that another return reopens is requested if no debit collects it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 400_000, days: 5 })
  await until('2027-01-19')
  // The transfer pays €14 of interest, and the rest is refunded.
  await payIn(app, { to: loan, amount: 400_000, from_iban: SECOND_PAYER })
  await until('2027-02-04')
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const requests = () => mailsTo(app, borrower, /virer votre facture/)
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'PAID', to_pay_amount: 0 })
  await refundDebit(app, await debitOf(app, loan))
  const [again] = await billsOf(app, borrower)
  expect(again).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_400 })
  const [result, ...others] = await requests()
  expect(textOf(result).replace(/[\u00a0\u202f]/g, ' ')).toContain('Montant à payer : 14,00 €')
  expect(textOf(result)).not.toContain('Le débit de cette facture')
  expect(others).toEqual([])
})

story("repaid: interest on a bill is shown apart from the next bill's", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 30 })
  await until('2027-02-08')
  await payIn(app, { to: loan, amount: 1_000_000 })
  const [mail] = await mailsTo(app, borrower, /est remboursé/)
  expect(textOf(mail)).toContain('Une facture antérieure comporte encore 105,00 € d’intérêts')
  expect(textOf(mail)).toContain('Il reste 35,00 € d’intérêts, qui figureront sur votre prochaine')
})

story('overdue: of a loan in installments, only those due are requested', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const parts = [[100_000, 10], [200_000, 40]] as const // biome-ignore format: amount, days
  const loan = await lendInParts(app, borrower, parts)
  await until('2027-01-22')
  const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debits.find(debit => debit.status === 'PAID')!)
  const [mail] = await mailsTo(app, borrower, /est en retard/)
  expect(textOf(mail)).toContain('Montant à payer : 1 000,00 €')
})

story('overdue: what a new debit collects is not requested by transfer', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-25')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  await debitElsewhere(app, borrower, 4_792)
  await until('2027-01-26')
  const [first, second] = await mailsTo(app, borrower, /est en retard/)
  expect(textOf(first)).toContain('Référence du virement')
  expect(textOf(second)).toContain('Prélèvement prévu : 1 000,00 €, 28 janvier 2027')
  expect(textOf(second)).not.toContain('Référence du virement')
})

story('overdue: an installment due on a weekend is not requested before Monday', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  // Due dates are a Monday, and the Saturday on which the second reminder is sent.
  const parts = [[100_000, 14], [200_000, 19]] as const // biome-ignore format: amount, days
  await lendInParts(app, borrower, parts)
  await until('2027-01-30')
  const mails = await mailsTo(app, borrower, /est en retard/)
  expect(mails).toHaveLength(2)
  for (const mail of mails) expect(textOf(mail)).toContain('Montant à payer : 1 000,00 €')
})

story('reclaimed: one mail per loan, which requests the amount owed', async tale => {
  const { app, until } = tale
  const { borrower, loans, plan } = await lateInPlan(tale, [300_000, 200_000], {
    number_of_installment: 2,
  })
  const [first, second] = await installmentsOf(app, plan.id)
  const { due_amount: amount } = first!
  await until('2027-01-25')
  await transfer(app, { reference: first!.reference!, amount, from_iban: SECOND_PAYER })
  await until('2027-02-01')
  await transfer(app, { reference: second!.reference!, amount, from_iban: SECOND_PAYER })
  await until('2027-02-15')
  const payments = await paymentsOf(app, loans[0]!)
  const isDebit = (p: (typeof payments)[number]) => p.payment_method === 'DIRECT_DEBIT'
  const debit = payments.find(p => p.payment_type === 'REPAYMENT_FULL' && isDebit(p))!
  await refundDebit(app, debit)
  const owed = await Promise.all(
    loans.map(async ({ id, repayment_to_references: [reference] }) => {
      const loan = await loanOf(app, id)
      return [reference, loan.amount - loan.repaid_nominal_amount!]
    }),
  )
  const mails = await mailsTo(app, borrower, /de nouveau dû/)
  const requested = mails.map(mail => {
    const [, euros, reference] = /à payer : (.*?) € .*Référence du virement : (\S+)/.exec(
      textOf(mail),
    )!
    return [reference, Number(euros!.replace(/\D/g, ''))]
  })
  expect(requested.length).toBeGreaterThan(0)
  expect(new Set(requested.map(([reference]) => reference)).size).toBe(requested.length)
  for (const one of requested) expect(owed).toContainEqual(one)
})

story('a bill settled by a plan asks for nothing, and shows a payment of zero', async tale => {
  const { app, until } = tale
  const { borrower } = await lateInPlan(tale, [3_000_000], {
    number_of_installment: 3,
    period: 'monthly',
    start_date: '2027-01-29',
  })
  await until('2027-02-02')
  const [{ payment, status } = expect.fail()] = await billsOf(app, borrower)
  expect(status).toBe('TO_PAY')
  expect(payment).toMatchObject({ payment_type: 'REPAYMENT_FEES', amount: 0 })
  const [mail] = await mailsTo(app, borrower, /Facture d’intérêts/)
  expect(textOf(mail)).toContain('Le plan d’apurement convenu règle cette facture')
  expect(textOf(mail)).not.toContain('Merci de virer')
})

story('an installment returned after its plan broke does not count as paid', async tale => {
  const { app, until } = tale
  const { loans, plan } = await lateInPlan(tale, [300_000], { number_of_installment: 3 })
  await until('2027-02-02')
  const debits = (await paymentsOf(app, loans[0]!)).filter(
    payment => payment.payment_type === 'REPAYMENT_FULL',
  )
  const debitOn = (day: string) => debits.find(debit => debit.scheduled_at!.startsWith(day))!
  await returnDebit(app, debitOn('2027-02-01'))
  await until('2027-02-08')
  expect(await app.client.getInstallmentPlan({ installment_plan_id: plan.id })).toMatchObject({
    status: 'BROKEN',
  })
  await refundDebit(app, debitOn('2027-01-25'))
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({
    status: 'CANCELED',
    paid_amount: 0,
  })
})
