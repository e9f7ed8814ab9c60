/** A borrower's financial products: the status of each, and its terms. */
import { describe, expect, test } from 'vitest'
import { TERMS_VERSION } from '../../../src/integrations/documents/index.ts'
import { readPdf } from '../../documents/samples.ts'
import { testApp } from '../../support/app.ts'

const app = await testApp({ work: false })
const { client } = app

async function productOf(borrower_id: string) {
  const page = await client.listBorrowerFinancialProducts({ borrower_id })
  expect(page.total).toBe(2)
  return page.data.find(p => p.financial_product.product_type === 'WALLET_FINANCING')!
}

async function textAt(address: string): Promise<string> {
  const answer = await fetch(address)
  expect(answer.status).toBe(200)
  return (await readPdf(Buffer.from(await answer.arrayBuffer()))).text
}

describe('the terms are readable before signing', () => {
  test.each([
    ['404833048', 'FRA', { fr: 'Conditions générales', en: 'General terms' }],
    ['Aachen HRA 11223', 'DEU', { de: 'Bedingungen', en: 'General terms' }],
    ['B64717838', 'ESP', { es: 'Condiciones generales', en: 'General terms' }],
    ['12345678', 'NLD', { nl: 'voorwaarden', en: 'General terms' }],
    [
      '0403019261',
      'BEL',
      { nl: 'voorwaarden', fr: 'Conditions', de: 'Bedingungen', en: 'General terms' },
    ],
  ])('%s: %s', async (identifier, country, words) => {
    const { id } = await client.createBorrower({ identifier })
    const { financial_product } = await productOf(id)
    const terms = financial_product.configuration.tcs_documents
    expect(terms.map(one => one.language)).toEqual(Object.keys(words))
    expect(terms.map(one => one.is_default)).toEqual(terms.map((_, i) => i === 0))
    for (const { language, country: of, document_url } of terms) {
      expect(of).toBe(country)
      const text = await textAt(document_url)
      expect(text).toContain(words[language as keyof typeof words])
      expect(text).toContain(TERMS_VERSION)
    }
  })

  test('terms are stored once, however many borrowers read them', async () => {
    const numbers = ['552100554', '542107651', '652014051']
    const borrowers = await Promise.all(
      numbers.map(identifier => client.createBorrower({ identifier })),
    )
    const products = await Promise.all(borrowers.map(({ id }) => productOf(id)))
    const addresses = products.map(product =>
      product.financial_product.configuration.tcs_documents.map(
        one => new URL(one.document_url).pathname,
      ),
    )
    expect(addresses[1]).toEqual(addresses[0])
    expect(addresses[2]).toEqual(addresses[0])
  })

  test('the language defaults to the preferred one, if the terms exist in it', async () => {
    const { id } = await client.createBorrower({
      identifier: '383474814',
      preferred_language: 'en',
    })
    const { tcs_documents } = (await productOf(id)).financial_product.configuration
    expect(tcs_documents.map(one => [one.language, one.is_default])).toEqual([
      ['fr', false],
      ['en', true],
    ])
  })
})

test('status and figures follow the borrower', async () => {
  const business = await client.generateSandboxBusiness({ country: 'FRA' })
  const { id: borrower_id } = await client.createBorrower({ identifier: business.identifier })
  expect(await productOf(borrower_id)).toMatchObject({
    borrower_id,
    status: 'TO_SIGN',
    can_request_loan: false,
    max_amount: null,
    available_amount: null,
    fees_daily_rate: 0.05,
    financial_product: {
      name: 'Wallet financing',
      product_type: 'WALLET_FINANCING',
      configuration: {
        contract_type: 'CREDIT_OPERATION',
        billing: { fees_payers: [{ fees_payer_role: 'BORROWER' }] },
        ux: { loan_request: { maximum_duration_in_days: 45 } },
      },
    },
  })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  expect((await productOf(borrower_id)).status).toBe('PENDING_USER_ACTION')
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const ready = {
    status: 'READY',
    can_request_loan: true,
    max_amount: 5_000_000,
    available_amount: 5_000_000,
    amount_outstanding: 0,
    amount_pending_validation: 0,
  }
  expect(await productOf(borrower_id)).toMatchObject(ready)
  await client.setSandboxKyb({ borrower_id, status: 'REVIEWING' })
  expect(await productOf(borrower_id)).toMatchObject({ ...ready, can_request_loan: false })
})
