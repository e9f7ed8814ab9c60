/** Composes the mails about documents and payments, as subject and plain text. */
import { type Day, formatDay } from '../../platform/kit/dates.ts'
import { formatMoney } from '../../platform/kit/money.ts'
import { amendsText } from './bill.ts'
import { formatIban, typeset } from './format.ts'
import type {
  AmendmentMailInput,
  BillMailInput,
  BillWithdrawnMailInput,
  ContractMailInput,
  CreditMailInput,
  DebitMailInput,
  Due,
  InstallmentLateMailInput,
  LateMailInput,
  Mail,
  MailHead,
  MandateEndedMailInput,
  PayoutMailInput,
  PlanBrokenMailInput,
  PostponedMailInput,
  RefundReclaimedMailInput,
  ReopenedDebt,
  RepaidMailInput,
  RevenueShareMailInput,
  TermsSignedMailInput,
  ToTransfer,
  ToTransferMailInput,
} from './mail-types.ts'
import { TEXTS as BILLS } from './texts/bill/index.ts'
import { COMMON } from './texts/common.ts'
import { TEXTS } from './texts/mails/index.ts'
import type { MailTexts } from './texts/mails/keys.ts'
import type { Language } from './types.ts'

type Fact = [label: string, value: string]

/** The company has signed online. The terms, and the mandate if there is one, are attached. */
export function termsSignedMail(input: TermsSignedMailInput): Mail {
  const { lender, mandate_reference } = input
  const t = TEXTS[input.language].terms_signed
  const mandate = mandate_reference === null ? [] : [t.mandate(mandate_reference)]
  return compose(input, t.subject(lender.name), [t.body, ...mandate])
}

/** The loan is approved. The agreement is attached. */
export function contractReadyMail(input: ContractMailInput): Mail {
  const { language, currency } = input
  const t = TEXTS[language]
  const facts: Fact[] = [
    [t.labels.loan, input.loan_reference],
    [t.labels.amount, formatMoney(input.amount, currency, language)],
    [t.labels.payout_on, formatDay(input.to_pay_at, language)],
    [t.labels.repay_on, formatDay(input.to_repay_at, language)],
    [t.labels.interest_estimated, formatMoney(input.interest_estimated, currency, language)],
  ]
  return compose(input, t.contract_ready.subject(input.loan_reference), [
    t.contract_ready.body,
    facts,
  ])
}

/** An installment plan now repays the loan. The amended agreement is attached. */
export function contractAmendedMail(input: AmendmentMailInput): Mail {
  const { language, currency, loan_reference, first_due_on, last_due_on } = input
  const t = TEXTS[language]
  const [first, last] = [formatDay(first_due_on, language), formatDay(last_due_on, language)]
  const facts: Fact[] = [
    [t.labels.loan, loan_reference],
    [t.labels.amount, formatMoney(input.amount, currency, language)],
    [t.labels.due_on, first === last ? first : `${first} – ${last}`],
  ]
  return compose(input, t.contract_amended.subject(loan_reference), [
    t.contract_amended.body(input.installments),
    facts,
  ])
}

/** A bill was issued: how to pay it. The bill is attached. */
export function billSentMail(input: BillMailInput): Mail {
  const { language } = input
  const t = TEXTS[language]
  const span = spanOf(input)
  const facts: Fact[] = [
    [t.labels.bill, input.number],
    [t.labels.to_pay, formatMoney(input.to_pay, input.currency, language)],
    [t.labels.due_on, formatDay(input.due_on, language)],
  ]
  const subject = t.bill_sent.subject(input.number, span)
  return compose(input, subject, [
    t.bill_sent.body(span),
    ...amended(input),
    facts,
    ...billPayment(input, t),
  ])
}

/** A credit note was issued: how its amount is used. The note is attached. */
export function creditNoteMail(input: CreditMailInput): Mail {
  const { language, currency, number, credit } = input
  const t = TEXTS[language].credit_note
  const span = spanOf(input)
  const money = (cents: bigint) => formatMoney(cents, currency, language)
  return compose(input, t.subject(number, span), [
    t.body(span),
    ...amended(input),
    ...(['unpaid', 'set_off', 'kept'] as const).flatMap(use =>
      credit[use] > 0n ? [t[use](money(credit[use]))] : [],
    ),
    ...credit.refunds.map(({ amount, on, iban }) =>
      t.refund(money(amount), formatDay(on, language), formatIban(iban)),
    ),
  ])
}

