/** Draws up a bill, for its borrower or its partner, and mails it. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import {
  type BillInput,
  billDocument,
  billSentMail,
  type CreditRefund,
  creditNoteMail,
  drawPdf,
  lenderOf,
  storeDocuments,
} from '../../documents/index.ts'
import { addDays, type Day, daysBetween, max, min, parisDay, yearOf } from '../../kit/dates.ts'
import type { Step } from '../../loans/index.ts'
import { queueMails } from '../../mails/index.ts'
import { type Payer, payerOfBill } from '../parties.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import { type BillRow, nextInvoiceNumber } from '../store.ts'

interface Line {
  reference: string
  borrower: string
  rate_ppm: number
  amount: bigint
  mark_up: bigint
  /** Null when the loan's payout came back. */
  steps: { from_on: Day; principal: string }[] | null
}

/** A bill as it was put on paper. */
export interface WrittenBill {
  readonly input: BillInput
  readonly payer: Payer
}

/** A bill on paper, drawn outside of any transaction. */
export interface DrawnBill {
  readonly input: BillInput
  readonly title: string
  readonly content: Buffer
}

/** The bill is not what its paper says any more, but `input`. */
export class OutdatedPaper extends Error {
  readonly input: BillInput

  constructor(input: BillInput) {
    super(`bill ${input.number} has changed since it was drawn`)
    this.input = input
  }
}

/** What a bill would say if it were sent as it is; it is given its number. */
export async function draftBill(tx: Tx, bill: BillRow): Promise<BillInput> {
  return inputOf(tx, bill, await payerOfBill(tx, bill), null)
}

/** What a bill that has its number says by now. */
export async function redraftBill(tx: Tx, bill: BillRow): Promise<BillInput> {
  const issued = { document_id: tx.newId(), number: bill.invoice_number!, total: bill.amount }
  return inputOf(tx, bill, await payerOfBill(tx, bill), issued)
}

/** Draws a bill: a page takes longer than locks may be held. */
export async function drawBill(input: BillInput): Promise<DrawnBill> {
  const paper = billDocument(input)
  return { input, title: paper.title, content: await drawPdf(paper) }
}

/** Stores a bill's PDF. Throws `OutdatedPaper` when it does not say what the locked bill says. */
export async function writeBill(tx: Tx, bill: BillRow, paper: DrawnBill): Promise<WrittenBill> {
  const payer = await payerOfBill(tx, bill)
  const input = await inputOf(tx, bill, payer, paper.input)
  if (!isDeepStrictEqual(input, paper.input)) throw new OutdatedPaper(input)
  const { language, document_id: id } = input
  await storeDocuments(tx, [
    {
      id,
      kind: 'BILL',
      partner_id: bill.partner_id,
      ...(bill.borrower_id && { borrower_id: bill.borrower_id }),
      bill_id: bill.id,
      country: payer.country,
      language,
      title: paper.title,
      content: paper.content,
    },
  ])
  return { input, payer }
}

/** Queues the mail that carries a written bill; answers who it goes to. */
export async function mailBill(
  tx: Tx,
  bill: BillRow,
  { input, payer }: WrittenBill,
): Promise<string[]> {
  const { language, lender, number, period, currency, due_on, payment, refund } = input
  const head = { language, lender, number, period, currency, recipient: payer.party.name }
  const to_pay = bill.amount - bill.amount_prepaid
  const set_off = -bill.amount_prepaid - (refund?.amount ?? 0n)
  const mail =
    bill.amount < 0n && to_pay <= 0n
      ? creditNoteMail({ ...head, set_off, ...(refund && { refund }) })
      : billSentMail({ ...head, due_on, payment, to_pay })
  await queueMails(tx, bill.partner_id, payer.emails, {
    ...mail,
    document_ids: [input.document_id],
  })
  return payer.emails.filter(email => email !== null)
}

/** Whether a partner sends the bills of its loans itself. */
export async function isSentByPartner(tx: Tx, partner_id: string): Promise<boolean> {
  const company = await tx.maybe(sql<{ sends_bills: boolean }>`
    select sends_bills from partner_companies where partner_id = ${partner_id}`)
  return company?.sends_bills ?? false
}

