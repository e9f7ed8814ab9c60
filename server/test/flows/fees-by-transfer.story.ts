/** Monthly fees paid by transfer: before their debit, while it is pending, or after its return. */
import { expect } from 'vitest'
import { sendRefundAgain } from '../../src/back-office/operations/index.ts'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import { findFeesByReference } from '../../src/credit/subscriptions/index.ts'
import { generateIban } from '../../src/integrations/adapters/sandbox/generators.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activateFee, feesOf, withFee } from '../support/fees.ts'
import {
  instructionOf,
  lend,
  type Payment,
  returnDebit,
  suspenseReasons,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')
const ACTOR = crypto.randomUUID()

/** Books a transfer to the collection account, from an account that no borrower has on file. */
async function transfer({ client, context, drain }: TestApp, amount: number, reference: string) {
  await client.createSandboxIncomingTransfer({
    to_iban: context.database.settings.lender.collection_iban,
    amount,
    reference,
    from_iban: generateIban('FRA', 'SUCCESS', 99),
    from_name: 'Payer',
    value_date: null,
  })
  await drain()
}

async function activated(app: TestApp) {
  await withFee(app)
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  return { borrower_id: borrower.id, id: await activateFee(app, borrower.id) }
}

/** The transfer reference of the fee that a debit collects. */
const referenceOf = (debit: Payment) => debit.to_references[0]!.split(' ').at(-1)!

async function statusOf(app: TestApp, debit: Payment) {
  const [fee] = await asOperator(app, tx => tx.all(findFeesByReference([referenceOf(debit)])))
  return fee!.status
}

/** Runs `pay` while the bank answers recalls with `too_late`. */
async function tooLate<T>({ context }: TestApp, pay: () => Promise<T>): Promise<T> {
  const { bank } = context.ports
  const { recall } = bank
  Object.assign(bank, { recall: async () => 'too_late' })
  const paid = await pay()
  Object.assign(bank, { recall })
  return paid
}

/** Matches a transfer without a reference to a debit's fee; returns the suspense item's ID. */
async function matched(app: TestApp, debit: Payment): Promise<string> {
  await transfer(app, 990, 'for you')
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount = 990 order by id desc limit 1',
  )
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), rows[0].id, referenceOf(debit)))
  return rows[0].id
}

async function refundsOf({ client }: TestApp, debit: Payment) {
  const { data } = await client.listPayments({ payment_type: ['REFUND'] })
  return data.filter(one => one.to_references.includes(debit.to_references[0]!))
}

const result = (payments: Payment[]) =>
  payments.map(one => [one.status, one.amount, one.scheduled_at?.slice(0, 10)])

/** Refunds a settled debit to its debtor, who can claim this from the bank for eight weeks. */
async function dispute(app: TestApp, debit: Payment) {
  const { id: instruction_id } = await instructionOf(app, debit)
  await app.client.refundSandboxInstruction({ instruction_id, reason_code: 'MD06' })
  await app.drain()
}

story(
  'a returned fee is paid by transfer, and a borrower that owes it cannot be deactivated',
  async tale => {
    const { app, until } = tale
    const { borrower_id, id } = await activated(app)
    await until('2027-02-03')
    const [debit] = await feesOf(app, id)
    await returnDebit(app, debit!, { reason_code: 'AC04' })
    const [output] = debit!.to_references
    const reference = output!.replace('FEE 2027-02 ', '')
    expect(reference).toMatch(/^RF/)
    // The debit is not repeated, so a mail tells the borrower what to transfer.
    const { data: mails } = await app.client.listSandboxMailbox({ page_size: 500 })
    expect(mails.some(mail => mail.text.includes(reference) && mail.text.includes('9,90'))).toBe(
      true,
    )
    const refused = await refusal(app.client.deactivateBorrower({ borrower_id }))
    expect(refused).toMatchObject({ status: 409, code: 'money_owed' })
    expect(refused.invalid_params[0]!.reason).toContain('monthly fees of 990 are owed')
    await transfer(app, 971, reference)
    expect(await suspenseReasons(app, 971)).toEqual([
      'is 971, and the fees that it names ask for 990',
    ])
    await transfer(app, 990, output!)
    const fees = await feesOf(app, id)
    expect(fees.map(one => [one.payment_method, one.payment_type, one.status])).toEqual([
      ['SCT', 'SUBSCRIPTION', 'PAID'],
      ['DIRECT_DEBIT', 'SUBSCRIPTION', 'PAID'],
    ])
    await transfer(app, 990, reference)
    expect((await suspenseReasons(app, 990)).filter(why => why.endsWith('is PAID'))).toHaveLength(1)
    const period = { from: '2027-02-01', to: '2027-02-28' }
    const account = await app.client.getBorrowerStatement({ borrower_id, ...period })
    expect(account.movements.map(m => [m.kind, m.loan_reference, m.balance])).toEqual([
      ['subscription_fee', 'FEE 2027-02', 990],
      ['subscription_fee_paid', 'FEE 2027-02', 0],
      ['subscription_fee_returned', 'FEE 2027-02', 990],
      ['subscription_fee_paid', 'FEE 2027-02', 0],
    ])
    await app.client.deactivateBorrower({ borrower_id })
    await until('2027-02-05')
  },
)

