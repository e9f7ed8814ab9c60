/** Monthly fees that no debit collects: borrower and partner see how to pay them by transfer. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activateFee, feesOf, withFee } from '../support/fees.ts'
import { debitOf, instructionOf, lend, returnDebit } from '../support/money.ts'
import { mailsTo, type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const SUBJECT = /virer votre abonnement/

async function withSubscription(app: TestApp) {
  await withFee(app)
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  return { borrower, subscription_id: await activateFee(app, borrower.id) }
}

async function feesIn({ client }: TestApp, { id }: ReadyBorrower, from: string, to: string) {
  return (await client.getBorrowerStatement({ borrower_id: id, from, to })).fees
}

async function transfer({ client, context, drain }: TestApp, reference: string) {
  const to_iban = context.database.settings.lender.collection_iban
  await client.createSandboxIncomingTransfer({ to_iban, amount: 990, reference })
  await drain()
}

story('charged without a debit: mailed with its reference, and in the statement', async tale => {
  const { app, until } = tale
  const { borrower, subscription_id } = await withSubscription(app)
  const loan = await lend(app, borrower, { amount: 10_000, days: 3 })
  await until('2027-01-14')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  await until('2027-02-01')
  expect(await feesOf(app, subscription_id)).toEqual([])
  const [fee] = await feesIn(app, borrower, '2027-02-01', '2027-02-28')
  expect(fee).toMatchObject({
    subscription_id,
    month: '2027-02-01T00:00:00Z',
    due_date: '2027-02-03T00:00:00Z',
    amount: 990,
    open_amount: 990,
    reference: expect.stringMatching(/^RF/),
  })
  const [result] = await mailsTo(app, borrower, SUBJECT)
  const text = result!.text.replace(/[\u00a0\u202f]/g, ' ')
  expect(text).toContain('Montant à payer : 9,90 €\nÉchéance : 3 février 2027\n')
  expect(text).toContain(`Référence du virement : ${fee!.reference}`)
  await transfer(app, fee!.reference!)
  expect(await feesIn(app, borrower, '2027-02-01', '2027-02-28')).toMatchObject([
    { open_amount: 0 },
  ])
})

story('a debit that fails or is returned is not repeated: the fee is mailed', async tale => {
  const { app, until } = tale
  const { borrower, subscription_id } = await withSubscription(app)
  await until('2027-02-02')
  const [debit] = await feesOf(app, subscription_id)
  const { id: instruction_id } = await instructionOf(app, debit!)
  expect(await mailsTo(app, borrower, SUBJECT)).toEqual([])
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'MS02' })
  await app.drain()
  const [fee] = await feesIn(app, borrower, '2027-02-01', '2027-02-28')
  const result = await mailsTo(app, borrower, SUBJECT)
  expect(result.map(mail => mail.text.includes(fee!.reference!))).toEqual([true])
  await until('2027-03-04')
  const [march] = await feesOf(app, subscription_id)
  expect(march!.status).toBe('PAID')
  await returnDebit(app, march!, { reason_code: 'AM04' })
  expect(await mailsTo(app, borrower, SUBJECT)).toHaveLength(2)
})

story('a fee whose mandate ends is only in the mail about the mandate', async tale => {
  const { app, until } = tale
  const { borrower, subscription_id } = await withSubscription(app)
  await until('2027-02-04')
  const [debit] = await feesOf(app, subscription_id)
  await returnDebit(app, debit!, { reason_code: 'AC04' })
  const [fee] = await feesIn(app, borrower, '2027-02-01', '2027-02-28')
  const [ended] = await mailsTo(app, borrower, /a pris fin/)
  expect(ended!.text).toContain(fee!.reference)
  expect(await mailsTo(app, borrower, SUBJECT)).toEqual([])
})
