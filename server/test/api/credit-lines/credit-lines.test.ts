/** Credit lines: their figures and filters, and isolation between partners. */
import { describe, expect, test } from 'vitest'
import { addDays, day, wireDay } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { refusal } from '../../support/refusal.ts'
import { readyBorrower, requestLoan, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

async function lineOf(borrower: string) {
  const { data } = await client.listCreditLines({ borrower: [borrower] })
  expect(data).toHaveLength(1)
  return data[0]!
}

test('a line shows its limit, dates, price and accounts', async () => {
  const borrower = await readyBorrower(app)
  const start = day(await today(app))
  const line = await lineOf(borrower.id)
  expect(line).toMatchObject({
    contract_number: expect.stringMatching(/^CL-[0-9A-F]{16}$/),
    loan_contract_type: 'CREDIT_OPERATION',
    distribution: 'PARTNER',
    currency: 'EUR',
    pool_amount: 5_000_000,
    balance_available: 5_000_000,
    balance_pending: 0,
    balance_pending_validation: 0,
    start_date: wireDay(start),
    end_date: wireDay(addDays(start, 365)),
    signed_at: borrower.signed_at,
    fees_daily_rate: 0.05,
    fees_interest_daily_rate: 0.05,
    fees_operating_daily_rate: 0,
    vat: 0,
    default_borrower: { id: borrower.id, identifier: borrower.identifier, is_active: true },
    fees_payer: { id: borrower.id },
    default_repayment_method: 'DIRECT_DEBIT',
    default_repayment_from: { account_number: borrower.account_number },
  })
  expect(await client.getCreditLine({ credit_line_id: line.id })).toEqual(line)
})

test('reserved amounts are pending: first awaiting validation, then validated', async () => {
  const borrower = await readyBorrower(app)
  const loan = await requestLoan(app, borrower, { amount: 1_200_000, auto_validate: false })
  expect(loan.status).toBe('TO_VALIDATE')
  expect(await lineOf(borrower.id)).toMatchObject({
    balance_available: 3_800_000,
    balance_pending: 0,
    balance_pending_validation: 1_200_000,
  })
  await client.validateLoan({ loan_id: loan.id })
  expect(await lineOf(borrower.id)).toMatchObject({
    balance_available: 3_800_000,
    balance_pending: 1_200_000,
    balance_pending_validation: 0,
  })
  await app.drain()
  expect(await lineOf(borrower.id)).toMatchObject({
    balance_available: 3_800_000,
    balance_pending: 0,
    balance_pending_validation: 0,
  })
})

describe('lists', () => {
  test('filter by id and by borrower, given by id or any number', async () => {
    const [one, two] = [await readyBorrower(app), await readyBorrower(app, 'SCT', 'BEL')]
    const lines = [await lineOf(one.id), await lineOf(two.id)]
    const found = async (query: Parameters<typeof client.listCreditLines>[0]) =>
      (await client.listCreditLines(query)).data.map(line => line.id)
    expect(await found({ id: [lines[0]!.id] })).toEqual([lines[0]!.id])
    expect(await found({ borrower: [`BE ${two.identifier}`] })).toEqual([lines[1]!.id])
    expect(await found({ borrower: [one.identifier, two.id] })).toEqual(
      lines.map(line => line.id).reverse(),
    )
    expect(await found({ borrower: [newId(), 'nobody'] })).toEqual([])
    expect((await client.listCreditLines({ page_size: 1 })).next_page).toMatch(/^\/credit_lines\?/)
  })
})

test("an unknown line or another partner's is 404", async () => {
  const { id } = await lineOf((await readyBorrower(app)).id)
  for (const [caller, credit_line_id] of [
    [client, newId()],
    [app.second, id],
  ] as const) {
    const problem = await refusal(caller.getCreditLine({ credit_line_id }))
    expect(problem).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
  expect((await app.second.listCreditLines()).total).toBe(0)
})
