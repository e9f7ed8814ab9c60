/** The loan agreement: its content in every language, for each repayment method. */
import { expect, test } from 'vitest'
import { contractDocument, drawPdf } from '../../src/integrations/documents/index.ts'
import { day, formatDay } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { formatMoney } from '../../src/platform/kit/money.ts'
import { contractInput, DEBIT, LENDER, PAIRS, party, plain, readPdf, TRANSFER } from './samples.ts'

test.each(PAIRS)('$language in $country: parties, amounts, dates, pre-notification', async pair => {
  const { country, language } = pair
  const read = await readPdf(
    await drawPdf(LENDER_ID, contractDocument(contractInput(country, language))),
  )
  const borrower = party(country)
  for (const name of [LENDER.name, LENDER.registration, borrower.name, borrower.identifier]) {
    expect(read.text).toContain(name)
  }
  for (const line of borrower.address) expect(read.text).toContain(line)
  for (const amount of [123_456n, 2_778n, 126_234n]) {
    expect(read.text).toContain(plain(formatMoney(amount, 'EUR', language)))
  }
  for (const date of ['2026-06-30', '2026-08-14', '2026-06-01']) {
    expect(read.text).toContain(formatDay(day(date), language))
  }
  expect(read.text).toMatch(/0[.,]05\s?%/)
  expect(read.text).toMatch(/18[.,]25\s?%/)
  // The pre-notification: creditor, mandate, account.
  expect(read.text).toContain(LENDER.creditor_identifier)
  expect(read.text).toContain(DEBIT.mandate_reference)
  expect(read.text).toContain('FR76 3000 6000 0112 3456 7890 189')
  // Early repayment by transfer.
  expect(read.text).toContain('FR76 1234 5987 6501 2345 6789 014')
  expect(read.text).toContain('RF18539007547034')
  expect(read.text).not.toMatch(/\b(undefined|null|NaN)\b/)
  expect(read.language).toBe(language)
  expect(read.title).toContain('RF18539007547034')
})

test('signatories of the lender are named at the end', async () => {
  const input = contractInput('FR', 'fr')
  const { blocks } = contractDocument(input)
  expect(blocks.filter(block => block.kind === 'signatures')).toEqual([])
  const lender = { ...input.lender, signatories: ['Ada Byron, Director'] }
  const { text } = await readPdf(await drawPdf(LENDER_ID, contractDocument({ ...input, lender })))
  expect(text).toContain('Ada Byron, Director')
})

test('repayment by transfer shows account, BIC and reference, and no mandate', async () => {
  const input = { ...contractInput('ES', 'es'), repayment: TRANSFER }
  const { text } = await readPdf(await drawPdf(LENDER_ID, contractDocument(input)))
  expect(text).toContain('Transferencia SEPA')
  expect(text).toContain('AGRIFRPPXXX')
  expect(text).toContain('FR76 1234 5987 6501 2345 6789 014')
  expect(text).not.toContain(DEBIT.mandate_reference)
})

test('repayment from a wallet shows the wallet', async () => {
  const repayment = { method: 'P2P' as const, wallet: 'W-778', debit_on: day('2026-08-14') }
  const input = { ...contractInput('NL', 'nl'), repayment, early_repayment: undefined }
  const { text } = await readPdf(await drawPdf(LENDER_ID, contractDocument(input)))
  expect(text).toContain('W-778')
  expect(text).toContain('kosteloos vervroegd worden terugbetaald.')
})

test('the financed invoice is shown', async () => {
  const input = contractInput('DE', 'de')
  const loan = { ...input.loan, loan_type: 'INVOICE_BASED_FINANCING' as const }
  const paper = contractDocument({ ...input, loan: { ...loan, invoice_number: 'RE-2026/17' } })
  const { text } = await readPdf(await drawPdf(LENDER_ID, paper))
  expect(text).toContain('Rechnungsfinanzierung')
  expect(text).toContain('RE-2026/17')
})

test('a contractual plan amends the agreement and replaces its debit', async () => {
  const paper = contractDocument({
    ...contractInput('BE', 'en'),
    plan: {
      amends: { document_id: 'old-agreement', issued_on: day('2026-06-30') },
      recollection_fees: 5_000n,
      installments: [
        { due_on: day('2026-10-05'), amount: 66_001n },
        { due_on: day('2026-11-05'), amount: 66_002n },
      ],
    },
  })
  const { text, title } = await readPdf(await drawPdf(LENDER_ID, paper))
  expect(title).toContain('Amended loan agreement')
  expect(text).toContain('replaces agreement old-agreement of 30 June 2026')
  expect(text).toContain('1 5 October 2026 €660.01 2 5 November 2026 €660.02 Total €1,320.03')
  expect(text).toContain('€50.00')
  expect(text).not.toContain('will be debited on 14 August 2026')
  expect(text).not.toContain('no other fees')
})
