/** The mails in every language. */
import { LANGUAGES } from '@headroom/contract'
import { expect, test } from 'vitest'
import {
  billSentMail,
  billWithdrawnMail,
  contractReadyMail,
  creditNoteMail,
  debitAnnouncedMail,
  installmentLateMail,
  type Language,
  lateMail,
  type Mail,
  mandateEndedMail,
  payoutDoneMail,
  planBrokenMail,
  refundReclaimedMail,
  repaidMail,
  revenueShareMail,
  termsSignedMail,
  toTransferMail,
} from '../../src/integrations/documents/index.ts'
import { day, formatDay } from '../../src/platform/kit/dates.ts'
import { formatMoney } from '../../src/platform/kit/money.ts'
import { DEBIT, LENDER, TRANSFER } from './samples.ts'

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

test.each(LANGUAGES)('terms signed, in %s', language => {
  const { lender, recipient } = loan(language)
  const head = { language, lender, recipient }
  const mail = termsSignedMail({ ...head, mandate_reference: 'HR-2026-000123' })
  expectWhole(mail, ['HR-2026-000123'])
  const byTransfer = termsSignedMail({ ...head, mandate_reference: null })
  expectWhole(byTransfer, [])
  expect(byTransfer.text).not.toContain('SEPA')
})

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
  const amends = { number: 'B-2026-000007', issued_on: day('2026-08-03') }
  const replacing = billSentMail({ ...bill(language), payment: TRANSFER, amends })
  expectWhole(replacing, [amends.number, formatDay(amends.issued_on, language), amount])
  const paid = billSentMail({ ...bill(language), to_pay: 0n, payment: TRANSFER })
  expect(paid.text).not.toContain('RF18539007547034')
})

test.each(LANGUAGES)('payout done, in %s', language => {
  const paid = {
    ...loan(language),
    paid_on: day('2026-07-01'),
    iban: IBAN,
    to_repay_at: day('2026-08-14'),
    bears_interest: true,
  }
  const mail = payoutDoneMail({ ...paid, transfer: null })
  expectWhole(mail, [
    formatMoney(123_456n, 'EUR', language),
    formatDay(day('2026-07-01'), language),
    formatDay(day('2026-08-14'), language),
    GROUPED,
  ])
  const dues = [
    { due_on: day('2026-07-31'), amount: 100_000n },
    { due_on: day('2026-08-14'), amount: 23_456n },
  ]
  const transfer = { dues, account_holder: 'Lender', iban: IBAN }
  const by_transfer = payoutDoneMail({ ...paid, transfer })
  const result = dues.flatMap(({ due_on, amount }) => [
    formatMoney(amount, 'EUR', language),
    formatDay(due_on, language),
  ])
  expectWhole(by_transfer, [...result, 'Lender', 'RF18539007547034'])
})

test.each(LANGUAGES)('repaid, in %s', language => {
  const repaid = { ...loan(language), repaid_on: day('2026-08-14') }
  const open = repaidMail({ ...repaid, interest_on_bills: 0n, interest_to_bill: 2_778n })
  expectWhole(open, [
    formatMoney(123_456n, 'EUR', language),
    formatMoney(2_778n, 'EUR', language),
    formatDay(day('2026-08-14'), language),
  ])
  const closed = repaidMail({ ...repaid, interest_on_bills: 0n, interest_to_bill: 0n })
  expectWhole(closed, [formatMoney(123_456n, 'EUR', language)])
  expect(closed.text).not.toContain(formatMoney(0n, 'EUR', language))
})

test('a reference with line breaks cannot add a header to the mail', () => {
  const reference = 'X\r\nBcc: somebody@example.com'
  const mail = repaidMail({
    ...loan('en'),
    loan_reference: reference,
    repaid_on: day('2026-08-14'),
    interest_on_bills: 0n,
    interest_to_bill: 0n,
  })
  expect(mail.subject).not.toMatch(/[\r\n]/)
})

test.each(LANGUAGES)('upcoming debit, in %s', language => {
  const mail = debitAnnouncedMail({
    ...loan(language),
    debited: 'loan',
    reference: 'RF18',
    debit_on: day('2026-08-14'),
    debtor_iban: IBAN,
    mandate_reference: 'M-0042',
    creditor_identifier: 'FR72ZZZ123456',
  })
  const amount = formatMoney(123_456n, 'EUR', language)
  const on = formatDay(day('2026-08-14'), language)
  expectWhole(mail, [amount, on, GROUPED, 'M-0042', 'FR72ZZZ123456'])
})

