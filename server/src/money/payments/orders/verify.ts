/** Checks payments against their stored orders, because the bank executes the orders. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../../platform/ledger/index.ts'

interface Expected {
  readonly direction: RawBuilder<unknown>
  readonly amount: RawBuilder<unknown>
  readonly iban: RawBuilder<unknown>
}

/** SQL condition: order `o` differs from these values. */
function differs({ direction, amount, iban }: Expected): RawBuilder<boolean> {
  return sql`(o.content ->> 'amount', o.content ->> 'direction',
      o.content -> 'counterparty' ->> 'iban')
    is distinct from (${amount}::text, ${direction}, ${iban})`
}

const PAYMENT = {
  direction: sql`p.direction`,
  amount: sql`p.amount`,
  iban: sql`case p.direction when 'OUT' then p.to_account else p.from_account end
    ->> 'account_number'`,
}

const TO_PROCESSOR = {
  direction: sql`'OUT'`,
  // A settlement replaces the planned amount with the settled one.
  amount: sql`case when p.paid_on is null then p.amount::text else o.content ->> 'amount' end`,
  iban: sql`p.to_iban`,
}

const RETURN = {
  direction: sql`'OUT'`,
  amount: sql`s.amount`,
  iban: sql`n.raw ->> 'from_iban'`,
}

const CHECKS: Checks = {
  payment_order: sql`
    select 'payment ' || p.id || ' is not what its stored order says' as detail
    from bank_orders o join payments p on p.partner_id = o.partner_id and p.id = o.id
    where ${differs(PAYMENT)}
      or o.content ->> 'requested_on' is distinct from p.scheduled_on::text limit 5`,
  // The order may be dated later, because it waits while payouts are stopped.
  processor_order: sql`
    select 'payment ' || p.id || ' to the processor is not what its stored order says' as detail
    from lender_orders o join processor_payments p on p.id = o.id
    where ${differs(TO_PROCESSOR)}
      or (o.content ->> 'requested_on')::date < p.scheduled_on limit 5`,
  return_order: sql`
    select 'unmatched payment ' || s.id || ' is not what the stored order of its return says'
      as detail
    from lender_orders o join suspense_items s on s.return_order_id = o.id
    join bank_news n on n.id = s.bank_news_id
    where ${differs(RETURN)} limit 5`,
}

export function verifyOrders(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
