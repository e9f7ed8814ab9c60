/** Loans that an operator deletes before their payout. */
import { expect, test } from 'vitest'
import { deleteLoan } from '../../src/credit/loans/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { testApp } from '../support/app.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

const app = await testApp({ work: false })
const { client } = app
const act = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(app.context.database, { partners: '*', actor: 'service' }, work)
const remove = (loan_id: string, reason = 'Asked for by mistake') =>
  act(tx => deleteLoan(tx.as('an operator'), loan_id, reason))

test('deleting a scheduled loan releases its credit, and its payout does not leave', async () => {
  const borrower = await readyBorrower(app)
  const day = await today(app)
  const { id } = await client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 1_000_000,
    auto_validate: true,
    salt_id: 'later',
    to_pay_at: plusDays(day, 3),
    to_repay_at: plusDays(day, 30),
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
  })
  await app.drain()
  expect((await client.getLoan({ loan_id: id })).status).toBe('SCHEDULED')
  await expect(remove(id, ' ')).rejects.toMatchObject({ code: 'request_invalid' })
  await remove(id)
  expect((await client.getLoan({ loan_id: id })).status).toBe('DELETED')
  const [line] = (await client.listCreditLines({ borrower: [borrower.id] })).data
  expect(line!.balance_available).toBe(line!.pool_amount)
  await client.advanceSandboxClock({ days: 5 })
  const payments = (await client.listPayments({ loan_id: [id] })).data
  expect(payments.map(payment => payment.status)).toEqual(['CANCELED'])
  await app.drain()
  const result = await client.listWebhookEvents({ type: ['Loan.DELETED'] })
  expect(result.data.map(event => event.data)).toMatchObject([{ id, status: 'DELETED' }])
  await expect(remove(id)).rejects.toMatchObject({ code: 'state_conflict' })
  await expect(remove(newId())).rejects.toMatchObject({ code: 'resource_unknown' })
  expect((await app.verify()).findings).toEqual([])
})

test('a loan whose payout is in transit cannot be deleted', async () => {
  const borrower = await readyBorrower(app)
  const { id } = await requestLoan(app, borrower, { amount: 1_000 })
  await app.drain()
  expect((await client.getLoan({ loan_id: id })).status).toBe('TO_REPAY')
  await expect(remove(id)).rejects.toMatchObject({ code: 'state_conflict' })
  expect((await app.verify()).findings).toEqual([])
})
