/** Reads the origin of the money behind a payer's credits. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import { type CreditMovement, type CreditSources, creditSources } from './credit-sources.ts'

/** Reads all interest movements of the payer's credited loans and all refunds of its credits. */
export async function readCreditSources(tx: Tx, payer: RowKey): Promise<CreditSources> {
  const movements = await tx.all(sql<CreditMovement>`
    with notes as (select partner_id, id from bills
      where ${haveKeys([payer], 'bills', 'payer_id')}),
    credits as (select m.* from loan_movements m join notes n
        on n.partner_id = m.partner_id and n.id = m.credit_bill_id
      where m.voided_at is null)
    select loan_id, kind, credit_bill_id, payment_id, revocable_until, account, cents from (
      select m.id, m.loan_id, m.kind, m.credit_bill_id, m.payment_id, m.revocable_until,
        p.from_account as account,
        case m.kind when 'CREDIT' then m.amount else m.interest end as cents
      from loan_movements m
      left join payments p on p.partner_id = m.partner_id and p.id = m.payment_id
      where m.voided_at is null and (m.interest > 0 or m.kind = 'CREDIT')
        and (m.partner_id, m.loan_id) in (select partner_id, loan_id from credits)
      union all
      select p.id, null, 'REFUND', p.bill_id, p.id, null, p.to_account, p.amount
      from payments p join notes n on n.partner_id = p.partner_id and n.id = p.bill_id
      where ${IS_REFUND}) m
    order by id`)
  return creditSources(movements)
}
