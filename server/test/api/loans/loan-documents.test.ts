/** Supporting documents of loan requests, and downloading the documents of several loans. */
import type { Input } from '@headroom/sdk'
import { unzipSync } from 'fflate'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { testApp } from '../../support/app.ts'
import { pdfOf } from '../../support/invoices.ts'
import { lend, loanOf, rowCounts } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client, second } = app
let borrower: ReadyBorrower
let day: string
let paper: string

beforeAll(async () => {
  borrower = await readyBorrower(app)
  day = await today(app)
  paper = (await pdfOf('Pro forma')).toString('base64')
})

type Request = Input<'createLoan'>

function requestOf(changes: Partial<Request>): Request {
  return {
    loan_type: 'WALLET_FINANCING',
    amount: 10_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
    ...changes,
  }
}

async function fetchFile(link: string) {
  const answer = await fetch(link)
  expect(answer.status).toBe(200)
  return { answer, content: Buffer.from(await answer.arrayBuffer()) }
}

describe('supporting documents', () => {
  test('are stored and returned, in either form', async () => {
    const loan = await client.createLoan(
      requestOf({
        documents: [
          {
            document_type: 'pro_forma',
            document_name: 'offer.pdf',
            document_binary_base64: paper,
            description: 'A machine',
            pro_forma: { buyer: { identifier: '404833048' }, invoice_number: 'P-1' },
          },
        ],
        attachments: [
          {
            document_type: 'credit_card_expenses',
            credit_card_expenses: {
              counterparty: { identifier: '732829320' },
              expenses: [{ amount: 100, date_time: `${day}T10:00:00Z` }],
            },
          },
        ],
      }),
    )
    const { documents } = await loanOf(app, loan.id)
    expect(documents).toMatchObject([
      {
        document_type: 'pro_forma',
        document_name: 'offer.pdf',
        about_business: { identifier: '404833048', identifier_type: 'siren' },
        user_input: { description: 'A machine', pro_forma: { invoice_number: 'P-1' } },
      },
      {
        document_type: 'credit_card_expenses',
        document_name: null,
        about_business: { identifier: '732829320' },
      },
    ])
    const file = await fetchFile(documents[0]!.document_url)
    expect(file.content.toString('base64')).toBe(paper)
    const words = await fetchFile(documents[1]!.document_url)
    expect(words.answer.headers.get('content-type')).toContain('application/json')
  })

  test('report every fault at once when invalid, and write nothing', async () => {
    const before = await rowCounts(app)
    const document_name = 'a'
    const noFile = Buffer.from('hello').toString('base64')
    const faults = await faultsOf(
      client.createLoan(
        requestOf({
          documents: [
            { document_type: 'time_sheet', document_name, document_binary_base64: noFile },
            { document_type: 'time_sheet', document_name, document_binary_base64: '==' },
          ],
          attachments: [{ document_type: 'time_sheet' }],
        }),
      ),
    )
    expect(Object.keys(faults)).toEqual([
      'documents.0.document_binary_base64',
      'documents.1.document_binary_base64',
      'attachments.0.time_sheet',
    ])
    expect(await rowCounts(app)).toEqual(before)
  })
})

