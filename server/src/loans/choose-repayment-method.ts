/** Collects a borrower's active loans by another method from now on. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { addTargetDays } from '../kit/calendar.ts'
import { cancelScheduled } from '../payments/index.ts'
import { DEBIT_FREEZE_TARGET_DAYS } from './dates.ts'
import { lockLoanMoney } from './money.ts'
import { planCollection } from './plan-collection.ts'
import { setMethod } from './store.ts'

interface Fact {
  borrower_id: string
  partner_id: string
  repayment_method_id: string
}

interface Method {
  payment_method: 'DIRECT_DEBIT' | 'SCT'
  mandate_id: string | null
}

/**
 * The change reaches every collection that is not frozen, more than three TARGET days ahead;
 * amounts and dates stay (domain.md, rule 7).
 */
export async function chooseRepaymentMethod(tx: Tx, fact: Fact, actor: Actor): Promise<void> {
  const method = await tx.one(sql<Method>`
    select payment_method, mandate_id from repayment_methods
    where id = ${fact.repayment_method_id} and status = 'READY'`)
  const frozen = addTargetDays(tx.today, DEBIT_FREEZE_TARGET_DAYS)
  const active = await tx.all(sql<{ id: string }>`
    select l.id from loans l where l.borrower_id = ${fact.borrower_id}
      and l.status not in ('CLOSED', 'DECLINED', 'CANCELED', 'DELETED', 'TO_REPAY_FEES')
      and not exists (select from payments p where p.loan_id = l.id
        and p.payment_method = 'DIRECT_DEBIT' and p.direction = 'IN'
        and (p.status in ('INSTRUCTED', 'IN_TRANSIT')
          or p.status = 'SCHEDULED' and p.scheduled_on <= ${frozen}))`)
  for (const loan of await lockLoanMoney(
    tx,
    active.map(a => a.id),
  )) {
    await cancelScheduled(tx, actor, { loan_id: loan.id }, 'another repayment method', 'IN')
    await setMethod(tx, loan.id, method)
    await planCollection(tx, actor, loan.id)
  }
}
