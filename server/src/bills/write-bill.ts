/** Draws up a bill, for its borrower or its partner, and mails it. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import {
  type BillInput,
  billDocument,
  billSentMail,
  drawPdf,
  lenderOf,
  storeDocuments,
} from '../documents/index.ts'
import { addDays, type Day, daysBetween, max, min, parisDay } from '../kit/dates.ts'
import type { Step } from '../loans/index.ts'
import { queueMails } from '../mails/index.ts'
import { type Payer, payerOfBill } from './parties.ts'
import type { BillRow } from './store.ts'

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

/** Draws up the bill and stores its PDF. */
export async function writeBill(
  tx: Tx,
  bill: BillRow & { invoice_number: string },
): Promise<WrittenBill> {
  const payer = await payerOfBill(tx, bill)
  const input = await inputOf(tx, bill, payer)
  const paper = billDocument(input)
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
      content: await drawPdf(paper),
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
  const { language, lender, number, period, currency, due_on, payment } = input
  const mail = billSentMail({
    ...{ language, lender, number, period, currency, due_on, payment },
    recipient: payer.party.name,
    to_pay: bill.amount - bill.amount_prepaid,
  })
  await queueMails(tx, bill.partner_id, payer.emails, {
    ...mail,
    document_ids: [input.document_id],
  })
  return payer.emails.filter(email => email !== null)
}

async function inputOf(
  tx: Tx,
  bill: BillRow & { invoice_number: string },
  payer: Payer,
): Promise<BillInput> {
  const lines = await readLines(tx, bill)
  const amends = await amendedBy(tx, bill)
  const mark_up = lines.reduce((sum, line) => sum + line.mark_up, 0n)
  return {
    document_id: tx.newId(),
    issued_on: tx.today,
    language: payer.language,
    lender: lenderOf(tx.settings.lender),
    number: bill.invoice_number,
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
  const { lender } = tx.settings
  return {
    method: 'SCT',
    iban: lender.collection_iban,
    bic: lender.collection_bic,
    account_holder: lender.name,
    reference: bill.reference,
  }
}