function amended({ amends, language }: BillMailInput | CreditMailInput): string[] {
  return amends ? [amendsText(amends, language)] : []
}

export function billWithdrawnMail(input: BillWithdrawnMailInput): Mail {
  const { language, number } = input
  const t = TEXTS[language].bill_withdrawn
  return compose(input, t.subject(number), [t.body(number, spanOf(input))])
}

/** A referrer's share of a month's interest, to be invoiced by the referrer. */
export function revenueShareMail(input: RevenueShareMailInput): Mail {
  const { language, amount, currency, period } = input
  const t = TEXTS[language].revenue_share
  const money = formatMoney(amount, currency, language)
  return compose(input, t.subject(spanOf(input)), [t.body(money, formatDay(period.to, language))])
}

function spanOf({ language, period }: { language: Language; period: { from: Day; to: Day } }) {
  const from = formatDay(period.from, language)
  return BILLS[language].from_to(from, formatDay(period.to, language))
}

/** The payout has arrived. States how to repay the loan if no debit collects it. */
export function payoutDoneMail(input: PayoutMailInput): Mail {
  const { language, transfer, loan_reference } = input
  const t = TEXTS[language]
  const amount = formatMoney(input.amount, input.currency, language)
  const paid: Fact[] = [
    [t.labels.loan, loan_reference],
    [t.labels.account, formatIban(input.iban)],
  ]
  const repaid: Fact = [t.labels.repay_on, formatDay(input.to_repay_at, language)]
  return compose(input, t.payout_done.subject(loan_reference), [
    sentences(
      t.payout_done.body(amount, formatDay(input.paid_on, language)),
      input.bears_interest && t.payout_done.interest,
    ),
    transfer ? paid : [...paid, repaid],
    ...(transfer
      ? [
          t.payout_done.transfer,
          [
            ...dueFacts(input, transfer.dues),
            ...payeeFacts(language, { ...transfer, reference: loan_reference }),
          ],
        ]
      : []),
  ])
}

/** The principal is repaid. Interest may remain, billed or yet to be billed. */
export function repaidMail(input: RepaidMailInput): Mail {
  const { language, currency } = input
  const t = TEXTS[language]
  const amount = formatMoney(input.amount, currency, language)
  const { interest_on_bills: billed, interest_to_bill: open } = input
  const owed = [
    ...(billed > 0n ? [t.repaid.billed(formatMoney(billed, currency, language))] : []),
    ...(open > 0n ? [t.repaid.interest(formatMoney(open, currency, language))] : []),
  ]
  return compose(input, t.repaid.subject(input.loan_reference), [
    t.repaid.body(amount, formatDay(input.repaid_on, language)),
    owed.length > 0 ? owed.join(' ') : t.repaid.closed,
  ])
}

/** The due date was postponed as agreed. */
export function postponedMail(input: PostponedMailInput): Mail {
  const { language } = input
  const t = TEXTS[language]
  const day = formatDay(input.to_repay_at, language)
  return compose(input, t.postponed.subject(input.loan_reference), [
    sentences(
      t.postponed.body(formatDay(input.before, language), day),
      input.bears_interest && t.interest_runs,
      t.postponed.once,
    ),
    [
      [t.labels.loan, input.loan_reference],
      [t.labels.to_pay, formatMoney(input.amount, input.currency, language)],
      [t.labels.repay_on, day],
    ],
  ])
}

/** A direct debit is coming: its amount and date (pre-notification). */
export function debitAnnouncedMail(input: DebitMailInput): Mail {
  const { language, debited, reference } = input
  const t = TEXTS[language]
  const amount = formatMoney(input.amount, input.currency, language)
  return compose(input, t.debit_announced[debited](reference), [
    t.debit_announced.body(amount, formatDay(input.debit_on, language)),
    [
      [t.labels[debited], reference],
      [t.labels.account, formatIban(input.debtor_iban)],
      [t.labels.mandate, input.mandate_reference],
      [t.labels.creditor, input.creditor_identifier],
    ],
  ])
}

