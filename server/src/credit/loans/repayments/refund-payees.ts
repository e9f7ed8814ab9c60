/** Finds who receives a loan's surplus: the payers, then the borrower for card refunds. */
import { sql } from 'kysely'
import { latestAccount } from '../../../companies/borrowers/index.ts'
import type { PaymentRow } from '../../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { ibanAccount, type PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { isBillMoney } from '../account.ts'
import type { LoanRow } from '../store.ts'

/** A payment on the loan, with its surplus in the current allocation. */
type Overpaid = PaymentRow & {
  surplus: bigint
  /** Cents of the surplus from bill payments (`isBillMoney`), refunded or not. */
  kept: bigint
  used: bigint
}

export interface RefundPayee {
  /** The id of the overpaid payment; null for the rest of card refunds, due to the borrower. */
  readonly id: string | null
  readonly payment: Overpaid | null
  readonly surplus: bigint
  /** Null if the account is unknown. */
  readonly to: PaymentAccount | null
}

const KINDS = ['REPAYMENT', 'BILL_PAYMENT', 'EXTRA'] as const

/**
 * The recipients of a loan's surplus in the order of their payments; the borrower itself last.
 * Includes payments with a reason but without surplus, so that the reason can be cleared.
 */
export async function readPayees(tx: Tx, loan: LoanRow): Promise<RefundPayee[]> {
  const { unpaid, by_card } = await surplusWithoutPayment(tx, loan)
  const of_bills = KINDS.filter(kind => isBillMoney(kind, loan))
  // Payments for bills did not repay card spending, so card refunds cannot have replaced them.
  const repaying = by_card > 0n
  const paid = await tx.all(sql<Overpaid>`
    select p.*, m.surplus, m.kept, m.used from payments p join (
      select payment_id, sum(surplus)::bigint as surplus,
        coalesce(sum(surplus) filter (where kind = any(${of_bills})), 0)::bigint as kept,
        coalesce(sum(principal + interest)
          filter (where kind = 'REPAYMENT' or not ${repaying}), 0)::bigint as used
      from loan_movements where ${haveKeys([loan], 'loan_movements', 'loan_id')}
        and voided_at is null and kind not in ('PAYOUT', 'REFUND')
      group by payment_id) m on m.payment_id = p.id
    where p.partner_id = ${loan.partner_id}
      and (m.surplus > 0 or p.reason is not null or ${unpaid} > 0)
    order by p.id`)
  const { shared, left } = withSurplus(paid, unpaid, by_card)
  const payees = shared
    .filter(p => p.surplus > 0n || p.reason !== null)
    .map(p => ({ id: p.id, surplus: p.surplus, to: p.from_account, payment: p }))
  const surplus = minAmount(left, by_card)
  if (surplus <= 0n) return payees
  return [...payees, { id: null, surplus, to: await accountOnFile(tx, loan), payment: null }]
}

async function accountOnFile(tx: Tx, loan: LoanRow): Promise<PaymentAccount | null> {
  const account = await latestAccount(tx, { partner_id: loan.partner_id, id: loan.borrower_id })
  return account ? ibanAccount(account.iban, account.bic, loan.loan_to.name) : null
}

/**
 * Cents of surplus from movements without a payment (`unpaid`), and the part of them from card
 * refunds (`by_card`). Such surplus arises if money with an earlier value date becomes known, or if
 * the loan had already been repaid.
 */
async function surplusWithoutPayment(
  tx: Tx,
  loan: RowKey,
): Promise<{ unpaid: bigint; by_card: bigint }> {
  return tx.one(sql<{ unpaid: bigint; by_card: bigint }>`
    select coalesce(sum(surplus), 0)::bigint as unpaid,
      coalesce(sum(surplus) filter (where card_entry_id is not null), 0)::bigint as by_card
    from loan_movements
    where ${haveKeys([loan], 'loan_movements', 'loan_id')} and voided_at is null
      and payment_id is null`)
}

/**
 * Distributes surplus `without` a payment, which cannot be returned to its source, among the loan's
 * payers, latest payment first, each up to what the payment repaid. The part from cards (`by_card`)
 * goes only to payers whose account is known. `left` is the rest.
 */
function withSurplus(paid: readonly Overpaid[], without: bigint, by_card: bigint) {
  let left = without
  const shared = paid.toReversed().map(payment => {
    const given = payment.from_account ? left : maxAmount(left - by_card, 0n)
    const more = minAmount(payment.used, given)
    left -= more
    return { ...payment, surplus: payment.surplus + more }
  })
  return { shared: shared.reverse(), left }
}
