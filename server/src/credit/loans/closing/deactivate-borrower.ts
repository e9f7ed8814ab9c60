/** Deactivates a borrower that owes nothing: cancels pending loans and closes its credit line. */
import { sql } from 'kysely'
import { endBorrower, lockBorrowers } from '../../../companies/borrowers/index.ts'
import { closeLine, lockExposure } from '../../../companies/credit-lines/index.ts'
import type { Handler } from '../../../context.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { payoffsOf } from '../amounts-due/payoff.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { LINE, lastCardLoanOf } from '../last-card-loan.ts'
import type { LoanRow } from '../store.ts'
import { cancelLoan } from './cancel-loan.ts'

const WAITING = ['SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE', 'VALIDATED', 'SCHEDULED']
const OVER = ['CLOSED', 'DECLINED', 'CANCELED', 'DELETED']

/**
 * Deactivates a borrower. Throws `money_owed` for unsettled loans, card spending or fees. Calling
 * it again has no effect.
 */
export const deactivateBorrower: Handler<'deactivateBorrower'> = async (
  tx,
  { params: { borrower_id }, caller: { partner_id } },
) => {
  const [borrower] = await lockBorrowers(tx, [{ partner_id, id: borrower_id }])
  if (!borrower) throw problem('resource_unknown')
  if (borrower.status === 'DEACTIVATED') return null
  await lockExposure(tx, [partner_id], [borrower])
  const known = await tx.all(sql<RowKey>`
    select partner_id, id from loans
    where borrower_id = ${borrower_id} and partner_id = ${partner_id}
      and status not in ('CLOSED', 'DECLINED', 'CANCELED', 'DELETED')
    order by id`)
  const loans = await lockLoanMoney(tx, known)
  await refuseSpending(tx, partner_id, borrower_id)
  await refuseFees(tx, partner_id, borrower_id)
  await refuseOwing(tx, loans)
  for (const loan of loans) {
    if (WAITING.includes(loan.status)) await cancelLoan(tx, loan, 'borrower deactivated')
  }
  await closeLine(tx, partner_id, borrower_id)
  await endBorrower(tx, borrower)
  return null
}

/**
 * Throws `money_owed` for card spending that no loan covers yet, and for held amounts, which may
 * become spending. A credit balance is refunded the next morning through the last card loan.
 * Without a card loan it counts as owed too, because an operator has to refund it.
 */
async function refuseSpending(tx: Tx, partner_id: string, borrower_id: string): Promise<void> {
  const line = await tx.maybe(sql<{ id: string; card_spent: bigint; card_pending: bigint }>`
    select id, card_spent, card_pending from credit_lines l
    where borrower_id = ${borrower_id} and partner_id = ${partner_id}
      and (card_spent > 0 or card_pending > 0
        or card_spent < 0 and not exists (${lastCardLoanOf(LINE)}))`)
  if (!line) return
  const { id: name, card_spent, card_pending } = line
  const spent =
    card_spent < 0n
      ? `its cards were given back ${-card_spent} more than they spent, which is owed to it`
      : `its cards have spent ${card_spent} that no loan holds yet`
  const reason = `${spent}, and hold ${card_pending}`
  throw problem('money_owed', `line ${name}: ${reason}`, { invalid_params: [{ name, reason }] })
}

/** Throws `money_owed` if monthly fees are unpaid according to the ledger. */
async function refuseFees(tx: Tx, partner_id: string, borrower_id: string): Promise<void> {
  const owed = await tx.maybe(sql<{ amount: bigint }>`
    select b.amount from ledger_accounts a
    join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    where a.partner_id = ${partner_id} and a.owner_id = ${borrower_id}
      and a.code = 'subscription_receivable' and b.amount > 0`)
  if (!owed) return
  const how = 'each can be transferred with the reference that its debit had'
  const reason = `monthly fees of ${owed.amount} are owed: ${how}`
  const invalid_params = [{ name: borrower_id, reason }]
  throw problem('money_owed', `borrower ${borrower_id}: ${reason}`, { invalid_params })
}

/** Throws `money_owed` for open loans; interest that the partner pays does not count. */
async function refuseOwing(tx: Tx, loans: readonly LoanRow[]): Promise<void> {
  const open = loans.filter(
    ({ status, fees_payer }) =>
      !WAITING.includes(status) &&
      !OVER.includes(status) &&
      !(status === 'TO_REPAY_FEES' && fees_payer === 'PARTNER'),
  )
  if (open.length === 0) return
  const payoffs = await payoffsOf(tx, open, tx.today)
  const invalid_params = []
  for (const loan of open) {
    const { principal, interest } = payoffs.get(loan.id)!
    const owed = loan.paid_out_on
      ? `${principal} of principal and ${interest} of interest are owed`
      : 'its payout is under way'
    invalid_params.push({ name: loan.id, reason: `${loan.status}: ${owed}` })
  }
  const detail = invalid_params.map(p => `loan ${p.name} is ${p.reason}`).join('; ')
  throw problem('money_owed', detail, { invalid_params })
}
