/** When a plan breaks, one mail tells its borrower what is due. Its figures match the API's. */
import { expect } from 'vitest'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { billsOf, debitOf, lend, returnDebit } from '../support/money.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { mailsTo, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const LATE_LOAN = /Votre prêt .* est en retard/
const LATE_INSTALLMENT = /échéance de votre échéancier .* est en retard/
const BROKEN = /échéancier .* a pris fin/

const euros = (cents: number) =>
  new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' })
    .format(cents / 100)
    .replace(/\s/g, ' ')

const textOf = (mail: { text: string } | undefined) =>
  mail!.text.replace(/[^\S\n]/gu, ' ').replace(/\n\n/g, '\n¶\n')

/** The labeled values in a mail's paragraph about a loan or a bill. */
function factsAbout(text: string, name: string): Record<string, string> {
  const paragraph = text.split('¶').find(part => part.includes(` : ${name}\n`))!
  return Object.fromEntries(
    paragraph
      .trim()
      .split('\n')
      .map(line => line.split(' : ')),
  )
}

/** Two overdue loans in a weekly plan of three installments, of which the second is unpaid. */
async function planOf(
  { app, until }: StoryContext,
  method: 'SCT' | 'DIRECT_DEBIT',
  is_contractual: boolean,
) {
  const borrower = await readyBorrower(app, method)
  const loans = [
    await lend(app, borrower, { amount: 900_000, days: 9 }),
    await lend(app, borrower, { amount: 300_000, days: 5 }),
  ]
  if (method === 'DIRECT_DEBIT') {
    await until('2027-01-20')
    for (const loan of loans) await returnDebit(app, await debitOf(app, loan))
  }
  await until('2027-01-26')
  const { id: case_id } = await openCase(app, borrower, { loan_ids: loans.map(({ id }) => id) })
  const terms = {
    number_of_installment: 3,
    period: 'weekly' as const,
    start_date: '2027-02-01',
    repayment_method: method,
    recollection_fees: 3_000,
  }
  const { plan } = await planFor(app, case_id, terms, { is_contractual })
  const from_iban = borrower.account_number
  const [one] = plan.installments
  await until('2027-02-01')
  if (method === 'SCT') {
    await transfer(app, { reference: one!.reference, amount: one!.amount, from_iban })
  }
  await until('2027-02-08')
  if (method === 'DIRECT_DEBIT') {
    const payment_intent_id = [plan.installments[1]!.id]
    const { data } = await app.client.listPayments({ payment_intent_id })
    await returnDebit(app, data[0]!)
  }
  return { borrower, loans, plan, case_id }
}

story(
  'contractual: reminds of the overdue installment, and requests everything only once broken',
  async tale => {
    const { app, until } = tale
    const { borrower, loans, plan, case_id } = await planOf(tale, 'SCT', true)
    const loan_mails = await mailsTo(app, borrower, LATE_LOAN)
    await until('2027-02-12')
    const [, second] = await installmentsOf(app, plan.id)
    const [late, ...more] = await mailsTo(app, borrower, LATE_INSTALLMENT)
    expect(more).toEqual([])
    expect(factsAbout(textOf(late), plan.reference)).toMatchObject({
      'Montant à payer': euros(second!.due_amount - second!.paid_amount),
    })
    expect(textOf(late)).toContain('L’échéance du 8 février 2027')
    expect(await mailsTo(app, borrower, BROKEN)).toEqual([])

    await until('2027-02-13')
    expect(await app.client.getInstallmentPlan({ installment_plan_id: plan.id })).toMatchObject({
      status: 'BROKEN',
    })
    const text = textOf((await mailsTo(app, borrower, BROKEN))[0])
    const unpaid = second!.due_amount - second!.paid_amount
    expect(text).toContain(`Sur l’échéance du 8 février 2027, ${euros(unpaid)} sont restés`)
    const { total } = await app.client.getRecollectionCaseDebts({ recollection_case_id: case_id })
    expect(text).toContain(`vous devez ${euros(total)} au total`)
    let unbilled = 0
    for (const { id, repayment_to_references } of loans) {
      const { principal, interest } = await app.client.getLoanPayoff({ loan_id: id })
      unbilled += interest
      const [reference] = repayment_to_references
      expect(factsAbout(text, reference!)).toMatchObject({
        'Capital restant dû': euros(principal),
        'Montant à virer': euros(principal),
        'Référence du virement': reference,
      })
    }
    const [bill] = await billsOf(app, borrower)
    expect(factsAbout(text, bill!.invoice_number!)).toMatchObject({
      'Montant à payer': euros(bill!.to_pay_amount),
      'Montant à virer': euros(bill!.to_pay_amount),
      'Référence du virement': bill!.payment.to_references[0],
    })
    unbilled -= bill!.to_pay_amount
    const result = [...text.matchAll(/non encore facturés : (.*) €/g)].map(([, cents]) =>
      Number(cents!.replace(/\D/g, '')),
    )
    expect(result.reduce((sum, cents) => sum + cents, 0)).toBe(unbilled)

    // No later mail requests the same money or an installment.
    await until('2027-02-26')
    expect(await mailsTo(app, borrower, BROKEN)).toHaveLength(1)
    expect(await mailsTo(app, borrower, LATE_INSTALLMENT)).toHaveLength(1)
    expect(await mailsTo(app, borrower, LATE_LOAN)).toEqual(loan_mails)
  },
)

