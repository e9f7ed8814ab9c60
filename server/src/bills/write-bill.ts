/** Draws up a bill and mails it to its payer. */
import { sql } from 'kysely'
import { type BorrowerRow, partyOf } from '../borrowers/index.ts'
import type { Tx } from '../db/transaction.ts'
import {
  type BillInput,
  billDocument,
  billSentMail,
  drawPdf,
  type Language,
  lenderOf,
  storeDocuments,
} from '../documents/index.ts'
import { addDays, type Day, daysBetween, max, min, parisDay } from '../kit/dates.ts'
import type { Step } from '../loans/index.ts'
import { queueMails } from '../mails/index.ts'
import type { BillRow } from './store.ts'

interface Line {
  reference: string
  rate_ppm: number
  amount: bigint
  /** Null when the loan's payout came back. */
  steps: { from_on: Day; principal: string }[] | null
}

/** Stores the PDF, queues its mail and answers the document's id. */
export async function writeBill(
  tx: Tx,
  bill: BillRow & { invoice_number: string },
): Promise<string> {
  const borrower = await tx.one(sql<BorrowerRow>`
    select * from borrowers where id = ${bill.borrower_id}`)
  const lines = await tx.all(sql<Line>`
    select o.repayment_reference as reference, o.rate_ppm, l.amount,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
        order by s.from_on) from loan_principal_steps s where s.loan_id = o.id) as steps
    from bill_lines l join loans o on o.id = l.loan_id
    where l.bill_id = ${bill.id} order by o.paid_out_on, o.id`)
  const id = tx.newId()
  const language = borrower.preferred_language as Language
  const payment = await routeOf(tx, bill)
  const prepaid = bill.amount_prepaid
  const amends = await amendedBy(tx, bill)
  const input: BillInput = {
    document_id: id,
    issued_on: tx.today,
    language,
    lender: lenderOf(tx.settings.lender),
    number: bill.invoice_number,
    payer: partyOf(borrower),
    currency: bill.currency,
    period: { from: bill.period_from, to: bill.period_to },
    rate_ppm: lines[0]?.rate_ppm ?? 0,
    lines: lines.map(line => ({
      loan_reference: line.reference,
      segments: segmentsOf(line, bill),
      interest: line.amount,
    })),
    extras: [],
    total: bill.amount,
    prepaid,
    due_on: bill.due_on,
    payment,
    ...(amends && { amends }),
  }
  const paper = billDocument(input)
  await storeDocuments(tx, [
    {
      id,
      kind: 'BILL',
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      bill_id: bill.id,
      country: borrower.country,
      language,
      title: paper.title,
      content: await drawPdf(paper),
    },
  ])
  const mail = billSentMail({
    language,
    lender: input.lender,
    recipient: borrower.name,
    number: bill.invoice_number,
    period: input.period,
    to_pay: bill.amount - prepaid,
    currency: bill.currency,
    due_on: bill.due_on,
    payment,
  })
  await queueMails(tx, bill.partner_id, [borrower.business_email], { ...mail, document_ids: [id] })
  return id
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
    where id = ${bill.amends_bill_id} and invoice_number is not null`)
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
