/** First chapter: from a registration number to a borrower that can draw. */

import { euros, expect, printChapter, printStep } from './output.ts'
import { type GeneratedCompany, generateCompany, refusal, type Story } from './story.ts'

/** Creates a borrower from its number alone, then sets up its direct debit; returns the company. */
export async function onboard(story: Story): Promise<GeneratedCompany & { borrower_id: string }> {
  printChapter('A company becomes a borrower')
  const { client } = story
  const company = await generateCompany(story, 'FRA')
  const { identifier } = company
  const created = await client.createBorrower({ identifier })
  expect('status after creation', created.status, 'TO_SIGN')
  printStep(
    `Created with nothing but its registration number, SIREN ${identifier}.`,
    `The register says: ${created.name}, ${created.address?.city}. It is ${created.status}.`,
  )
  await readTerms(story, created.id)

  const signed_at = new Date().toISOString()
  const signed = await client.signBorrower({ borrower_id: created.id, signed_at })
  expect('status after signing', signed.status, 'SIGNED')
  expect('KYB after signing', signed.compliance_checks.status, 'APPROVED')
  printStep('It signs them. Its KYB review says APPROVED.')

  await enableDirectDebit(story, created.id, company)
  const ready = await client.getBorrower({ borrower_id: created.id })
  expect('status with a repayment method', ready.status, 'READY')
  const lines = await client.listCreditLines({ borrower: [created.id] })
  const [line] = lines.data
  expect('the pool of its credit line', line?.pool_amount, 5_000_000)
  expect('what it may draw', line?.balance_available, 5_000_000)
  printStep(`The service creates its credit line of ${euros(5_000_000)}. It is READY.`)
  return { ...company, borrower_id: created.id }
}

/** Checks that the terms can be read before signing, in the country's language and in English. */
async function readTerms({ client }: Story, borrower_id: string): Promise<void> {
  const products = await client.listBorrowerFinancialProducts({ borrower_id })
  const wallet = products.data.find(p => p.financial_product.product_type === 'WALLET_FINANCING')
  const terms = wallet?.financial_product.configuration.tcs_documents ?? []
  expect(
    'languages of the terms',
    terms.map(t => t.language),
    ['fr', 'en'],
  )
  const { document_url } = terms.find(t => t.is_default)!
  const answer = await fetch(document_url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect('the terms are a PDF', bytes.subarray(0, 5).toString(), '%PDF-')
  const pages = `${Math.round(bytes.length / 1000)} kB of PDF`
  printStep(
    `The terms can be read before signing, in French and English: ${pages} at`,
    document_url,
  )
}

async function enableDirectDebit(
  { client }: Story,
  borrower_id: string,
  company: GeneratedCompany,
): Promise<void> {
  const input = {
    borrower_id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  } as const
  const refused = await refusal('an empty direct debit', client.addRepaymentMethod(input))
  expect('why', refused.code, 'request_invalid')
  const missing = refused.invalid_params.map(param => param.name)
  expect('how much is missing for a direct debit', missing.length, 6)
  printStep(
    'A direct debit is asked for with nothing; what is missing is named:',
    missing.join(', '),
  )

  const [director] = company.directors
  const method = await client.addRepaymentMethod({
    ...input,
    from_account: {
      account_number: company.account_number,
      bank_identifier: company.bank_identifier,
    },
    business_email: director!.business_email,
    representative: {
      first_name: director!.first_name,
      last_name: director!.last_name,
      birth_date: director!.birth_date,
      nationality: director!.nationality,
      country_of_residence: director!.address?.country,
    },
  })
  expect('the repayment method', method.status, 'READY')
  const { reference, scheme, creditor_identifier } = method.mandate!
  printStep(
    'With them it is READY, with a SEPA mandate:',
    `${scheme} mandate ${reference} of creditor ${creditor_identifier}`,
  )
}
