/** The four mails in every language. */
import { expect, test } from 'vitest'
import {
  billSentMail,
  contractReadyMail,
  type Language,
  type Mail,
  payoutDoneMail,
  repaidMail,
} from '../../src/documents/index.ts'
import { day, formatDay } from '../../src/kit/dates.ts'
import { formatMoney } from '../../src/kit/money.ts'
import { DEBIT, LANGUAGES, LENDER, TRANSFER } from './samples.ts'

const IBAN = 'FR7630006000011234567890189'
const GROUPED = 'FR76\u00A03000\u00A06000\u00A00112\u00A03456\u00A07890\u00A0189'

function head(language: Language) {
  return { language, lender: LENDER, recipient: 'Pâtisserie Noël & Fils SARL' }
}

function loan(language: Language) {
  return {
    ...head(language),
    loan_reference: 'RF18539007547034',
    amount: 123_456n,
    currency: 'EUR',
  }
}

function bill(language: Language) {
  return {
    ...head(language),
    number: 'B-2026-000042',
    period: { from: day('2026-07-01'), to: day('2026-07-31') },
    to_pay: 2_417n,
    currency: 'EUR',
    due_on: day('2026-08-05'),
  }
}

function expectWhole(mail: Mail, facts: string[]) {
  for (const fact of facts) expect(mail.text).toContain(fact)
  expect(mail.subject).toMatch(/^\S.*\S$/)
  expect(mail.text.endsWith(`${LENDER.name}\n`)).toBe(true)
  expect(mail.text).toContain('Pâtisserie Noël & Fils SARL')
  expect(mail.text).toContain(LENDER.email)
  expect(`${mail.subject}${mail.text}`).not.toMatch(/\b(undefined|null|NaN)\b|\$\{| {2}/)
}

test.each(LANGUAGES)('contract ready, in %s', language => {
  const mail = contractReadyMail({
    ...loan(language),
    to_pay_at: day('2026-06-30'),
    to_repay_at: day('2026-08-14'),
    interest_estimated: 2_778n,
  })
  expect(mail.subject).toContain('RF18539007547034')
  expectWhole(mail, [
    formatMoney(123_456n, 'EUR', language),
    formatMoney(2_778n, 'EUR', language),
    formatDay(day('2026-06-30'), language),
    formatDay(day('2026-08-14'), language),
  ])
})

test.each(LANGUAGES)('bill sent, in %s', language => {
  const due = formatDay(day('2026-08-05'), language)
  const amount = formatMoney(2_417n, 'EUR', language)
  const debit = { ...DEBIT, debit_on: day('2026-08-05') }
  const debited = billSentMail({ ...bill(language), payment: debit })
  expect(debited.subject).toContain('B-2026-000042')
  expectWhole(debited, [due, amount, 'HR-2026-000123'])
  const transferred = billSentMail({ ...bill(language), payment: TRANSFER })
  expectWhole(transferred, [due, amount, 'RF18539007547034', LENDER.name])
  expect(transferred.text).not.toContain('HR-2026-000123')
  const wallet = { method: 'P2P' as const, wallet: 'W-778', debit_on: day('2026-08-05') }
  expectWhole(billSentMail({ ...bill(language), payment: wallet }), [due, amount])
  const paid = billSentMail({ ...bill(language), to_pay: 0n, payment: TRANSFER })
  expect(paid.text).not.toContain('RF18539007547034')
})

test.each(LANGUAGES)('payout done, in %s', language => {
  const mail = payoutDoneMail({
    ...loan(language),
    paid_on: day('2026-07-01'),
    iban: IBAN,
    to_repay_at: day('2026-08-14'),
  })
  expectWhole(mail, [
    formatMoney(123_456n, 'EUR', language),
    formatDay(day('2026-07-01'), language),
    formatDay(day('2026-08-14'), language),
    GROUPED,
  ])
})

test.each(LANGUAGES)('repaid, in %s', language => {
  const repaid = { ...loan(language), repaid_on: day('2026-08-14') }
  const open = repaidMail({ ...repaid, interest_due: 2_778n })
  expectWhole(open, [
    formatMoney(123_456n, 'EUR', language),
    formatMoney(2_778n, 'EUR', language),
    formatDay(day('2026-08-14'), language),
  ])
  const closed = repaidMail({ ...repaid, interest_due: 0n })
  expectWhole(closed, [formatMoney(123_456n, 'EUR', language)])
  expect(closed.text).not.toContain(formatMoney(0n, 'EUR', language))
})

test('a reference with line breaks cannot add a header to the mail', () => {
  const reference = 'X\r\nBcc: somebody@example.com'
  const mail = repaidMail({
    ...loan('en'),
    loan_reference: reference,
    repaid_on: day('2026-08-14'),
    interest_due: 0n,
  })
  expect(mail.subject).not.toMatch(/[\r\n]/)
})