story('paid by transfer before its debit: the debit is canceled', async tale => {
  const { app, until } = tale
  const { id } = await activated(app)
  // On this day the debit is frozen but not yet sent to the bank.
  await until('2027-05-01')
  const [debit] = await feesOf(app, id)
  expect(debit!.status).toBe('SCHEDULED')
  await transfer(app, 990, debit!.to_references[0]!)
  expect((await feesOf(app, id)).slice(0, 2).map(one => [one.payment_method, one.status])).toEqual([
    ['SCT', 'PAID'],
    ['DIRECT_DEBIT', 'CANCELED'],
  ])
  await until('2027-05-10')
})

story('paid by transfer while the bank has its debit: the debit is recalled', async tale => {
  const { app, until } = tale
  const { id } = await activated(app)
  await until('2027-05-04')
  const [debit] = await feesOf(app, id)
  expect(['INSTRUCTED', 'IN_TRANSIT']).toContain(debit!.status)
  await transfer(app, 990, debit!.to_references[0]!)
  expect(await suspenseReasons(app, 990)).toEqual([])
  const fees = (await feesOf(app, id)).slice(0, 2)
  expect(fees.map(one => [one.payment_method, one.status])).toEqual([
    ['SCT', 'PAID'],
    ['DIRECT_DEBIT', 'CANCELED'],
  ])
})

story('recalled too late: refunded once the debit cannot be returned', async tale => {
  const { app, until } = tale
  const { borrower_id, id } = await activated(app)
  await until('2027-06-02')
  const [debit] = await feesOf(app, id)
  await tooLate(app, () => transfer(app, 990, debit!.to_references[0]!))
  await until('2027-06-03')
  const refunds = async () => result(await refundsOf(app, debit!))
  // A Core debit can be returned for five banking days. The refund leaves on the next one.
  expect(await refunds()).toEqual([['SCHEDULED', 990, '2027-06-11']])
  await until('2027-06-15')
  expect(await refunds()).toEqual([['PAID', 990, '2027-06-11']])
  const period = { from: '2027-06-01', to: '2027-06-30' }
  const account = await app.client.getBorrowerStatement({ borrower_id, ...period })
  expect(account.movements.map(m => [m.kind, m.balance - account.opening_balance])).toEqual([
    ['subscription_fee', 990],
    ['subscription_fee_paid', 0],
    ['subscription_fee_paid', -990],
    ['refund', 0],
  ])
  // The payer now has the debit's money back twice, so the fee is owed again.
  await until('2027-07-12')
  await dispute(app, debit!)
  expect(await statusOf(app, debit!)).toBe('OWED')
  const refused = await refusal(app.client.deactivateBorrower({ borrower_id }))
  expect(refused.invalid_params[0]!.reason).toContain('monthly fees of 990 are owed')
  await transfer(app, 990, debit!.to_references[0]!)
  expect(await statusOf(app, debit!)).toBe('PAID')
  await app.client.deactivateBorrower({ borrower_id })
})

story(
  'its refund is returned: an alert is open until the debit is returned as well',
  async tale => {
    const { app, until } = tale
    const { id } = await activated(app)
    await until('2027-04-02')
    const [debit] = await feesOf(app, id)
    await tooLate(app, () => transfer(app, 990, debit!.to_references[0]!))
    await until('2027-04-14')
    const [refund] = await refundsOf(app, debit!)
    expect(refund).toMatchObject({ status: 'PAID', amount: 990 })
    const alerts = async () => {
      const open = await asOperator(app, readOpenAlerts)
      return open.filter(one => one.subject_id === refund!.id).map(one => [one.kind, one.detail])
    }
    await returnDebit(app, refund!)
    const what = '€9.90 of a fee that was paid twice: AC04'
    const how = 'Send them again, or agree with the borrower how it gets them'
    expect(await alerts()).toEqual([['refund_waiting', `${what}. ${how}`]])
    await dispute(app, debit!)
    expect(await alerts()).toEqual([])
    expect(await statusOf(app, debit!)).toBe('PAID')
  },
)

