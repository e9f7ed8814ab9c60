/** Lines, products and counterparties send no event for a change that GET does not show. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, loanOf, payIn } from '../support/money.ts'
import { transfer } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** Types of a resource's events in the feed, after all pending ones have been added. */
async function typesOf({ client, drain }: TestApp, id: string): Promise<string[]> {
  await drain()
  const types: string[] = []
  for await (const { type, data } of client.each('listWebhookEvents', { page_size: 500 })) {
    if ((data as { id: string }).id === id) types.push(type)
  }
  return types
}

async function lineOf({ client }: TestApp, { identifier }: ReadyBorrower) {
  return (await client.listCreditLines({ borrower: [identifier] })).data[0]!
}

story('interest paid does not change the limit of an invoice’s buyer', async ({ app, until }) => {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await client.createInvoice(
    await validInvoice({
      seller: { identifier: borrower.identifier },
      issued_at: '2027-01-05',
      due_at: '2027-02-20',
    }),
  )
  const input = { amount: 100_000, invoice_ids: [invoice.id] }
  const { id } = await client.createLoan(invoiceLoan(borrower, '2027-01-11', input))
  await app.drain()
  const { data } = await client.listCounterparties({})
  const [party] = data.filter(({ credit_limit: of }) => of.available_amount < of.max_amount)
  const before = await typesOf(app, party!.id)
  expect(before).toContain('CounterpartyCreditLimit.UPDATED')
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  await transfer(app, {
    reference: bill!.payment.to_references[0]!,
    amount: bill!.total_amount,
    from_iban: borrower.account_number,
  })
  expect((await loanOf(app, id)).paid_interests_amount).toBe(bill!.total_amount)
  expect(await typesOf(app, party!.id)).toEqual(before)
  await payIn(app, { to: await loanOf(app, id), amount: 40_000 })
  expect(await typesOf(app, party!.id)).toEqual([...before, 'CounterpartyCreditLimit.UPDATED'])
})

story('cleared card spending becomes a loan: the line is used as before', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await spend(app, await activeCard(app, borrower), 20_000)
  await app.drain()
  const line = await lineOf(app, borrower)
  const before = await typesOf(app, line.id)
  await until('2027-02-02')
  const { data } = await app.client.listLoans({ borrower: [borrower.identifier] })
  expect(data).toMatchObject([{ loan_type: 'CREDIT_CARD_FINANCING', amount: 20_000 }])
  expect(await lineOf(app, borrower)).toEqual(line)
  expect(await typesOf(app, line.id)).toEqual(before)
})

story('another mandate for the same account becomes the main one', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const line = await lineOf(app, borrower)
  const before = await typesOf(app, line.id)
  const { data } = await app.client.listRepaymentMethods({ borrower_id: borrower.id })
  const { account_number, bank_identifier } = data[0]!.account_to_debit!
  const again = await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number, bank_identifier },
    representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
    business_email: 'office@garnier.example',
    mandate: { scheme: 'B2B', signed_at: '2027-01-10T10:00:00Z' },
  })
  await app.drain()
  expect(again.id).not.toBe(data[0]!.id)
  const now = await app.client.listRepaymentMethods({ borrower_id: borrower.id })
  expect(now.data.find(({ is_main }) => is_main)!.id).toBe(again.id)
  expect(await typesOf(app, line.id)).toEqual(before)
})

story(
  'a KYB review that begins and ends unchanged leaves the product as it is',
  async ({ app }) => {
    const { client } = app
    const { id: borrower_id } = await readyBorrower(app)
    const { data } = await client.listBorrowerFinancialProducts({ borrower_id })
    const { id, can_request_loan } = data[0]!
    expect(can_request_loan).toBe(true)
    const before = await typesOf(app, id)
    const review = async (status: 'REVIEWING' | 'PENDING_USER_ACTION' | 'APPROVED') => {
      await client.setSandboxKyb({ borrower_id, status })
      await app.drain()
    }
    await review('REVIEWING')
    const stopped = [...before, 'BorrowerFinancialProductUpdated']
    expect(await typesOf(app, id)).toEqual(stopped)
    await review('PENDING_USER_ACTION')
    expect(await typesOf(app, id)).toEqual(stopped)
    await review('APPROVED')
    expect(await typesOf(app, id)).toEqual([...stopped, 'BorrowerFinancialProductUpdated'])
  },
)