describe('documents of loans', () => {
  test('one is a PDF, several are an archive', async () => {
    const loans = [
      await lend(app, borrower, { amount: 10_000 }),
      await lend(app, borrower, { amount: 20_000 }),
    ]
    const ids = loans.map(loan => loan.id)
    const one = await client.fetchLoanDocuments({ document_type: 'contract', loan_ids: [ids[0]!] })
    const pdf = await fetchFile(one.link)
    expect(pdf.answer.headers.get('content-type')).toBe('application/pdf')
    const many = await client.fetchLoanDocuments({ document_type: 'contracts', loan_ids: ids })
    const zip = await fetchFile(many.link)
    expect(zip.answer.headers.get('content-type')).toBe('application/zip')
    const files = Object.values(unzipSync(zip.content))
    expect(files).toHaveLength(2)
    expect(Buffer.from(files[0]!).equals(pdf.content)).toBe(true)
    const range = { to_pay_at_from: day, to_pay_at_to: plusDays(day, 1) }
    const all = await client.fetchLoanDocuments({ document_type: 'all', ...range })
    expect(Object.keys(unzipSync((await fetchFile(all.link)).content)).length).toBeGreaterThan(1)
  })

  test('are archived up to a total size, and streamed while being read', async () => {
    const loan = await lend(app, borrower, { amount: 10_000 })
    const loan_ids = [loan.id]
    const add = (count: number) =>
      transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
        for (let n = 0; n < count; n++) {
          const id = tx.newId()
          await tx.run(sql`
            insert into documents (id, partner_id, kind, loan_id, language, title, media_type,
              content, sha256, created_at)
            values (${id}, ${app.partner_id}, 'LOAN_DOCUMENT', ${loan.id}, 'en', 'paper',
              'image/png', decode(repeat('00', 10000000), 'hex'), 'x', now())`)
          await tx.run(sql`
            insert into loan_documents (id, partner_id, loan_id, document_type, user_input,
              document_id, uploaded_at)
            values (${tx.newId()}, ${app.partner_id}, ${loan.id}, 'time_sheet', '{}', ${id},
              now())`)
        }
      })
    await add(3)
    const some = await client.fetchLoanDocuments({ document_type: 'time_sheet', loan_ids })
    const files = unzipSync((await fetchFile(some.link)).content)
    expect(Object.keys(files)).toEqual(['paper.png', 'paper-2.png', 'paper-3.png'])
    expect(Object.values(files).map(file => file.length)).toEqual(Array(3).fill(10_000_000))
    await add(23)
    const all = client.fetchLoanDocuments({ document_type: 'time_sheet', loan_ids })
    expect((await faultsOf(all)).loan_ids).toContain('260 MB')
  })

  test('of another partner, of an unknown loan, or without any match', async () => {
    const loan = await lend(app, borrower, { amount: 10_000 })
    const loan_ids = [loan.id]
    const theirs = second.fetchLoanDocuments({ document_type: 'contract', loan_ids })
    expect((await refusal(theirs)).code).toBe('resource_unknown')
    const none = client.fetchLoanDocuments({ document_type: 'time_sheet', loan_ids })
    expect((await refusal(none)).code).toBe('resource_unknown')
    expect(await faultsOf(client.fetchLoanDocuments({ document_type: 'contract' }))).toHaveProperty(
      'loan_ids',
    )
    const later = { to_pay_at_from: plusDays(day, 1) }
    const empty = client.fetchLoanDocuments({ document_type: 'contract', ...later })
    expect((await refusal(empty)).code).toBe('resource_unknown')
  })
})

describe('installments', () => {
  const wrong: [string, () => Partial<Request>, string[]][] = [
    ['none', () => ({ installment_plan_type: 'INSTALLMENTS' }), ['installments']],
    [
      'with a loan that is repaid at once',
      () => ({ installments: [{ amount: 10_000, date: plusDays(day, 30) }] }),
      ['installments'],
    ],
    [
      'of another sum, out of order, and ending too early',
      () => ({
        installment_plan_type: 'INSTALLMENTS',
        installments: [
          { amount: 5_000, date: day },
          { amount: 4_999, date: day },
        ],
      }),
      ['installments.0.date', 'installments.1.date', 'installments.1.date', 'installments'],
    ],
  ]
  test.each(wrong)('%s', async (_, changes, names) => {
    const before = await rowCounts(app)
    const faults = await faultsOf(client.createLoan(requestOf(changes())))
    expect(Object.keys(faults).sort()).toEqual([...new Set(names)].sort())
    expect(await rowCounts(app)).toEqual(before)
  })
})