/** A mandate has ended: asks for a new method if none is active, and lists what to transfer. */
export function mandateEndedMail(input: MandateEndedMailInput): Mail {
  const { language, because, mandate_reference, has_method, to_transfer } = input
  const t = TEXTS[language]
  const words = t.mandate_ended
  return compose(input, words.subject(mandate_reference), [
    words[because](mandate_reference, formatIban(input.debtor_iban)),
    ...(has_method ? [] : [words.set_up]),
    ...(to_transfer.length > 0 ? [words.transfer] : []),
    ...to_transfer.map(debt => transferFacts(input, debt)),
  ])
}

/** No debit collects a bill or monthly fee: how to pay it by transfer. */
export function toTransferMail(input: ToTransferMailInput): Mail {
  const { language, debt, is_reopened } = input
  const { bill, [debt.owed]: t } = TEXTS[language].to_transfer
  const body = is_reopened ? bill.reopened : t.body
  return compose(input, t.subject(debt.reference), [body, transferFacts(input, debt)])
}

function transferFacts(
  { language, account_holder }: { language: Language; account_holder: string },
  { owed, reference, currency, dues, iban }: ToTransfer,
): Fact[] {
  return [
    [TEXTS[language].labels[owed], reference],
    ...dueFacts({ language, currency }, dues),
    ...payeeFacts(language, { account_holder, iban, reference }),
  ]
}

function payeeFacts(
  language: Language,
  to: { account_holder: string; iban: string; reference: string },
): Fact[] {
  const common = COMMON[language]
  return [
    [common.account_holder, to.account_holder],
    [common.iban, formatIban(to.iban)],
    [common.reference, to.reference],
  ]
}

function dueFacts(
  { language, currency }: { language: Language; currency: string },
  dues: readonly Due[],
): Fact[] {
  const { labels } = TEXTS[language]
  return dues.flatMap(({ due_on, amount }): Fact[] => [
    [labels.to_pay, formatMoney(amount, currency, language)],
    [labels.due_on, formatDay(due_on, language)],
  ])
}

/** A payment was returned after the refund of its surplus, so the refunded amount is owed again. */
export function refundReclaimedMail(input: RefundReclaimedMailInput): Mail {
  const { language, currency } = input
  const t = TEXTS[language].refund_reclaimed
  const money = (cents: bigint) => formatMoney(cents, currency, language)
  const { amount, to_others, dues } = input
  return compose(input, t.subject(input.loan_reference), [
    sentences(
      t.body(money(amount), formatDay(dues[0]!.due_on, language)),
      input.bears_interest && t.interest,
      to_others === 0n ? t.to_you : to_others === amount ? t.to_payer : t.to_both(money(to_others)),
    ),
    t.transfer,
    [
      ...dueFacts(input, dues),
      ...payeeFacts(language, { ...input, reference: input.loan_reference }),
    ],
  ])
}

/** The loan is overdue: the amount owed, its upcoming debits, and where to pay the rest. */
export function lateMail(input: LateMailInput): Mail {
  const { language, currency, amount, debits } = input
  const t = TEXTS[language]
  const money = (cents: bigint) => formatMoney(cents, currency, language)
  const rest = amount - debits.reduce((sum, debit) => sum + debit.amount, 0n)
  const is_debited = debits.length > 0 && rest <= 0n
  const to_transfer: Fact[] = debits.length > 0 ? [[t.labels.to_transfer, money(rest)]] : []
  return compose(input, t.late.subject(input.loan_reference), [
    sentences(
      t.late.body(formatDay(input.due_on, language), input.days_late),
      input.bears_interest && t.interest_runs,
    ),
    ...(input.suspended ? [t.late.suspended] : []),
    is_debited ? t.late.debited : t.late.transfer,
    [
      [t.labels.to_pay, money(amount)],
      [t.labels.interest, money(input.interest)],
      ...debits.map(
        (debit): Fact => [
          t.labels.debit,
          `${money(debit.amount)}, ${formatDay(debit.on, language)}`,
        ],
      ),
      ...(is_debited
        ? []
        : [...to_transfer, ...payeeFacts(language, { ...input, reference: input.loan_reference })]),
    ],
  ])
}