story('its refund is returned and sent again, once', async ({ app, until }) => {
  const { id } = await activated(app)
  await until('2027-04-03')
  const [debit] = await feesOf(app, id)
  await tooLate(app, () => transfer(app, 990, debit!.to_references[0]!))
  await until('2027-04-14')
  const [refund] = await refundsOf(app, debit!)
  await returnDebit(app, refund!)
  const again = () =>
    asOperator(app, tx => sendRefundAgain(tx.as(ACTOR), refund!.id, 'It was closed.'))
  await again()
  const open = await asOperator(app, readOpenAlerts)
  expect(open.filter(one => one.subject_id === refund!.id)).toEqual([])
  await expect(again()).rejects.toMatchObject({ code: 'state_conflict' })
  await until('2027-04-19')
  const paid = await refundsOf(app, debit!)
  expect(paid.map(one => [one.status, one.amount])).toEqual([
    ['PAID', 990],
    ['PAID', 990],
  ])
  expect(await statusOf(app, debit!)).toBe('PAID')
  // The second refund has arrived, so it cannot be sent again.
  const second = paid.find(one => one.id !== refund!.id)!
  const twice = asOperator(app, tx => sendRefundAgain(tx.as(ACTOR), second.id, 'Again.'))
  await expect(twice).rejects.toMatchObject({ code: 'state_conflict' })
})

story('undoing a match returns the fee to its debit', async ({ app, until }) => {
  const [one, other] = [await activated(app), await activated(app)]
  await until('2027-03-02')
  const [kept] = await feesOf(app, one.id)
  const [recalled] = await feesOf(app, other.id)
  await transfer(app, 1980, `${referenceOf(kept!)} ${referenceOf(recalled!)}`)
  expect(await suspenseReasons(app, 1980)).toEqual(['names fees of several borrowers'])
  const items = [await tooLate(app, () => matched(app, kept!)), await matched(app, recalled!)]
  const debits = async (id: string) =>
    (await feesOf(app, id)).filter(debit => debit.payment_method === 'DIRECT_DEBIT')
  expect((await debits(other.id))[0]).toMatchObject({ id: recalled!.id, status: 'CANCELED' })
  await until('2027-03-03')
  expect(result(await refundsOf(app, kept!))).toEqual([['SCHEDULED', 990, '2027-03-11']])
  for (const item of items) await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), item))
  // The first fee's debit has settled, so the debit pays it now.
  expect(await statusOf(app, kept!)).toBe('PAID')
  expect(result(await refundsOf(app, kept!))).toEqual([['CANCELED', 990, '2027-03-11']])
  // The other fee's debit was recalled, so it is debited again.
  expect(await statusOf(app, recalled!)).toBe('OWED')
  await until('2027-03-10')
  const [retries] = await debits(other.id)
  expect(retries).toMatchObject({ status: 'PAID', amount: 990 })
  expect(retries!.to_references).toEqual(recalled!.to_references)
  expect(await statusOf(app, recalled!)).toBe('PAID')
})

story('paid twice: once its debit is refunded, the transfer in suspense pays it', async tale => {
  const { app, until } = tale
  const { id } = await activated(app)
  await until('2027-05-10')
  const [debit] = await feesOf(app, id)
  expect(debit!.status).toBe('PAID')
  const waiting = async () => (await suspenseReasons(app, 990)).filter(why => why.includes('fee'))
  const before = await waiting()
  await transfer(app, 990, debit!.to_references[0]!.toLowerCase())
  expect(await waiting()).toHaveLength(before.length + 1)
  await dispute(app, debit!)
  expect(await statusOf(app, debit!)).toBe('PAID')
  expect(await waiting()).toEqual(before)
  const fees = await feesOf(app, id)
  expect(fees.slice(0, 2).map(one => [one.payment_method, one.status])).toEqual([
    ['SCT', 'PAID'],
    ['DIRECT_DEBIT', 'PAID'],
  ])
})

/** The first installment of a plan for a new borrower's loan. */
async function newInstallment(app: TestApp) {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const { plan } = await planFor(app, id, {
    number_of_installment: 2,
    period: 'weekly',
    start_date: '2027-05-17',
    repayment_method: 'SCT',
  })
  return plan.installments[0]!
}

story('a transfer that also names an installment pays no reopened fee', async tale => {
  const { app, until } = tale
  const { id } = await activated(app)
  await until('2027-05-10')
  const [debit] = await feesOf(app, id)
  const fee = referenceOf(debit!)
  const [first, second] = [await newInstallment(app), await newInstallment(app)]
  const paid = async ({ id: installment_id }: typeof first) => {
    const { data } = await app.client.listInstallments({ page_size: 500 })
    return data.find(one => one.id === installment_id)!.paid_amount
  }
  // Installments take precedence over fees, but an operator must decide between two plans.
  const both = `${first.reference} ${second.reference} ${fee}`
  await transfer(app, 990, both)
  const waiting = ['names installments of several plans']
  expect((await suspenseReasons(app, 990)).filter(why => why === waiting[0])).toEqual(waiting)
  await dispute(app, debit!)
  expect((await suspenseReasons(app, 990)).filter(why => why === waiting[0])).toEqual(waiting)
  expect(await statusOf(app, debit!)).toBe('OWED')
  await transfer(app, 990, `${first.reference} ${fee}`)
  expect([await paid(first), await paid(second)]).toEqual([990, 0])
  expect(await statusOf(app, debit!)).toBe('OWED')
  await transfer(app, 990, fee)
  expect(await statusOf(app, debit!)).toBe('PAID')
})