story('soft: an amount that a debit will collect is not also requested by transfer', async tale => {
  const { app, until } = tale
  const { borrower, case_id } = await planOf(tale, 'DIRECT_DEBIT', false)
  const loan_mails = await mailsTo(app, borrower, LATE_LOAN)
  await until('2027-02-13')
  const [mail, ...more] = await mailsTo(app, borrower, BROKEN)
  expect(more).toEqual([])
  const text = textOf(mail)
  const { total } = await app.client.getRecollectionCaseDebts({ recollection_case_id: case_id })
  expect(text).toContain(`vous devez ${euros(total)} au total`)
  const [bill] = await billsOf(app, borrower)
  const facts = factsAbout(text, bill!.invoice_number!)
  expect(facts).toMatchObject({ 'Prélèvement prévu': expect.stringContaining('16 février 2027') })
  expect(facts['Prélèvement prévu']).toContain(euros(bill!.to_pay_amount))
  expect(facts).not.toHaveProperty('Montant à virer')
  const [announced] = await mailsTo(app, borrower, /facture .* va être prélevée/)
  expect(textOf(announced)).toContain(
    `${euros(bill!.to_pay_amount)} sur votre compte le 16 février`,
  )
  expect(await mailsTo(app, borrower, LATE_LOAN)).toEqual(loan_mails)
  expect(await mailsTo(app, borrower, LATE_INSTALLMENT)).toHaveLength(1)
})

story('a bill on the day its plan breaks does not claim that the plan settles it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 900_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const { plan } = await planFor(app, id, {
    number_of_installment: 2,
    period: 'monthly',
    start_date: '2027-01-27',
    repayment_method: 'SCT',
  })
  await until('2027-02-01')
  expect(await app.client.getInstallmentPlan({ installment_plan_id: plan.id })).toMatchObject({
    status: 'BROKEN',
  })
  const [bill, ...bills] = await mailsTo(app, borrower, /Facture d’intérêts/)
  expect(bills).toEqual([])
  expect(textOf(bill)).toContain('Merci de virer le montant')
  expect(textOf(bill)).not.toContain('Le plan d’apurement convenu règle')
  // The loan keeps its own due date, which is still in the future.
  const [reference] = loan.repayment_to_references
  const text = textOf((await mailsTo(app, borrower, BROKEN))[0])
  expect(factsAbout(text, reference!)).toMatchObject({
    'Capital restant dû': euros(900_000),
    Échéance: '10 février 2027',
  })
  expect(await mailsTo(app, borrower, LATE_LOAN)).toEqual([])
})

story('a returned installment is mailed, or breaks its plan, on the day of booking', async tale => {
  const { app, until } = tale
  const [reminded, broken] = await Promise.all(
    ['2027-01-19', '2027-01-18'].map(async start_date => {
      const borrower = await readyBorrower(app)
      const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
      const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
      const repayment_method = 'DIRECT_DEBIT' as const
      const terms = { number_of_installment: 2, period: 'monthly' as const, start_date }
      const plan = await planFor(app, id, { ...terms, repayment_method }, { is_contractual: true })
      return { borrower, ...plan }
    }),
  )
  const { client } = app
  const returned = async ({ plan }: NonNullable<typeof reminded>) => {
    const payment_intent_id = [plan.installments[0]!.id]
    const { data } = await client.listPayments({ payment_intent_id })
    await returnDebit(app, data[0]!)
    return (await client.getInstallmentPlan({ installment_plan_id: plan.id })).status
  }
  await until('2027-01-21')
  expect(await returned(reminded!)).toBe('ACTIVE')
  expect(await mailsTo(app, reminded!.borrower, LATE_INSTALLMENT)).toHaveLength(1)
  // The other plan's installment is five days past due, beyond the grace period.
  await until('2027-01-23')
  expect(await returned(broken!)).toBe('BROKEN')
  expect(await mailsTo(app, broken!.borrower, BROKEN)).toHaveLength(1)
  await until('2027-01-25')
  expect(await mailsTo(app, reminded!.borrower, LATE_INSTALLMENT)).toHaveLength(1)
  expect(await mailsTo(app, reminded!.borrower, BROKEN)).toHaveLength(1)
  expect(await mailsTo(app, broken!.borrower, BROKEN)).toHaveLength(1)
  expect(await mailsTo(app, broken!.borrower, LATE_INSTALLMENT)).toEqual([])
})
