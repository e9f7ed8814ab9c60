/** Mails a borrower that a mandate has ended, with the debts to transfer and the next steps. */
import { type RawBuilder, sql } from 'kysely'
import { lockExposure } from '../../companies/credit-lines/index.ts'
import {
  type Language,
  lenderOf,
  mandateEndedMail,
  type ToTransfer,
} from '../../integrations/documents/index.ts'
import { mailBorrowers } from '../../money/partner-terms/index.ts'
import { isSettled } from '../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { duesOf, type LoanRow } from '../loans/index.ts'
import { feeDueOn } from '../subscriptions/index.ts'

interface MandateMailRow {
  borrower_id: string
  mandate_reference: string
  debtor_iban: string
  recipient: string
  language: Language
  has_method: boolean
}

/**
 * Mails the borrower of an ended mandate. A deactivated borrower owes nothing and has nothing to
 * set up, so it gets no mail.
 */
export async function mailEndedMandate(
  tx: Tx,
  fact: {
    partner_id: string
    mandate_id: string
    because: 'refused' | 'unused' | 'deactivated'
  },
): Promise<void> {
  const { partner_id, mandate_id, because } = fact
  if (because === 'deactivated') return
  const { borrower_id, ...mandate } = await tx.one(sql<MandateMailRow>`
    select m.borrower_id, m.reference as mandate_reference, m.iban as debtor_iban,
      b.name as recipient, b.preferred_language as language,
      exists (select from repayment_methods r
        where r.partner_id = b.partner_id and r.borrower_id = b.id
          and r.status = 'READY') as has_method
    from mandates m join borrowers b on b.partner_id = m.partner_id and b.id = m.borrower_id
    where m.partner_id = ${partner_id} and m.id = ${mandate_id}`)
  // The lock orders this mail and a concurrent return of a debit. A return booked before is
  // included here; a return booked afterwards finds the mandate ended and sends its own mail.
  const borrower = { partner_id, id: borrower_id }
  await lockExposure(tx, [partner_id], [borrower])
  const { lender } = tx.settings
  const mail = mandateEndedMail({
    ...mandate,
    because,
    lender: lenderOf(lender),
    account_holder: lender.name,
    to_transfer: await toTransfer(tx, borrower, mandate_id, lender.collection_iban),
  })
  const draft = { ...mail, document_ids: [] }
  await mailBorrowers(tx, [{ partner_id, borrower_id, also: [], draft: () => draft }])
}

/**
 * Debts of the borrower that no other debit will collect. Of its loans, only those that used this
 * mandate are included. Bills and installments are collected by the main method, and fees by any
 * method that can be debited.
 */
async function toTransfer(
  tx: Tx,
  borrower: RowKey,
  mandate_id: string,
  iban: string,
): Promise<ToTransfer[]> {
  const debts = [
    ...(await loansOf(tx, borrower, mandate_id)),
    ...(await otherDebts(tx, borrower, mandate_id, iban)),
  ]
  const first = ({ dues, reference }: ToTransfer) => `${dues[0]!.due_on} ${reference}`
  return debts.sort((a, b) => (first(a) < first(b) ? -1 : 1))
}

/** Loans that used the mandate and are not settled by a plan, each with its open due dates. */
async function loansOf(tx: Tx, borrower: RowKey, mandate_id: string): Promise<ToTransfer[]> {
  const loans = await tx.all(sql<LoanRow>`
    select * from loans
    where ${haveKeys([borrower], 'loans', 'borrower_id')} and mandate_id = ${mandate_id}
      and status = 'TO_REPAY' and installment_plan_id is null`)
  const dues = await duesOf(tx, loans)
  return loans.map(loan => ({
    owed: 'loan',
    reference: loan.repayment_reference,
    currency: loan.currency,
    iban: loan.repayment_iban,
    dues: dues.get(loan.id)!,
  }))
}

interface OtherDebt {
  owed: 'bill' | 'installment' | 'fee'
  reference: string
  amount: bigint
  currency: string
  /** The due date; for a fee, the first day of its month. */
  day: Day
}

async function otherDebts(
  tx: Tx,
  { partner_id, id: borrower_id }: RowKey,
  mandate_id: string,
  iban: string,
): Promise<ToTransfer[]> {
  const coming = sql`p.direction = 'IN' and p.payment_method <> 'SCT'
    and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
    and p.mandate_id is distinct from ${mandate_id}`
  // Debits that replace the mandate's may not be planned yet, so a debt with another debit source
  // counts as collected. A debit that failed or was returned is not replaced.
  const replaced = (debt: RawBuilder<unknown>, method: RawBuilder<unknown>) => sql`exists (
      select from repayment_methods r
      where r.partner_id = ${partner_id} and r.borrower_id = ${borrower_id}
        and r.status = 'READY' and r.payment_method <> 'SCT' and ${method})
    and not exists (select from payments p where ${debt} and p.direction = 'IN'
      and p.payment_method <> 'SCT' and p.status in ('PAID', 'FAILED'))`
  const [main, any] = [sql`r.is_main`, sql`true`]
  const debts = await tx.all(sql<OtherDebt>`
    select 'bill' as owed, b.reference, b.amount - b.amount_paid as amount, b.currency,
      b.due_on as day
    from bills b
    where b.partner_id = ${partner_id} and b.borrower_id = ${borrower_id}
      and b.status = 'TO_PAY' and b.amount > b.amount_paid and b.installment_plan_id is null
      and not exists (select from payments p
        where p.partner_id = b.partner_id and p.bill_id = b.id and ${coming})
      and not (${replaced(sql`p.partner_id = b.partner_id and p.bill_id = b.id`, main)})
    union all
    select 'installment', i.reference, sum(t.due - least(t.due, t.paid))::bigint, 'EUR', i.due_on
    from installment_plans n
    join plan_installments i on i.partner_id = n.partner_id and i.plan_id = n.id
    join installment_parts t on t.partner_id = i.partner_id and t.installment_id = i.id
    where n.partner_id = ${partner_id} and n.borrower_id = ${borrower_id}
      and n.status in ('SCHEDULED', 'ACTIVE') and n.repayment_method = 'DIRECT_DEBIT'
      and i.status not in ('PAID', 'CANCELED')
      and not exists (select from payments p
        where p.partner_id = i.partner_id and p.installment_id = i.id and ${coming})
      and not (${replaced(
        sql`p.partner_id = i.partner_id and p.installment_id = i.id`,
        sql`${main} and r.wallet_id is null`,
      )})
    group by i.partner_id, i.id having sum(t.due - least(t.due, t.paid)) > 0
    union all
    select 'fee', f.reference, f.amount, 'EUR', f.month
    from subscription_fees f
    join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
    left join payments y on y.partner_id = f.partner_id and y.id = f.payment_id
    where s.partner_id = ${partner_id} and s.borrower_id = ${borrower_id}
      and f.reference is not null
      and not (${replaced(sql`p.partner_id = f.partner_id and p.id = f.payment_id`, any)})
      and not ${isSettled('y')}
      and not exists (select from payments p
        where p.partner_id = f.partner_id and p.id = f.payment_id and ${coming})`)
  return debts.map(({ owed, reference, amount, currency, day }) => {
    const due_on = owed === 'fee' ? feeDueOn(day) : day
    return { owed, reference, currency, iban, dues: [{ due_on, amount }] }
  })
}
