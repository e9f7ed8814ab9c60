/** Mails borrowers transfer instructions for monthly fees that no debit collects. */
import { sql } from 'kysely'
import { isMandateEnding } from '../../companies/borrowers/index.ts'
import { requestTransfers } from '../../money/partner-terms/index.ts'
import { isSettled, type PaymentRow } from '../../money/payments/index.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { feeDueOn } from './due-day.ts'

interface FeeToTransfer {
  readonly partner_id: string
  readonly borrower_id: string
  readonly reference: string
  readonly amount: bigint
  readonly month: Day
}

/**
 * After a payment of fees has failed or been returned, requests the fees that no debit will
 * collect. If the failure ends the mandate, the mail about the mandate requests them instead.
 */
export async function mailUncollectedFees(
  tx: Tx,
  { payment, reason }: { payment: PaymentRow; reason: string },
): Promise<void> {
  if (await isMandateEnding(tx, payment, reason)) return
  const paid = await tx.all(sql<{ id: string }>`
    select fee_id as id from fee_payments
    where partner_id = ${payment.partner_id} and payment_id = ${payment.id}`)
  await mailFees(tx, payment, paid)
}

/**
 * Requests those of a partner's fees that are neither paid nor collected by a debit: the debit
 * failed or was returned, and is not presented again, or the borrower cannot be debited.
 */
export async function mailFees(
  tx: Tx,
  { partner_id }: Pick<RowKey, 'partner_id'>,
  fees: readonly { readonly id: string }[],
): Promise<void> {
  if (fees.length === 0) return
  const owed = await tx.all(sql<FeeToTransfer>`
    select f.partner_id, s.borrower_id, f.reference, f.amount, f.month
    from subscription_fees f
    join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
    left join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    where f.partner_id = ${partner_id} and f.id = any(${fees.map(fee => fee.id)}::uuid[])
      and f.reference is not null and not ${isSettled('p')}
      and (p.status in ('PAID', 'FAILED') or coalesce(p.status, 'CANCELED') = 'CANCELED'
        and not exists (select from repayment_methods m
          where m.partner_id = f.partner_id and m.borrower_id = s.borrower_id
            and m.status = 'READY' and m.payment_method <> 'SCT'))
    order by f.month, f.id`)
  await requestTransfers(
    tx,
    owed.map(({ partner_id, borrower_id, reference, amount, month }) => {
      const dues = [{ due_on: feeDueOn(month), amount }]
      return { partner_id, borrower_id, debt: { owed: 'fee', reference, currency: 'EUR', dues } }
    }),
  )
}
