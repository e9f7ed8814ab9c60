/** Checks how much is lent, to which borrowers, and how much is collected. */
import { BUSINESS_ZONE, type Day } from '../../../server/src/platform/kit/dates.ts'
import { maxAmount, minAmount } from '../../../server/src/platform/kit/money.ts'
import type { World } from '../world.ts'
import { expectNone, type Rows } from './rows.ts'

interface Exposure {
  id: string
  borrower_id: string
  /**
   * The highest limit since the last check, because loans may have been granted before it was
   * lowered.
   */
  pool: bigint
  outstanding: bigint
  /** Paid out, refunded beyond any surplus or spent by card, and not repaid since. */
  owed: bigint
  /** Reserved for loans not yet paid out or for card authorizations. */
  promised: bigint
  /** Repaid by debits that may still be returned. */
  revocable: bigint
  /** Payouts that the bank returned and that an operator may pay again. */
  sent_back: bigint
  /** Repaid once, then returned by the bank or undone by an operator, in total. */
  taken_back: bigint
  /** Received money that counts as interest on the borrower's loans. */
  interest: bigint
}

/**
 * A borrower's debt and reservations fit into its line, or at least do not exceed an earlier,
 * higher limit. They are counted from payouts, card entries, refunds that were not surplus, and
 * repayments, not from the line's own balances. Some amounts may exceed the line: a returned payout
 * that is paid again after its credit was lent elsewhere; a repayment returned weeks later, and the
 * interest that later money then pays first; resumed interest of past days, paid with money
 * refunded since; and card clearings without authorization. Written-off debts no longer count.
 */
export async function neverLentTooMuch(world: World, rows: Rows, today: Day): Promise<void> {
  const { exposures, forced, resumed } = world
  const lines = await rows<Exposure>(
    `
    select c.id, c.borrower_id, c.outstanding,
      greatest(c.pool_amount, (select max(a.pool_amount) from credit_assessments a
        where a.credit_line_id = c.id
          and (a.assessed_at at time zone '${BUSINESS_ZONE}')::date >= $1::date - 1)) as pool,
      o.owed + greatest(e.spent, 0) as owed, o.promised + e.held as promised, o.revocable,
      o.sent_back, o.taken_back, o.interest
    from credit_lines c
    cross join lateral (
      select coalesce(sum(e.amount + e.repaid) filter (where e.status = 'completed'
          and e.loan_id is null), 0)::bigint as spent,
        coalesce(sum(e.held), 0)::bigint as held
      from card_entries e where e.credit_line_id = c.id) e
    cross join lateral (
      select coalesce(sum(m.lent) filter (where l.written_off_on is null), 0)::bigint as owed,
        coalesce(sum(m.revocable) filter (where l.written_off_on is null), 0)::bigint
          as revocable,
        coalesce(sum(l.amount) filter (where not m.paid
          and l.status in ('SCHEDULED', 'INITIATED', 'ISSUE_DETECTED')), 0)::bigint as sent_back,
        coalesce(sum(m.taken_back), 0)::bigint as taken_back,
        coalesce(sum(m.interest), 0)::bigint as interest,
        coalesce(sum(l.amount) filter (where m.paid is null
          and l.status in ('PENDING_VALIDATION', 'TO_VALIDATE', 'VALIDATED', 'SCHEDULED',
            'INITIATED', 'ISSUE_DETECTED')), 0)::bigint as promised
      from loans l left join lateral (
        select bool_or(x.voided_at is null) filter (where x.kind = 'PAYOUT') as paid,
          sum(case x.kind when 'PAYOUT' then x.amount else -x.principal end)
            filter (where x.voided_at is null) as lent,
          sum(x.principal) filter (where x.voided_at is null
            and x.revocable_until is not null) as revocable,
          sum(x.amount) filter (where x.voided_at is not null
            and x.kind not in ('PAYOUT', 'REFUND')) as taken_back,
          sum(x.interest) filter (where x.voided_at is null) as interest
        from loan_movements x where x.loan_id = l.id) m on true
      where l.borrower_id = c.borrower_id) o`,
    [today],
  )
  for (const line of lines) {
    if (line.outstanding !== line.owed) expectNone('a line counts its debt wrongly', [line])
    const exposure = line.owed + line.promised
    const before = exposures.get(line.id) ?? 0n
    const bound = before > line.pool ? before : line.pool
    const allowed = bound + newlyTakenBack(line, world) + (forced.get(line.borrower_id) ?? 0n)
    if (exposure > allowed) expectNone('a line lent more than it has', [{ ...line, allowed }])
    // The next check allows more than the limit: it may fall below the debt, debits may be
    // returned, and a returned payout may be paid again.
    const may = exposure + line.revocable + line.sent_back
    exposures.set(line.id, may > line.pool ? may : line.pool)
  }
  forced.clear()
  resumed.clear()
}

/**
 * The amount by which a line may owe more than at the last check: repayments returned since then,
 * and interest of past days paid with money that was refunded since.
 */
function newlyTakenBack({ id, borrower_id, taken_back, interest }: Exposure, world: World): bigint {
  const before = world.taken_back.get(id) ?? { amount: 0n, interest: 0n }
  world.taken_back.set(id, { amount: taken_back, interest })
  const back = taken_back - before.amount
  const more = interest > before.interest ? interest - before.interest : 0n
  if (world.resumed.has(borrower_id)) return back + more
  return back + minAmount(more, maxAmount(back, 0n))
}

/** Installments add up to their loan, and scheduled debits do not exceed its debt. */
export async function partsAddUp(rows: Rows): Promise<void> {
  const uneven = await rows(`
    select l.id, l.amount, sum(i.amount) as parts from loans l
    join loan_installments i on i.loan_id = l.id group by l.partner_id, l.id
    having l.amount <> sum(i.amount) or l.to_repay_on <> max(i.due_on)`)
  expectNone('installments do not add up', uneven)
  const greedy = await rows(`
    select l.id, l.principal_outstanding as owed, sum(p.amount) as waits from loans l
    join payments p on p.loan_id = l.id and p.payment_type = 'REPAYMENT_NOMINAL'
      and p.direction = 'IN' and p.status = 'SCHEDULED'
    where l.paid_out_on is not null group by l.partner_id, l.id
    having sum(p.amount) > l.principal_outstanding`)
  expectNone('debits wait for more than is owed', greedy)
}

/**
 * No loan, except for card spending, is approved while its borrower is blocked, deactivated or
 * prohibited. Status changes carry the start time of their transaction, so a decision already in
 * progress may be recorded up to a minute after the block.
 */
export async function blockedDrawNothing(rows: Rows): Promise<void> {
  const drawn = await rows(`
    select c.resource, c.resource_id, s.to_status from state_changes c
    join loans l on l.id = c.resource_id
    cross join lateral (select b.to_status, b.at from state_changes b
      where b.resource = 'borrower' and b.resource_id = l.borrower_id and b.at <= c.at
      order by b.id desc limit 1) s
    where c.resource = 'loan' and c.to_status = 'VALIDATED' and c.from_status <> 'VALIDATED'
      and s.to_status in ('BLOCKED', 'DEACTIVATED', 'PROHIBITED')
      and s.at < c.at - interval '1 minute'
      and l.loan_type <> 'CREDIT_CARD_FINANCING'`)
  expectNone('a blocked borrower draws', drawn)
}