test.each(LANGUAGES)('overdue loan, in %s', language => {
  const late = {
    ...loan(language),
    due_on: day('2026-08-14'),
    days_late: 5,
    interest: 2_778n,
    debits: [],
    suspended: true,
    bears_interest: true,
    account_holder: LENDER.name,
    iban: IBAN,
  }
  const mail = lateMail(late)
  const interest = formatMoney(2_778n, 'EUR', language)
  expectWhole(mail, [formatDay(late.due_on, language), '5', interest, GROUPED])
  const first = lateMail({ ...late, days_late: 1, suspended: false })
  expect(first.text.length).toBeLessThan(mail.text.length)
  const on = day('2026-08-19')
  const part = lateMail({ ...late, debits: [{ on, amount: 100_000n }] })
  const rest = [100_000n, 23_456n].map(cents => formatMoney(cents, 'EUR', language))
  expectWhole(part, [formatDay(on, language), ...rest, GROUPED])
  // An amount that a debit collects in full is not also requested by transfer.
  const all = lateMail({ ...late, debits: [{ on, amount: 123_456n }] })
  expectWhole(all, [formatDay(on, language), formatMoney(123_456n, 'EUR', language)])
  expect(all.text).not.toContain(GROUPED)
})

const PLAN = {
  plan_reference: 'RF25PLAN',
  currency: 'EUR',
  due_on: day('2026-08-14'),
  account_holder: LENDER.name,
}

test.each(LANGUAGES)('overdue installment, in %s', language => {
  const late = { ...head(language), ...PLAN, amount: 40_658n, days_late: 5, iban: IBAN }
  const mail = installmentLateMail(late)
  const money = formatMoney(late.amount, 'EUR', language)
  expectWhole(mail, [formatDay(PLAN.due_on, language), '5', money, 'RF25PLAN', GROUPED])
  expect(installmentLateMail({ ...late, days_late: 1 }).text).not.toBe(mail.text)
})

test.each(LANGUAGES)('broken plan, in %s', language => {
  const money = (cents: bigint) => formatMoney(cents, 'EUR', language)
  const on = (text: string) => formatDay(day(text), language)
  const debt = { owed: 'loan' as const, name: 'RF18539007547034', interest: 3_575n, iban: IBAN }
  const loan = {
    ...debt,
    bears_interest: true,
    reference: debt.name,
    amount: 595_815n,
    due_from: day('2026-07-20'),
    due_until: day('2026-09-20'),
    debits: [{ on: day('2026-09-21'), amount: 100_000n }],
  }
  const bill = {
    ...loan,
    owed: 'bill' as const,
    name: 'HR-2026-000042',
    reference: 'RF99BILL',
    amount: 12_600n,
    interest: 0n,
    bears_interest: false,
    due_until: loan.due_from,
    debits: [{ on: day('2026-08-21'), amount: 12_600n }],
  }
  const broken = { ...head(language), ...PLAN, unpaid: 40_658n, debts: [loan, bill] }
  const mail = planBrokenMail(broken)
  const days = [on('2026-08-14'), `${on('2026-07-20')} – ${on('2026-09-20')}`, on('2026-08-21')]
  const cents = [40_658n, 611_990n, 595_815n, 3_575n, 100_000n, 495_815n, 12_600n].map(money)
  expectWhole(mail, [...days, ...cents, 'HR-2026-000042', GROUPED])
  expect(mail.subject).toContain('RF25PLAN')
  // An amount that a debit collects in full is not also requested by transfer.
  expect(mail.text).not.toContain('RF99BILL')
  const nothing = planBrokenMail({ ...broken, debts: [] })
  expectWhole(nothing, [money(40_658n)])
  expect(nothing.text).not.toContain(money(0n))
})