/** Installments of a plan are overdue: their unpaid total and how to pay it. */
export function installmentLateMail(input: InstallmentLateMailInput): Mail {
  const { language, plan_reference } = input
  const { installment_late: t, labels } = TEXTS[language]
  return compose(input, t.subject(plan_reference), [
    t.body(formatDay(input.due_on, language), input.days_late),
    t.breaks,
    t.transfer,
    [
      [labels.to_pay, formatMoney(input.amount, input.currency, language)],
      ...payeeFacts(language, { ...input, reference: plan_reference }),
    ],
  ])
}

/** The plan has ended because an installment was not paid: what is owed now, and how to pay it. */
export function planBrokenMail(input: PlanBrokenMailInput): Mail {
  const { language, currency, debts } = input
  const { plan_broken: t, interest_runs } = TEXTS[language]
  const money = (cents: bigint) => formatMoney(cents, currency, language)
  const [runs, is_unbilled] = [
    debts.some(debt => debt.bears_interest),
    debts.some(debt => debt.interest > 0n),
  ]
  const interest = sentences(runs && interest_runs, (runs || is_unbilled) && t.to_bill)
  const total = debts.reduce((sum, debt) => sum + debt.amount + debt.interest, 0n)
  const owed =
    total > 0n
      ? [t.total(money(total)), ...debts.map(debt => debtFacts(input, debt)), interest]
      : [t.nothing]
  return compose(input, t.subject(input.plan_reference), [
    t.body(money(input.unpaid), formatDay(input.due_on, language)),
    t.stop,
    ...owed.filter(part => part !== ''),
  ])
}

/** The amount of a debt, its upcoming debits, and how to transfer what they do not cover. */
function debtFacts(
  { language, currency, account_holder }: PlanBrokenMailInput,
  debt: ReopenedDebt,
): Fact[] {
  const { labels } = TEXTS[language]
  const money = (cents: bigint) => formatMoney(cents, currency, language)
  const [from, until] = [formatDay(debt.due_from, language), formatDay(debt.due_until, language)]
  const is_loan = debt.owed === 'loan'
  const debited = debt.debits.reduce((sum, debit) => sum + debit.amount, 0n)
  const facts: Fact[] = [
    [labels[debt.owed], debt.name],
    [is_loan ? labels.principal : labels.to_pay, money(debt.amount)],
  ]
  if (is_loan) facts.push([labels.unbilled, money(debt.interest)])
  if (debt.amount <= 0n) return facts
  facts.push([labels.due_on, from === until ? from : `${from} – ${until}`])
  for (const { on, amount } of debt.debits) {
    facts.push([labels.debit, `${money(amount)}, ${formatDay(on, language)}`])
  }
  if (debt.amount <= debited) return facts
  const { iban, reference } = debt
  return [
    ...facts,
    [labels.to_transfer, money(debt.amount - debited)],
    ...payeeFacts(language, { account_holder, iban, reference }),
  ]
}

function billPayment(input: BillMailInput, t: MailTexts): (string | Fact[])[] {
  const { language, payment } = input
  const words = t.bill_sent
  if (input.to_pay <= 0n) return [words.nothing]
  if (payment.method === 'PLAN') return [words.plan]
  if (payment.method === 'SCT') {
    return [words.transfer(formatDay(input.due_on, language)), payeeFacts(language, payment)]
  }
  const day = formatDay(payment.debit_on, language)
  if (payment.method === 'P2P') return [words.wallet(day)]
  const amount = formatMoney(input.to_pay, input.currency, language)
  return [words.debited(amount, day, payment.mandate_reference)]
}

function sentences(...parts: readonly (string | false)[]): string {
  return parts.filter(part => part !== false).join(' ')
}

/** Greeting, paragraphs and lists of facts separated by blank lines, then the sender. */
function compose(head: MailHead, subject: string, parts: (string | Fact[])[]): Mail {
  const { language, lender } = head
  const t = TEXTS[language]
  const colon = language === 'fr' ? '\u00A0:' : ':'
  const body = parts.map(part =>
    typeof part === 'string'
      ? typeset(part, language)
      : part.map(([label, value]) => `${label}${colon} ${value}`).join('\n'),
  )
  const sections = [
    typeset(t.greeting(head.recipient), language),
    ...body,
    typeset(t.questions(lender.email), language),
    `${t.closing}\n${lender.name}`,
  ]
  return { subject: oneLine(subject), text: `${sections.join('\n\n')}\n` }
}

/** The subject on one line: a line break in a mail header would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
