/** GET /bills with all its filters, and POST /bill/{bill_id}/sent. */
import { beforeAll, expect, test } from 'vitest'
import { houseOn } from '../../support/calendar.ts'
import type { TestHouse } from '../../support/house.ts'
import { type Bill, lend, payIn } from '../../support/money.ts'
import { agree, PARTNER_COMPANY } from '../../support/partner-terms.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'

let house: TestHouse
let borrower: ReadyBorrower
let january: Bill
let february: Bill
let partners: Bill

beforeAll(async () => {
  house = await houseOn('2027-01-28')
  borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 45 })
  await agree(house, { fees_mode: 'TRANSFERRED' })
  await lend(house, borrower, { amount: 200_000, days: 3 })
  await house.client.advanceSandboxClock({ to: '2027-02-02' })
  const [first] = await list({ business_id: [borrower.id] })
  const reference = first!.payment.to_references[0]!
  await payIn(house, { to: loan, amount: 200, reference })
  await house.client.advanceSandboxClock({ to: '2027-03-01' })
  ;[february, january] = (await list({ business_id: [borrower.id] })) as [Bill, Bill]
  partners = (await list({ business_id: [house.partner_id], status: ['TO_PAY'] })).at(-1)!
})

type Filter = Parameters<TestHouse['client']['listBills']>[0]

async function list(filter: Filter): Promise<Bill[]> {
  return (await house.client.listBills(filter)).data
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
  expect(await house.second.listBills({ bill_id: [january.id] })).toMatchObject({ data: [] })
})

test('pages of one', async () => {
  const first = await house.client.listBills({ business_id: [borrower.id], page_size: 1 })
  expect(first).toMatchObject({ count: 1, data: [{ id: february.id }] })
  const answer = await fetch(`${house.base_url}${first.next_page}`, {
    headers: { authorization: `Bearer ${house.key}` },
  })
  expect(await answer.json()).toMatchObject({ data: [{ id: january.id }], next_page: null })
})

test('light bills leave out what is heavy, and nothing that the record requires', async () => {
  const [light] = await list({ bill_id: [january.id], light_bills: true })
  const { bills, loans } = light!.payment.related_to
  expect({ bills, loans }).toEqual({ bills: [], loans: [] })
  expect(light).toMatchObject({ lines: [], document_url: null, invoice: null, status: 'PAID' })
  expect(january.payment.related_to.bills).toMatchObject([{ bill_id: january.id, amount: 200 }])
  expect(light).toMatchObject({ to_pay_amount: 200, billed_borrower_id: borrower.id })
})

test("a partner's bill: its company, no borrower, found among its payments", async () => {
  expect(partners).toMatchObject({
    billed_borrower_id: null,
    billed_business: { identifier: PARTNER_COMPANY.identifier, identifier_type: 'siren' },
    payment: { payment_type: 'REPAYMENT_FEES', status: 'SCHEDULED' },
  })
  const { data } = await house.client.listPayments({ id: [partners.payment.id] })
  expect(data[0]!.related_to.bills).toMatchObject([{ bill_id: partners.id }])
})

const sent = { sent_on: '2027-02-28T10:00:00Z', to_email_addresses: ['payer@example.com'] }

test('sent by the partner: noted, also once it is due', async () => {
  await house.client.noteBillSent({ bill_id: february.id, ...sent })
  const [bill] = await list({ bill_id: [february.id] })
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    email_sent_to_payer_on: '2027-02-28T10:00:00.000Z',
  })
})

test('what is no notice of sending is refused', async () => {
  const { client, second } = house
  const bill_id = february.id
  expect(await refusal(second.noteBillSent({ bill_id, ...sent }))).toMatchObject({ status: 404 })
  const future = { ...sent, sent_on: '2027-03-05' }
  expect(await faultsOf(client.noteBillSent({ bill_id, ...future }))).toEqual({
    sent_on: 'is in the future',
  })
  const nobody = { sent_on: 'soon', to_email_addresses: [] }
  const faults = await faultsOf(client.noteBillSent({ bill_id, ...nobody }))
  expect(Object.keys(faults).sort()).toEqual(['sent_on', 'to_email_addresses'])
})