/** One drawn before keeps its id, and its number unless that is of the other series. */
async function inputOf(
  tx: Tx,
  bill: BillRow,
  payer: Payer,
  before: Pick<BillInput, 'document_id' | 'number' | 'total'> | null,
): Promise<BillInput> {
  const is_credit = bill.amount < 0n
  const kept = before !== null && before.total < 0n === is_credit
  const number = kept ? before.number : await nextInvoiceNumber(tx, yearOf(tx.today), is_credit)
  const lines = await readLines(tx, bill)
  const amends = await amendedBy(tx, bill)
  const refund = await refundOf(tx, bill)
  const mark_up = lines.reduce((sum, line) => sum + line.mark_up, 0n)
  return {
    document_id: before?.document_id ?? tx.newId(),
    issued_on: tx.today,
    language: payer.language,
    lender: lenderOf(tx.settings.lender),
    number,
    payer: payer.party,
    currency: bill.currency,
    period: { from: bill.period_from, to: bill.period_to },
    rate_ppm: lines[0]?.rate_ppm ?? 0,
    lines: lines.map(line => ({
      loan_reference: line.reference,
      // A partner is told whose loan it is.
      ...(bill.borrower_id === null && { borrower: line.borrower }),
      segments: segmentsOf(line, bill),
      interest: line.amount - line.mark_up,
    })),
    extras: mark_up === 0n ? [] : [{ kind: 'PARTNER_MARK_UP', amount: mark_up }],
    total: bill.amount,
    prepaid: bill.amount_prepaid,
    due_on: bill.due_on,
    payment: await routeOf(tx, bill),
    ...(amends && { amends }),
    ...(refund && { refund }),
  }
}

async function readLines(tx: Tx, bill: BillRow): Promise<Line[]> {
  return tx.all(sql<Line>`
    select o.repayment_reference as reference, w.name as borrower, o.rate_ppm, l.amount, l.mark_up,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
        order by s.from_on) from loan_principal_steps s where s.loan_id = o.id) as steps
    from bill_lines l join loans o on o.id = l.loan_id join borrowers w on w.id = o.borrower_id
    where l.bill_id = ${bill.id} order by o.paid_out_on, o.id`)
}

/** The stretches of the period with one outstanding principal; both ends counted. */
function segmentsOf(line: Line, bill: BillRow): BillInput['lines'][number]['segments'] {
  const end = addDays(bill.period_to, 1)
  const steps: Step[] = (line.steps ?? []).map(s => ({ ...s, principal: BigInt(s.principal) }))
  return steps.flatMap((step, index) => {
    const from = max(step.from_on, bill.period_from)
    const until = min(steps[index + 1]?.from_on ?? end, end)
    const days = daysBetween(from, until)
    if (days <= 0 || step.principal === 0n) return []
    return [{ from, to: addDays(until, -1), days, outstanding: step.principal }]
  })
}

/** The bill that this one replaces. */
async function amendedBy(tx: Tx, bill: BillRow): Promise<BillInput['amends']> {
  const old = await tx.maybe(sql<{ invoice_number: string; email_sent_at: Date }>`
    select invoice_number, email_sent_at from bills
    where id = ${bill.amends_bill_id} and email_sent_at is not null`)
  return old && { number: old.invoice_number, issued_on: parisDay(old.email_sent_at) }
}

/** The payment that pays back what the bill credits, as it is planned. */
async function refundOf(tx: Tx, bill: BillRow): Promise<CreditRefund | undefined> {
  return tx.maybe(sql<CreditRefund>`
    select p.amount, p.scheduled_on as on, p.to_account->>'account_number' as iban
    from payments p where p.bill_id = ${bill.id} and ${IS_REFUND}`)
}

async function routeOf(tx: Tx, bill: BillRow): Promise<BillInput['payment']> {
  const debit = await tx.maybe(sql<{ reference: string; scheme: 'CORE' | 'B2B'; iban: string }>`
    select d.reference, d.scheme, d.iban from payments p join mandates d on d.id = p.mandate_id
    where p.bill_id = ${bill.id} and p.status <> 'CANCELED' order by p.id desc limit 1`)
  if (debit) {
    return {
      method: 'DIRECT_DEBIT',
      scheme: debit.scheme,
      mandate_reference: debit.reference,
      debtor_iban: debit.iban,
      debit_on: bill.due_on,
    }
  }
  const wallet = await tx.maybe(sql<{ account_number: string }>`
    select w.account_number from payments p join wallets w on w.id = p.wallet_id
    where p.bill_id = ${bill.id} and p.status <> 'CANCELED' order by p.id desc limit 1`)
  if (wallet) return { method: 'P2P', wallet: wallet.account_number, debit_on: bill.due_on }
  const { lender } = tx.settings
  return {
    method: 'SCT',
    iban: lender.collection_iban,
    bic: lender.collection_bic,
    account_holder: lender.name,
    reference: bill.reference,
  }
}
