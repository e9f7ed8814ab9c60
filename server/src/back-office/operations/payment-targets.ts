/** Finds debts that an unmatched payment may be for. */
import type { PaymentTarget, Status } from '@headroom/contract'
import { sql } from 'kysely'
import { isUnsuccessful } from '../../money/payments/index.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { likePattern } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { electronicForm } from '../../platform/kit/reference.ts'

const FOUND_MAX = 30
const COMPANIES_MAX = 50

interface Row {
  id: string
  kind: PaymentTarget['kind']
  status: Status<'loan' | 'bill' | 'installment'> | 'OWED'
  partner: string
  payer: string | null
  reference: string | null
  owed: bigint
  due_on: Day
}

/**
 * Debts (loans, bills, installments, fees) with this id or reference, or whose borrower has this
 * number or name. Returns at most `FOUND_MAX`, the earliest due date first.
 */
export async function findTargets(tx: Tx, query: string): Promise<PaymentTarget[]> {
  const text = query.trim()
  const reference = electronicForm(text)
  const rows = await tx.all(sql<Row>`
    with companies as (
      select id from borrowers
      where identifier = ${text} or name ilike ${likePattern(text)} limit ${COMPANIES_MAX}),
    found as (
      select l.id, 'loan' as kind, l.status, l.partner_id, l.borrower_id,
        l.repayment_reference as reference, l.principal_outstanding as owed,
        l.falls_due_on as due_on
      from loans l where l.status in ('TO_REPAY', 'TO_REPAY_FEES')
        and (l.id::text = ${text} or ${haveNames('l', 'reference', [reference])}
          or l.borrower_id in (select id from companies))
      union all
      select b.id, 'bill', b.status, b.partner_id, b.borrower_id, b.reference,
        b.amount - b.amount_paid, b.due_on
      from bills b where b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY')
        and (b.id::text = ${text} or ${haveNames('b', 'reference', [reference])}
          or ${haveNames('b', 'bill_number', [text])}
          or b.borrower_id in (select id from companies))
      union all
      select i.id, 'installment', i.status, i.partner_id, p.borrower_id, i.reference,
        (select coalesce(sum(n.amount - n.paid), 0)::bigint from installment_parts n
          where n.partner_id = i.partner_id and n.installment_id = i.id), i.due_on
      from plan_installments i
      join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id
      where i.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED')
        and (i.id::text = ${text} or ${haveNames('i', 'reference', [reference])}
          or p.borrower_id in (select id from companies))
      union all
      select f.id, 'fee', 'OWED', f.partner_id, s.borrower_id, f.reference, f.amount, f.month
      from subscription_fees f
      join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
      left join payments y on y.partner_id = f.partner_id and y.id = f.payment_id
      where (y.id is null or ${isUnsuccessful('y')})
        and (f.id::text = ${text} or ${haveNames('f', 'reference', [reference])}
          or s.borrower_id in (select id from companies)))
    select f.*, p.name as partner, coalesce(b.name, b.identifier) as payer
    from found f join partners p on p.id = f.partner_id
    left join borrowers b on b.partner_id = f.partner_id and b.id = f.borrower_id
    order by f.due_on, f.id limit ${FOUND_MAX}`)
  return rows.map(({ id, kind, status, partner, payer, reference, owed, due_on }) => ({
    id,
    kind,
    status,
    partner,
    reference,
    // A bill without a borrower is the partner's own.
    payer: payer ?? partner,
    owed: toWire(owed),
    due_at: wireDay(due_on),
  }))
}
