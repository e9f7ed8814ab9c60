/** Checks monthly fees against their payments and the ledger. */
import { sql } from 'kysely'
import { isSettled } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../platform/ledger/index.ts'

/** Cents paid per fee: settled payments that were not returned, less refunds. */
const PAID = sql`(select n.partner_id, n.fee_id,
      coalesce(sum(n.amount) filter (where ${isSettled('p')}), 0)
        - coalesce(sum(b.amount), 0) as paid
    from fee_payments n join payments p on p.partner_id = n.partner_id and p.id = n.payment_id
    left join (select r.partner_id, r.refunded_payment_id as id, sum(r.amount) as amount
      from payments r where r.refunded_payment_id is not null and ${isSettled('r')}
      group by 1, 2) b on b.partner_id = p.partner_id and b.id = p.id
    group by n.partner_id, n.fee_id)`

const CHECKS: Checks = {
  subscription_receivable: sql`
    select 'borrower ' || o.borrower_id || ' owes ' || o.amount || ' in fees, the books say '
      || coalesce(b.amount, 0) as detail
    from (select s.partner_id, s.borrower_id, sum(f.amount - coalesce(n.paid, 0)) as amount
      from subscription_fees f
      join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
      left join ${PAID} n on n.partner_id = f.partner_id and n.fee_id = f.id
      group by s.partner_id, s.borrower_id) o
    left join ledger_accounts a on a.partner_id = o.partner_id and a.owner_id = o.borrower_id
      and a.code = 'subscription_receivable'
    left join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    where coalesce(o.amount, 0) <> coalesce(b.amount, 0) limit 5`,
  subscription_payment: sql`
    select 'payment ' || p.id || ' is ' || p.amount || ', its fees are ' || sum(f.amount) as detail
    from fee_payments n join payments p on p.partner_id = n.partner_id and p.id = n.payment_id
    join subscription_fees f on f.partner_id = n.partner_id and f.id = n.fee_id
    group by p.partner_id, p.id
    having p.amount <> sum(f.amount) or sum(f.amount) <> sum(n.amount) limit 5`,
  subscription_payer: sql`
    select 'fee ' || f.id || ' asks for ' || f.amount || ', ' || coalesce(n.paid, 0)
      || ' were paid, and its payment ' || coalesce(p.id::text, 'none') || ' says otherwise'
      as detail
    from subscription_fees f
    left join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    left join ${PAID} n on n.partner_id = f.partner_id and n.fee_id = f.id
    where ${isSettled('p')} <> (coalesce(n.paid, 0) >= f.amount) limit 5`,
}

export function verifySubscriptions(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
