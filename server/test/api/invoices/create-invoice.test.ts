/** Declaring invoices: drafts, missing data, and the code of each reason for declining one. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addDays, wireDay } from '../../../src/platform/kit/dates.ts'
import { FIRST_DAY, testApp } from '../../support/app.ts'
import { pdfOf, validInvoice } from '../../support/invoices.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client, second } = app
const today = FIRST_DAY

async function counts() {
  const [invoices, parties] = await Promise.all([
    client.listInvoices({ page_size: 1 }),
    client.listCounterparties({ page_size: 1 }),
  ])
  return [invoices.total, parties.total]
}

test('a complete invoice is VERIFIED immediately, and shows every field', async () => {
  const input = await validInvoice({
    to_account: { account_number: 'FR1420041010050500013M02606' },
    metadata: { order: 7 },
  })
  const { data, status } = await client.call('createInvoice', input)
  expect(status).toBe(201)
  expect(data).toMatchObject({
    status: 'VERIFIED',
    status_reason: null,
    to_edit: [],
    is_draft: false,
    invoice_number: input.invoice_number,
    currency: 'EUR',
    net_amount: 100_000,
    tax_amount: 20_000,
    total_amount: 120_000,
    issued_at: wireDay(addDays(today, -5)),
    due_at: wireDay(addDays(today, 40)),
    seller: { identifier: '732829320', identifier_type: 'siren' },
    buyer: { identifier: '404833048' },
    loan_ids: [],
    to_account_details: { account_number: 'FR1420041010050500013M02606', bank_identifier: '' },
    metadata: { order: 7 },
  })
  const again = await client.getInvoice({ invoice_id: data.id })
  expect({ ...again, document_url: null }).toEqual({ ...data, document_url: null })
  const file = await fetch(data.document_url!)
  expect(file.headers.get('content-type')).toBe('application/pdf')
  expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(input.document)
  expect(
    (await client.getCounterparty({ counterparty_id: data.seller!.id! })).relation_types,
  ).toEqual(['SUPPLIER'])
})

test('a negative part of a positive total is inconsistent', async () => {
  const input = { net_amount: 130_000, tax_amount: -10_000 }
  const { status, to_edit } = await client.createInvoice(await validInvoice(input))
  expect(status).toBe('TO_EDIT')
  expect(to_edit).toEqual([{ name: 'tax_amount', reason: 'is below 0' }])
})

test('a draft stays a draft, whatever it lacks', async () => {
  const { document } = await validInvoice()
  const draft = await client.createInvoice({ document, is_draft: true })
  expect(draft).toMatchObject({
    status: 'TO_SUBMIT',
    is_draft: true,
    invoice_number: '',
    net_amount: 0,
    total_amount: null,
    seller: null,
    buyer: null,
    to_edit: [],
  })
})

test('missing or inconsistent fields are requested by name', async () => {
  const { document } = await validInvoice()
  const bare = await client.createInvoice({ document })
  expect(bare).toMatchObject({
    status: 'TO_EDIT',
    status_reason: 'FILL_INVOICE_SELLER_INFORMATION',
    is_draft: false,
  })
  expect(bare.to_edit.map(e => e.name)).toEqual([
    'seller',
    'buyer',
    'invoice_number',
    'issued_at',
    'due_at',
    'total_amount',
  ])
  const odd = await client.createInvoice(
    await validInvoice({
      total_amount: 130_000,
      to_pay_amount: 140_000,
      due_at: addDays(today, -9),
      buyer: { name: 'Dupont' },
    }),
  )
  expect(odd.status_reason).toBe('FILL_INVOICE_BUYER_INFORMATION')
  expect(odd.to_edit.map(e => e.name)).toEqual(['buyer', 'due_at', 'total_amount', 'to_pay_amount'])
})

describe('an invoice that cannot be financed is declined with its code', () => {
  test.each([
    ['INVOICE_OVERDUE', { due_at: addDays(today, -1) }],
    ['INVOICE_NOT_ISSUED_YET', { issued_at: addDays(today, 1) }],
    ['INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA', { currency: 'GBP' as const }],
    ['INVOICE_NON_ELIGIBLE_USE_CASE', { buyer: { identifier: 'FR44732829320' } }],
    ['INVOICE_NON_ELIGIBLE_USE_CASE', { net_amount: -5, tax_amount: 0, total_amount: -5 }],
    ['COUNTRY_NOT_ELIGIBLE_COUNTERPARTY', { buyer: { vat_number: 'IT00743110157' } }],
  ])('%s', async (reason, changes) => {
    const declined = await client.createInvoice(await validInvoice(changes))
    expect(declined).toMatchObject({ status: 'DECLINED', status_reason: reason })
  })

  test('NOT_AN_INVOICE: a letter', async () => {
    const document = (await pdfOf('Dear Sir, how are you?')).toString('base64')
    const declined = await client.createInvoice(await validInvoice({ document }))
    expect(declined).toMatchObject({ status: 'DECLINED', status_reason: 'NOT_AN_INVOICE' })
  })

  test('DOUBLE_MOBILIZATION: the same seller and number, even concurrently', async () => {
    const input = await validInvoice({ invoice_number: 'twice-1' })
    const answers = await Promise.all([
      client.createInvoice(input),
      client.createInvoice({ ...input, invoice_number: 'TWICE-1' }),
      client.createInvoice({ ...input, seller: { identifier: '73282932000074' } }),
    ])
    expect(answers.map(a => a.status).sort()).toEqual(['DECLINED', 'DECLINED', 'VERIFIED'])
    const declined = answers.filter(a => a.status === 'DECLINED')
    expect(declined.map(a => a.status_reason)).toEqual(Array(2).fill('DOUBLE_MOBILIZATION'))
    const elsewhere = await second.createInvoice(input)
    expect(elsewhere.status).toBe('VERIFIED')
    // Deleting the invoice frees its number.
    await client.deleteInvoice({ invoice_id: answers.find(a => a.status === 'VERIFIED')!.id })
    expect((await client.createInvoice(input)).status).toBe('VERIFIED')
  })
})

describe('bad requests report every fault and write nothing', () => {
  test('faults in schema, numbers and account at once', async () => {
    const before = await counts()
    const faults = await faultsOf(
      client.createInvoice({
        ...(await validInvoice()),
        seller: { identifier: '732829321' },
        due_at: 'soon',
        total_amount: 1.5,
        to_account: { account_number: 'FR1420041010050500013M02607' },
        colour: 'red',
      } as never),
    )
    expect(Object.keys(faults).sort()).toEqual([
      'colour',
      'due_at',
      'seller.identifier',
      'to_account.account_number',
      'total_amount',
    ])
    expect(await counts()).toEqual(before)
  })

  test.each([
    ['text', Buffer.from('hello'), 'not a PDF'],
    ['a picture', Buffer.from('\x89PNG\r\n'), 'not a PDF'],
    [
      'garbage after the magic bytes',
      Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(900)]),
      'read',
    ],
  ])('a document that is %s', async (_, bytes, reason) => {
    const before = await counts()
    const document = bytes.toString('base64')
    const faults = await faultsOf(client.createInvoice(await validInvoice({ document })))
    expect(faults.document).toContain(reason)
    expect(await counts()).toEqual(before)
  })

  test('a document larger than ten megabytes is 413 and names the limit', async () => {
    const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(10 * 1024 * 1024)])
    const result = await refusal(
      client.createInvoice(await validInvoice({ document: large.toString('base64') })),
    )
    expect(result.status).toBe(413)
    expect(result.message).toContain('10 MB')
  })
})
