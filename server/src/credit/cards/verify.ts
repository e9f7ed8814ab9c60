/** Checks cards against the ledger, their credit lines and their loans. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import {
  type Checks,
  type Finding,
  lenderPostings,
  runChecks,
} from '../../platform/ledger/index.ts'
import { LINE, openCardLoansOf } from '../loans/index.ts'

/**
 * Card spending of the borrower of line `l` that no loan has financed yet, according to the
 * postings.
 */
const RECEIVABLE = sql`
  coalesce((select sum(p.amount) from ledger_accounts a
    join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
    where a.partner_id = l.partner_id and a.owner_id = l.borrower_id
      and a.code = 'card_receivable'), 0)`

/** Excludes authorizations that lapse today, because they are released during the day. */
const cardHold = (today: Day) => sql<{ detail: string }>`
  select 'entry ' || e.id || ' is ' || e.status || ' and ' || e.authorization_state
    || ', it holds ' || e.held || ' of ' || e.authorized as detail
  from card_entries e cross join lateral (
    select count(*) > 0 as cleared, coalesce(sum(c.amount) filter (
      where not c.transaction_ref = any (e.told_cleared)), 0) as since
    from card_entries c where c.partner_id = e.partner_id and c.transaction_ref is not null
      and (c.id = e.id or c.authorization_entry_id = e.id)) c
  where e.authorization_state is not null and e.lapses_on > ${today}
    and e.held <> case
      when e.status not in ('pending', 'completed') or e.authorization_state = 'reversed'
        or e.authorization_state = 'declined' or e.authorization_state = 'closed' and c.cleared
      then 0 else greatest(0, e.authorized - c.since) end limit 5`

const CHECKS: Checks = {
  card_spent: sql`
    select 'line ' || l.id || ' has ' || l.card_spent || ' of cards, their entries say '
      || coalesce(e.spent, 0) as detail
    from credit_lines l
    left join (select partner_id, credit_line_id, sum(amount + repaid) as spent from card_entries
      where status = 'completed' and loan_id is null group by 1, 2) e
      on e.partner_id = l.partner_id and e.credit_line_id = l.id
    where l.card_spent <> coalesce(e.spent, 0) limit 5`,
  card_pending: sql`
    select 'line ' || l.id || ' holds ' || l.card_pending || ' for cards, their entries '
      || coalesce(e.held, 0) as detail
    from credit_lines l
    left join (select partner_id, credit_line_id, sum(held) as held from card_entries
      where held > 0 group by 1, 2) e
      on e.partner_id = l.partner_id and e.credit_line_id = l.id
    where l.card_pending <> coalesce(e.held, 0) limit 5`,
  card_receivable: sql`
    select 'line ' || l.id || ' has ' || l.card_spent || ' of cards, the books '
      || ${RECEIVABLE} as detail
    from credit_lines l
    where l.card_spent <> ${RECEIVABLE} limit 5`,
  card_settlement: sql`
    select 'the processor is owed ' || s.owed || ', the books say ' || -s.booked as detail
    from (select coalesce((select sum(amount) from card_entries where status = 'completed'), 0)
      - coalesce((select sum(amount) from processor_payments where status = 'PAID'), 0)
      as owed, ${lenderPostings('card_settlement')} as booked) s
    where s.owed <> -s.booked`,
  card_loan: sql`
    select 'loan ' || n.id || ' of ' || n.amount || ' has entries of '
      || coalesce(sum(e.amount + e.repaid), 0) as detail
    from loans n left join card_entries e on e.partner_id = n.partner_id and e.loan_id = n.id
      and e.status = 'completed'
    where n.loan_type = 'CREDIT_CARD_FINANCING' and n.status <> 'DECLINED'
    group by n.partner_id, n.id having n.amount <> coalesce(sum(e.amount + e.repaid), 0) limit 5`,
  card_repaid: sql`
    select 'entry ' || e.id || ' repaid ' || e.repaid || ', its loans say '
      || coalesce(sum(m.amount), 0) as detail
    from card_entries e
    left join loan_movements m on m.partner_id = e.partner_id and m.card_entry_id = e.id
      and m.voided_at is null
    where e.transaction_type in ('refund', 'dispute')
    group by e.partner_id, e.id having e.repaid <> coalesce(sum(m.amount), 0) limit 5`,
  card_credit: sql`
    select 'line ' || l.id || ' has ' || l.card_spent || ' of cards, ' || w.waiting
      || ' of it waits for purchases, while loans of earlier cycles are open' as detail
    from credit_lines l cross join lateral (
      select coalesce(sum(e.amount + e.repaid), 0) as waiting from card_entries e
      where e.partner_id = l.partner_id and e.credit_line_id = l.id
        and e.status = 'completed' and e.loan_id is null
        and e.amount < 0 and e.original_ref is not null and not exists (
          select from card_entries n join card_entries p
            on p.partner_id = n.partner_id
            and coalesce(n.authorization_entry_id, n.id) in (p.id, p.authorization_entry_id)
          where n.partner_id = e.partner_id
            and e.original_ref in (n.authorization_ref, n.transaction_ref)
            and n.transaction_type = 'payment' and p.transaction_ref is not null)) w
    where l.card_spent < 0 and l.card_spent < w.waiting
      and exists (${openCardLoansOf(LINE)}) limit 5`,
}

export function verifyCards(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, { ...CHECKS, card_hold: cardHold(tx.today) })
}
