/** GET /bills: filters, pages and light bills. POST /bill/{bill_id}/sent. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { billViews } from '../../../src/credit/bills/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import type { TestApp } from '../../support/app.ts'
import { appOn } from '../../support/calendar.ts'
import { type Bill, lend, payIn } from '../../support/money.ts'
import { agree, PARTNER_COMPANY } from '../../support/partner-terms.ts'
import { recordFaults } from '../../support/record.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'

let app: TestApp
let borrower: ReadyBorrower
let january: Bill
let february: Bill
let partners: Bill

beforeAll(async () => {
  app = await appOn('2027-01-28')
  borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await agree(app, { fees_mode: 'TRANSFERRED' })
  await lend(app, borrower, { amount: 200_000, days: 3 })
  await app.client.advanceSandboxClock({ to: '2027-02-02' })
  const [first] = await list({ business_id: [borrower.id] })
  const reference = first!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 200, reference })
  await app.client.advanceSandboxClock({ to: '2027-03-01' })
  ;[february, january] = (await list({ business_id: [borrower.id] })) as [Bill, Bill]
  partners = (await list({ business_id: [app.partner_id], status: ['TO_PAY'] })).at(-1)!
})

/** Thrown to roll a transaction back and still return a result. */
class Answered extends Error {
  readonly bill: Bill

  constructor(bill: Bill) {
    super('told')
    this.bill = bill
  }
}

function faultsOfPage(bill: Bill) {
  const page = { data: [bill], count: 1, page_size: 1, total: null }
  return recordFaults('listBills', 200, { ...page, next_page: null, previous_page: null })
}

type Filter = Parameters<TestApp['client']['listBills']>[0]

async function list(filter: Filter): Promise<Bill[]> {
  return (await app.client.listBills(filter)).data
}

async function ids(filter: Filter): Promise<string[]> {
  return (await list(filter)).map(bill => bill.id)
}

test('by id, payer, company, status and period', async () => {
  expect(await ids({ bill_id: [january.id] })).toEqual([january.id])
  expect(await ids({ business_identifier: [borrower.identifier] })).toEqual([
    february.id,
    january.id,
  ])
  expect(await ids({ business_identifier: [PARTNER_COMPANY.identifier] })).toContain(partners.id)
  const own = [borrower.id]
  expect(await ids({ business_id: own, status: ['PAID'] })).toEqual([january.id])
  expect(await ids({ business_id: own, status: ['TO_PAY', 'PAID'] })).toHaveLength(2)
  expect(await ids({ business_id: own, start_date: '2027-02-01' })).toEqual([february.id])
  expect(await ids({ business_id: own, end_date: '2027-02-28' })).toEqual([january.id])
  expect(await app.second.listBills({ bill_id: [january.id] })).toMatchObject({ data: [] })
})

test('a bill without a planned payment shows one with a zero amount', async () => {
  const forgotten = transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    async tx => {
      await tx.run(sql`update payments set bill_id = null where bill_id = ${february.id}`)
      await tx.run(sql`alter table bill_lines disable trigger user`)
      await tx.run(sql`delete from bill_lines where bill_id = ${february.id}`)
      const view = (await billViews(tx, [{ partner_id: app.partner_id, id: february.id }])).get(
        february.id,
      )
      throw new Answered(view!.data as unknown as Bill)
    },
  )
  const { bill } = await forgotten.catch((result: Answered) => result)
  expect(bill).toMatchObject({ id: february.id, payment: { amount: 0, status: 'CANCELED' } })
  expect(faultsOfPage(bill)).toEqual([])
})

test('pages of one', async () => {
  const first = await app.client.listBills({ business_id: [borrower.id], page_size: 1 })
  expect(first).toMatchObject({ count: 1, data: [{ id: february.id }] })
  const answer = await fetch(`${app.base_url}${first.next_page}`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  expect(await answer.json()).toMatchObject({ data: [{ id: january.id }], next_page: null })
})

test('light bills omit heavy fields, but none that the record requires', async () => {
  const [light] = await list({ bill_id: [january.id], light_bills: true })
  const { bills, loans } = light!.payment.related_to
  expect({ bills, loans }).toEqual({ bills: [], loans: [] })
  expect(light).toMatchObject({ lines: [], document_url: null, invoice: null, status: 'PAID' })
  expect(january.payment.related_to.bills).toMatchObject([{ bill_id: january.id, amount: 200 }])
  expect(light).toMatchObject({ to_pay_amount: 200, billed_borrower_id: borrower.id })
  const { identifier, name } = borrower
  expect(light!.billed_business).toMatchObject({ identifier, name })
})

test('a bill is an invoice of the lender, once it has a number', async () => {
  const { invoice } = january
  expect(invoice).toMatchObject({
    invoice_number: january.invoice_number,
    status: 'PAID',
    is_draft: false,
    net_amount: 200,
    tax_amount: 0,
    total_amount: 200,
    to_pay_amount: 200,
    issued_at: '2027-02-01T00:00:00Z',
    due_at: january.due_date,
    buyer: { identifier: borrower.identifier, business_id: borrower.id, name: borrower.name },
    seller: { identifier: expect.stringContaining('RCS'), name: expect.any(String) },
    loan_ids: january.lines.map(line => line.loan_id),
    to_account_details: { account_number: january.payment.to_account_details!.account_number },
  })
  expect(invoice!.document_url).toContain(`/document/${invoice!.id}`)
  expect(partners.invoice).toMatchObject({
    status: 'VERIFIED',
    to_pay_amount: partners.to_pay_amount,
    buyer: { identifier: PARTNER_COMPANY.identifier, business_id: null },
  })
})

test("a partner's bill names its company, no borrower, and is found by its payments", async () => {
  expect(partners).toMatchObject({
    billed_borrower_id: null,
    billed_business: { identifier: PARTNER_COMPANY.identifier, identifier_type: 'siren' },
    payment: { payment_type: 'REPAYMENT_FEES', status: 'SCHEDULED' },
  })
  const { data } = await app.client.listPayments({ id: [partners.payment.id] })
  expect(data[0]!.related_to.bills).toMatchObject([{ bill_id: partners.id }])
})

const sent = { sent_on: '2027-03-01', to_email_addresses: ['payer@example.com'] }

test("the partner's confirmation of sending is recorded, even after the due date", async () => {
  await app.client.noteBillSent({ bill_id: february.id, ...sent })
  const [bill] = await list({ bill_id: [february.id] })
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    email_sent_to_payer_on: '2027-02-28T23:00:00.000Z',
  })
})

test('an invalid confirmation of sending is rejected', async () => {
  const { client, second } = app
  const bill_id = february.id
  expect(await refusal(second.noteBillSent({ bill_id, ...sent }))).toMatchObject({ status: 404 })
  const future = { ...sent, sent_on: '2027-03-05' }
  expect(await faultsOf(client.noteBillSent({ bill_id, ...future }))).toEqual({
    sent_on: 'is in the future',
  })
  const early = { ...sent, sent_on: '2027-02-28' }
  expect(await faultsOf(client.noteBillSent({ bill_id, ...early }))).toEqual({
    sent_on: 'is before the bill was written',
  })
  const nobody = { sent_on: 'soon', to_email_addresses: [] }
  const faults = await faultsOf(client.noteBillSent({ bill_id, ...nobody }))
  expect(Object.keys(faults).sort()).toEqual(['sent_on', 'to_email_addresses'])
})
