/**
 * Verifies loans and the books around them: recomputes each loan from its movements, and compares
 * totals that are stored in two places.
 */
import { sql } from 'kysely'
import { followKey, LENDER, type RowKey } from '../../../platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import {
  type Checks,
  type Finding,
  lenderPostings,
  runChecks,
} from '../../../platform/ledger/index.ts'
import { FINANCES } from '../../invoices/index.ts'
import { TO_BE_PAID_OUT } from '../account.ts'
import { OPEN_AMOUNT } from '../amounts-due/open-installment.ts'
import { recomputeFindings, type StoredLoan } from './recompute.ts'

const BATCH = 1000

/** Each query returns up to five discrepancies, one per row. */
const CHECKS: Checks = {
  bill_money_kept: sql`
    select 'loan ' || l.id || ' owes its payers ' || l.surplus - l.surplus_refunded
      || ', who have paid bills too much are owed ' || k.kept as detail
    from (select e.partner_id, e.loan_id, sum(greatest(0, e.amount - coalesce(r.amount, 0))) as kept
      from (select partner_id, loan_id, payment_id, sum(amount) as amount from loan_movements
        where kind = 'EXTRA' and voided_at is null group by 1, 2, 3) e
      left join (select partner_id, loan_id, refunded_payment_id, sum(amount) as amount
        from loan_movements where kind = 'REFUND' and voided_at is null group by 1, 2, 3) r
        on r.partner_id = e.partner_id and r.loan_id = e.loan_id
          and r.refunded_payment_id = e.payment_id
      group by e.partner_id, e.loan_id) k
    join loans l on l.partner_id = k.partner_id and l.id = k.loan_id
    where k.kept > l.surplus - l.surplus_refunded and not l.fold_outdated limit 5`,
  line_outstanding: sql`
    select 'line ' || c.id || ' has lent ' || c.outstanding || ', its loans '
      || coalesce(sum(l.principal_outstanding), 0) as detail
    from credit_lines c left join loans l on l.partner_id = c.partner_id and l.credit_line_id = c.id
    group by c.partner_id, c.id having c.outstanding - greatest(c.card_spent, 0)
      <> coalesce(sum(l.principal_outstanding), 0) limit 5`,
  line_reserved: sql`
    select 'line ' || c.id || ' reserves ' || c.reserved || ', its loans '
      || coalesce(sum(l.reserved), 0) as detail
    from credit_lines c left join loans l on l.partner_id = c.partner_id and l.credit_line_id = c.id
    group by c.partner_id, c.id
    having c.reserved - c.card_pending <> coalesce(sum(l.reserved), 0) limit 5`,
  partner_exposure: sql`
    select 'partner ' || p.id || ' is exposed by ' || p.exposure || ', its lines '
      || coalesce(sum(c.outstanding + c.reserved), 0) as detail
    from partners p left join credit_lines c on c.partner_id = p.id
    group by p.id having p.exposure <> coalesce(sum(c.outstanding + c.reserved), 0) limit 5`,
  cash_moved: sql`
    select 'cash in the books ' || b.total || ', moved by payments and suspense ' || m.total
      as detail
    from ${lenderPostings('bank_cash')} b,
      (select coalesce((select sum(case direction when 'IN' then amount else -amount end)
        from payments where status = 'PAID'), 0)
      - coalesce((select sum(amount) from processor_payments where status = 'PAID'), 0)
      - ${lenderPostings('lender_capital')} - ${lenderPostings('opening_balance')}
      - ${lenderPostings('bank_charges')} - ${lenderPostings('bank_interest')}
      - ${lenderPostings('cash_in_transit')}
      + coalesce((select sum(cash) from suspense_items
        where status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED', 'LOST')), 0) as total) m
    where b.total <> m.total`,
  funding_received: sql`
    select 'put in by the books ' || b.total || ', by the bank ' || n.total as detail
    from (select coalesce(sum(p.amount), 0) as total from ledger_entries e
        join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
        join ledger_accounts a on a.partner_id = ${LENDER} and a.id = p.account_id
          and a.code = 'bank_cash'
        where e.partner_id = ${LENDER} and e.kind = 'funding_received') b,
      (select coalesce(sum(amount), 0) as total from bank_news where outcome = 'funding') n
    where b.total <> n.total`,
  suspense_held: sql`
    select 'suspense in the books ' || -b.total || ', its items ' || i.total as detail
    from ${lenderPostings('suspense')} b,
      (select coalesce(sum(cash), 0) as total from suspense_items
        where status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED')) i
    where -b.total <> i.total`,
  suspense_lost: sql`
    select 'losses in suspense are ' || b.total || ' in the books, its items say ' || i.total
      as detail
    from ${lenderPostings('suspense_loss')} b,
      (select coalesce(-sum(cash), 0) as total from suspense_items where status = 'LOST') i
    where b.total <> i.total`,
  // The payment's ledger entries must include one with the movement's value date.
  movement_days: sql`
    select 'movement ' || m.id || ' of loan ' || m.loan_id || ' is valued on ' || m.value_on
      || ', no entry of its payment is' as detail
    from loan_movements m where m.voided_at is null and m.payment_id is not null
      and not exists (select from ledger_entries e
        where e.partner_id = m.partner_id and e.loan_id = m.loan_id
          and e.payment_id = m.payment_id and e.value_on = m.value_on) limit 5`,
  write_offs: sql`
    select 'loan ' || l.id || ' is written off on ' || coalesce(l.written_off_on::text, 'no day')
      || ', what was agreed to says ' || coalesce(w.written_off_on::text, 'none') as detail
    from loans l full join (select * from write_offs where status = 'IN_FORCE') w
      on w.partner_id = l.partner_id and w.loan_id = l.id
    where l.written_off_on is distinct from w.written_off_on limit 5`,
  planned_debits: sql`
    select 'loan ' || l.id || ' is ' || l.status || ' and owes ' || coalesce(${OPEN_AMOUNT},
      l.principal_outstanding) || ', its debit is to take ' || p.amount as detail
    from payments p join loans l on l.partner_id = p.partner_id and l.id = p.loan_id
    left join loan_installments i on i.partner_id = l.partner_id and i.loan_id = l.id
      and i.position = p.installment
    where p.status = 'SCHEDULED' and p.direction = 'IN' and p.payment_method <> 'SCT'
      and (l.status <> 'TO_REPAY' or p.amount <> coalesce(${OPEN_AMOUNT}, l.principal_outstanding))
    limit 5`,
  invoice_financed: sql`
    select 'invoice ' || i.id || ' of ' || coalesce(i.to_pay_amount, i.total_amount, 0)
      || ' is financed by ' || sum(f.amount) as detail
    from invoices i
    join invoice_loans f on f.partner_id = i.partner_id and f.invoice_id = i.id
    join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where ${FINANCES}
    group by i.partner_id, i.id having sum(f.amount) > coalesce(i.to_pay_amount, i.total_amount, 0)
    limit 5`,
  invoice_shares: sql`
    select 'loan ' || l.id || ' of ' || l.amount || ' finances ' || coalesce(sum(f.amount), 0)
      || ' of its invoices' as detail
    from loans l left join invoice_loans f on f.partner_id = l.partner_id and f.loan_id = l.id
    where l.loan_type = 'INVOICE_BASED_FINANCING' and l.status <> 'DECLINED'
    group by l.partner_id, l.id having l.amount <> coalesce(sum(f.amount), 0) limit 5`,
  installments: sql`
    select 'loan ' || l.id || ' of ' || l.amount || ' has installments of ' || sum(i.amount)
      as detail
    from loans l join loan_installments i on i.partner_id = l.partner_id and i.loan_id = l.id
    group by l.partner_id, l.id having l.amount <> sum(i.amount) or max(i.amount_until) <> l.amount
      or max(i.due_on) <> l.to_repay_on limit 5`,
  planned_refunds: sql`
    select 'loan ' || l.id || ' is to give back ' || sum(p.amount) || ', holds too much '
      || l.surplus - l.surplus_refunded as detail
    from payments p join loans l on l.partner_id = p.partner_id and l.id = p.loan_id
    where p.status = 'SCHEDULED' and p.payment_type = 'REFUND'
    group by l.partner_id, l.id
    having sum(p.amount) > l.surplus - l.surplus_refunded - coalesce((select sum(f.amount)
      from payments f
      where f.partner_id = l.partner_id and f.loan_id = l.id and f.payment_type = 'REFUND'
        and f.status in ('INSTRUCTED', 'IN_TRANSIT')), 0) limit 5`,
  // Surplus that no pending refund covers must have a recorded reason or an alert.
  surplus_waiting: sql`
    select 'loan ' || l.id || ' holds ' || l.surplus - l.surplus_refunded || ' too much, is to give'
      || ' back ' || r.to_come || ', and nobody is told' as detail
    from loans l cross join lateral (select coalesce(sum(f.amount), 0) as to_come from payments f
      where f.partner_id = l.partner_id and f.loan_id = l.id and f.payment_type = 'REFUND'
        and f.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')) r
    where l.surplus > l.surplus_refunded and l.surplus - l.surplus_refunded > r.to_come
      and l.status <> all(${[...TO_BE_PAID_OUT]}::text[])
      and not exists (select from payments f
        where f.partner_id = l.partner_id and f.loan_id = l.id and f.payment_type = 'REFUND'
        and f.reason is not null)
      and not exists (select from loan_movements m
        join payments p on p.partner_id = m.partner_id and p.id = m.payment_id
        where m.partner_id = l.partner_id and m.loan_id = l.id
          and m.voided_at is null and p.reason is not null)
      and not exists (select from alerts a where a.kind = 'refund_waiting'
        and a.subject_id = l.id and a.cleared_at is null) limit 5`,
}

