/** Who a transfer pays: the loan whose account it was sent to, or those it names; no guess. */
import { sql } from 'kysely'
import { type Actor, birth, recordBirths } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { findReferences } from '../kit/reference.ts'
import {
  collectionAccount,
  ibanAccount,
  loansOfTerms,
  lockLoanMoney,
  owedBy,
  repayLoan,
  termsNamed,
} from '../loans/index.ts'
import {
  type BankNewsRow,
  insertPayments,
  lockPayments,
  type PaymentRow,
  suspend,
} from '../payments/index.ts'
import type { Transfer } from '../ports/bank.ts'
import { payBill } from './pay-bill.ts'

interface Named {
  kind: 'loan' | 'bill'
  id: string
  partner_id: string
  borrower_id: string | null
  status: string
}

/** What comes before a loan's payout takes effect with it; a bill can be paid once it was sent. */
const PAYABLE = [
  ...['VALIDATED', 'SCHEDULED', 'INITIATED', 'TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'],
  // A bill VALIDATED waits for its partner to send it: who has its reference may pay it.
  ...['VALIDATED', 'SENT_TO_PAYER', 'TO_PAY', 'PAID'],
]

/** Books a transfer: bills first, then loans by due date; what is left is given back. */
export async function attributeTransfer(
  tx: Tx,
  { news }: { news: BankNewsRow },
  actor: Actor,
): Promise<void> {
  const transfer = news.raw as unknown as Transfer
  const found = await findPaid(tx, transfer)
  // Read again under the locks: what is divided must not change meanwhile.
  await lockNamed(tx, found)
  const named = await findPaid(tx, transfer)
  const reason = doubt(named)
  if (reason) {
    await suspend(tx, news, reason, news.amount)
    return
  }
  const payment = await receivePayment(tx, actor, news, transfer, named)
  let left = news.amount
  for (const [index, thing] of named.entries()) {
    const last = index === named.length - 1
    const owed = await owedBy(tx, thing, news.value_on)
    const share = last || left < owed ? left : owed
    if (share === 0n) continue
    left -= share
    if (thing.kind === 'bill') await payBill(tx, actor, thing.id, payment, share, news.value_on)
    else {
      const paid = { amount: share, value_on: news.value_on, kind: 'REPAYMENT' as const }
      await repayLoan(tx, actor, thing.id, payment, paid)
    }
  }
}

/** Locks the money of all loans that are named, by themselves or through their bills. */
async function lockNamed(tx: Tx, named: readonly Named[]): Promise<void> {
  const ids = (kind: Named['kind']) => named.filter(n => n.kind === kind).map(n => n.id)
  const billed = await tx.all(sql<{ loan_id: string }>`
    select distinct loan_id from bill_lines where bill_id = any(${ids('bill')}::uuid[])`)
  await lockLoanMoney(tx, [...ids('loan'), ...billed.map(line => line.loan_id)])
}

/** Why money is not attributed for certain, or null. */
function doubt(named: readonly Named[]): string | null {
  if (named.length === 0) return 'no known reference'
  if (new Set(named.map(n => n.partner_id)).size > 1) return 'names loans of several partners'
  const closed = named.find(n => !PAYABLE.includes(n.status))
  return closed ? `${closed.kind} ${closed.id} is ${closed.status}` : null
}

/** A loan that has the account paid to for its own; else what the text names. */
async function findPaid(tx: Tx, { to_iban, reference }: Transfer): Promise<Named[]> {
  if (to_iban !== collectionAccount(tx.settings.lender).account_number) {
    const own = await tx.all(sql<Named>`
      select 'loan' as kind, id, partner_id, borrower_id, status from loans
      where loan_type = 'INVOICE_BASED_FINANCING' and repayment_iban = ${to_iban}`)
    if (own.length > 0) return own
  }
  return findNamed(tx, reference ?? '')
}

/**
 * What the text names: bills and loans by their references (that of a bill which was replaced
 * means what replaces it, also before that is sent), loans by the reference of repayment terms,
 * or by a credit line's contract number
 * all open loans of that borrower, earliest contractual date first.
 */
async function findNamed(tx: Tx, text: string): Promise<Named[]> {
  const references = findReferences(text)
  const by_terms = await loansOfTerms(tx, references)
  const exact = await tx.all(sql<Named>`
    (select 'bill' as kind, v.id, v.partner_id, v.borrower_id,
        case when v.amends_bill_id is null then v.status else 'TO_PAY' end as status
      from bills v where v.status <> 'INVALID' and exists (select from bills b
        where b.reference = any(${references}::text[])
          and b.payer_id = v.payer_id and b.period_from = v.period_from)
      order by v.due_on, v.id)
    union all
    (select 'loan' as kind, id, partner_id, borrower_id, status from loans
      where id in (select id from loans where repayment_reference = any(${references}::text[])
        union all select unnest(${by_terms}::uuid[])) order by to_repay_on, id)`)
  if (exact.length > 0) return exact
  const words = text.toUpperCase().split(/[^A-Z0-9-]+/)
  return tx.all(sql<Named>`
    select 'loan' as kind, o.id, o.partner_id, o.borrower_id, o.status from loans o
    join credit_lines l on l.id = o.credit_line_id
    where l.contract_number = any(${words}::text[]) and o.status in ('TO_REPAY', 'TO_REPAY_FEES')
    order by o.contractual_repayment_on, o.id`)
}

async function receivePayment(
  tx: Tx,
  actor: Actor,
  news: BankNewsRow,
  transfer: Transfer,
  named: readonly Named[],
): Promise<PaymentRow> {
  const [first] = named
  const one = named.length === 1 ? first! : null
  const born = birth('payment', ['receive'])
  const id = tx.newId()
  const from = transfer.from_iban
  await insertPayments(tx, [
    {
      id,
      partner_id: first!.partner_id,
      borrower_id: named.every(n => n.borrower_id === first!.borrower_id)
        ? first!.borrower_id
        : null,
      terms_id: await termsNamed(tx, findReferences(transfer.reference ?? '')),
      payment_type: named.every(n => n.kind === 'bill') ? 'REPAYMENT_FEES' : 'REPAYMENT_NOMINAL',
      payment_method: 'SCT',
      direction: 'IN',
      status: born.status,
      amount: news.amount,
      currency: 'EUR',
      from_account: from ? ibanAccount(from, null, transfer.from_name ?? undefined) : null,
      to_account: { ...collectionAccount(tx.settings.lender), account_number: transfer.to_iban },
      from_references: transfer.reference ? [transfer.reference] : [],
      loan_id: one?.kind === 'loan' ? one.id : null,
      bill_id: one?.kind === 'bill' ? one.id : null,
      scheduled_on: news.value_on,
      paid_on: news.value_on,
      paid_at: tx.now,
      bank_reference: news.bank_reference,
      created_at: tx.now,
      updated_at: tx.now,
    },
  ])
  await recordBirths(tx, actor, [{ id, partner_id: first!.partner_id, birth: born }])
  const [payment] = await lockPayments(tx, [id])
  return payment!
}