test.each(LANGUAGES)('ended mandate, in %s', language => {
  const owed = {
    owed: 'loan' as const,
    reference: 'RF18539007547034',
    currency: 'EUR',
    dues: [
      { due_on: day('2026-08-05'), amount: 123_456n },
      { due_on: day('2026-08-12'), amount: 65_432n },
    ],
    iban: IBAN,
  }
  const ended = {
    ...head(language),
    mandate_reference: 'HDRM-1',
    debtor_iban: IBAN,
    has_method: false,
    account_holder: LENDER.name,
    to_transfer: [owed],
  }
  const refused = mandateEndedMail({ ...ended, because: 'refused' })
  const dues = owed.dues.flatMap(({ amount, due_on }) => [
    formatMoney(amount, 'EUR', language),
    formatDay(due_on, language),
  ])
  expectWhole(refused, ['HDRM-1', GROUPED, owed.reference, ...dues])
  expect(refused.subject).toContain('HDRM-1')
  const unused = mandateEndedMail({ ...ended, because: 'unused' })
  expectWhole(unused, ['36', 'HDRM-1', GROUPED, owed.reference])
  // A borrower with another method and no debt needs to do nothing.
  const idle = mandateEndedMail({ ...ended, because: 'unused', has_method: true, to_transfer: [] })
  expect(idle.text.length).toBeLessThan(unused.text.length)
  expect(idle.text).not.toContain(owed.reference)
})

test.each(LANGUAGES)('bill and fee to transfer, in %s', language => {
  const due_on = day('2026-08-05')
  const dues = [{ due_on, amount: 990n }]
  const money = formatMoney(990n, 'EUR', language)
  for (const owed of ['bill', 'fee'] as const) {
    const debt = { owed, reference: 'RF18DEBT', currency: 'EUR', dues, iban: IBAN }
    const mail = toTransferMail({ ...head(language), account_holder: 'Lender', debt })
    expectWhole(mail, [money, formatDay(due_on, language), 'RF18DEBT', 'Lender', GROUPED])
    expect(mail.subject).toContain('RF18DEBT')
  }
  const debt = { owed: 'bill' as const, reference: 'RF18DEBT', currency: 'EUR', dues, iban: IBAN }
  const given = { ...head(language), account_holder: 'Lender', debt }
  const reopened = toTransferMail({ ...given, is_reopened: true })
  expectWhole(reopened, [money, formatDay(due_on, language), 'RF18DEBT', 'Lender', GROUPED])
  expect(reopened.text).not.toBe(toTransferMail(given).text)
})

test.each(LANGUAGES)('withdrawn bill and revenue share, in %s', language => {
  const { number, period, currency } = bill(language)
  const last = formatDay(period.to, language)
  const withdrawn = billWithdrawnMail({ ...head(language), number, period })
  expectWhole(withdrawn, [number, last])
  expect(withdrawn.subject).toContain(number)
  const shared = revenueShareMail({ ...head(language), period, currency, amount: 2_417n })
  expectWhole(shared, [formatMoney(2_417n, 'EUR', language), last])
  expect(shared.subject).toContain(last)
})

test.each(LANGUAGES)('credit note, in %s', language => {
  const { number, period, currency } = bill(language)
  const given = {
    ...head(language),
    number,
    period,
    currency,
    credit: { unpaid: 0n, set_off: 1_234n, refunds: [], kept: 0n },
  }
  const refund = { amount: 2_417n, on: day('2026-08-05'), iban: IBAN }
  const other = { ...refund, amount: 3_333n }
  const credit = { unpaid: 111n, set_off: 1_234n, refunds: [refund, other], kept: 222n }
  const paidBack = creditNoteMail({ ...given, credit })
  const amounts = [1_234n, 2_417n, 3_333n, 111n, 222n].map(cents =>
    formatMoney(cents, 'EUR', language),
  )
  expectWhole(paidBack, [...amounts, formatDay(refund.on, language), GROUPED])
  expect(paidBack.subject).toContain(number)
  const setOff = creditNoteMail(given)
  expectWhole(setOff, [amounts[0]!])
  expect(setOff.text).not.toContain(GROUPED)
})

test.each(LANGUAGES)('refund owed again, whichever account it was sent to, in %s', language => {
  const due_on = day('2026-09-10')
  const dues = [{ amount: 200_000n, due_on }]
  const account = { account_holder: 'Lender', iban: IBAN }
  const facts = { ...loan(language), dues, ...account, bears_interest: true }
  const money = (cents: bigint) => formatMoney(cents, 'EUR', language)
  const [own, payers, both] = [0n, 123_456n, 23_456n].map(to_others =>
    refundReclaimedMail({ ...facts, to_others }),
  )
  for (const mail of [own!, payers!, both!]) {
    const result = [money(123_456n), money(200_000n), formatDay(due_on, language)]
    expectWhole(mail, [...result, GROUPED, 'RF18539007547034'])
  }
  expect(both!.text).toContain(money(23_456n))
  expect(new Set([own!.text, payers!.text, both!.text]).size).toBe(3)
})