/** Returns the number of loans recomputed, and the discrepancies. */
export async function verifyLoans(tx: Tx): Promise<{ loans: number; findings: Finding[] }> {
  const findings = await runChecks(tx, CHECKS)
  let loans = 0
  for (let after: RowKey = BEFORE_ALL_KEYS; ; ) {
    const slice = await readSlice(tx, after)
    if (slice.length === 0) return { loans, findings }
    for (const loan of slice) findings.push(...recomputeFindings(loan, tx.today))
    loans += slice.length
    after = slice.at(-1)!
  }
}

function readSlice(tx: Tx, after: RowKey): Promise<StoredLoan[]> {
  return tx.all(sql<StoredLoan>`
    select l.*,
      (select json_agg(json_build_object('id', m.id, 'kind', m.kind, 'amount', m.amount::text,
          'given_back', m.given_back::text, 'value_on', m.value_on,
          'after_write_off', m.after_write_off, 'payment_id', m.payment_id,
          'refunded_payment_id', m.refunded_payment_id,
          'revocable_until', m.revocable_until, 'lent_known_on', m.lent_known_on,
          'principal', m.principal::text,
          'interest', m.interest::text, 'surplus', m.surplus::text)
          order by m.id)
        from loan_movements m where m.partner_id = l.partner_id and m.loan_id = l.id
          and m.voided_at is null) as movements,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
          order by s.from_on)
        from loan_principal_steps s
        where s.partner_id = l.partner_id and s.loan_id = l.id) as steps,
      (select json_agg(json_build_object('due_on', i.due_on, 'amount', i.amount::text)
          order by i.position)
        from loan_installments i
        where l.partner_id = i.partner_id and i.loan_id = l.id) as installments,
      (select json_object_agg(a.code, b.amount::text) from ledger_accounts a
        join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
        where a.partner_id = l.partner_id and a.owner_id = l.id) as books
    from loans l where ${followKey(after, 'l')}
    order by l.partner_id, l.id limit ${BATCH}`)
}
