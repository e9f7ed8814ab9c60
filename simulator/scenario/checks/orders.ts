/** Checks monthly fees and kill switches. */
import type { Day } from '../../../server/src/platform/kit/dates.ts'
import { expectNone, type Rows } from './rows.ts'

/**
 * A subscription is charged once for each month that begins after its activation, and never before.
 * Borrowers that were ever closed or prohibited need not be charged.
 */
export async function feesAreMonthly(rows: Rows, day: Day): Promise<void> {
  const wrong = await rows(
    `with months as (
       select s.id, m::date as month, p.monthly_fee as amount, exists (select from state_changes c
           where c.resource = 'borrower' and c.resource_id = s.borrower_id
             and c.to_status in ('DEACTIVATED', 'PROHIBITED')) as left_once
       from subscriptions s join borrower_products b on b.id = s.borrower_product_id
       join products p on p.id = b.product_id and p.monthly_fee > 0
       cross join generate_series(date_trunc('month', s.activated_on) + interval '1 month',
         $1::date, interval '1 month') m
       where s.status = 'ACTIVE')
     select coalesce(m.id, f.subscription_id) as id, m.month as owed, f.month as charged, f.amount
     from months m
     full join subscription_fees f on f.subscription_id = m.id and f.month = m.month
     where m.id is null or f.amount <> m.amount or (f.id is null and not m.left_once)`,
    [day],
  )
  expectNone('a monthly fee is missing, or is one too many', wrong)
}

/**
 * From 24 hours after a kill switch is activated until it is deactivated, no payment that it stops
 * is instructed. The last minute is exempt: a transaction that began in it may have run after the
 * deactivation.
 */
export async function stoppedStaysStopped(rows: Rows): Promise<void> {
  const left = await rows(`
    select k.kind, k.thrown_at, p.id, p.payment_type, c.at from kill_switches k
    join state_changes c on c.resource = 'payment' and c.trigger = 'instruct'
      and c.at > k.thrown_at + interval '1 day'
      and c.at < coalesce(k.lifted_at - interval '1 minute', 'infinity')
    join payments p on p.id = c.resource_id
    where case k.kind when 'collections' then p.direction = 'IN'
      when 'payouts' then p.payment_type = 'LOAN_PAYMENT'
      else p.payment_type = 'LOAN_PAYMENT' and p.partner_id = k.partner_id end`)
  expectNone('money left that was stopped', left)
  const alone = await rows('select id from kill_switches where lifted_by = thrown_by')
  expectNone('somebody let go on what he has stopped', alone)
}
