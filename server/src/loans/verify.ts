/** Recomputes every loan and line from the facts and compares them with the books. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { Finding } from '../ledger/index.ts'
import { type KeptLoan, recompute } from './recompute.ts'

const BATCH = 1000

type Check = ReturnType<typeof sql<{ detail: string }>>

/** Kept figures against the postings and against the loans they sum up. */
const checks: Record<string, Check> = {
  loan_billed: sql`
    select 'loan ' || l.id || ' was billed ' || l.interest_billed || ', its bills say '
      || coalesce(sum(n.amount), 0) as detail
    from loans l
    left join (select i.loan_id, i.amount from bill_lines i join bills b on b.id = i.bill_id
      where b.status <> 'INVALID') n on n.loan_id = l.id
    group by l.id having l.interest_billed <> coalesce(sum(n.amount), 0) limit 5`,
  line_outstanding: sql`
    select 'line ' || c.id || ' has lent ' || c.outstanding || ', its loans '
      || coalesce(sum(l.principal_outstanding), 0) as detail
    from credit_lines c left join loans l on l.credit_line_id = c.id
    group by c.id having c.outstanding <> coalesce(sum(l.principal_outstanding), 0) limit 5`,
  line_reserved: sql`
    select 'line ' || c.id || ' reserves ' || c.reserved || ', its loans '
      || coalesce(sum(l.reserved), 0) as detail
    from credit_lines c left join loans l on l.credit_line_id = c.id
    group by c.id having c.reserved <> coalesce(sum(l.reserved), 0) limit 5`,
  partner_exposure: sql`
    select 'partner ' || p.id || ' is exposed by ' || p.exposure || ', its lines '
      || coalesce(sum(c.outstanding + c.reserved), 0) as detail
    from partners p left join credit_lines c on c.partner_id = p.id
    group by p.id having p.exposure <> coalesce(sum(c.outstanding + c.reserved), 0) limit 5`,
  cash_moved: sql`
    select 'cash in the books ' || coalesce((select sum(p.amount) from ledger_postings p
        join ledger_accounts a on a.id = p.account_id where a.code = 'bank_cash'), 0)
      || ', moved by payments and suspense ' || m.total as detail
    from (select coalesce((select sum(case direction when 'IN' then amount else -amount end)
        from payments where status = 'PAID'), 0)
      + coalesce((select sum(cash) from suspense_items), 0) as total) m
    where m.total <> coalesce((select sum(p.amount) from ledger_postings p
      join ledger_accounts a on a.id = p.account_id where a.code = 'bank_cash'), 0)`,
  planned_debits: sql`
    select 'loan ' || l.id || ' is ' || l.status || ' and owes ' || coalesce(i.open,
      l.principal_outstanding) || ', its debit is to take ' || p.amount as detail
    from payments p join loans l on l.id = p.loan_id
    left join lateral (select least(n.amount, n.amount_until - l.principal_repaid) as open
      from loan_installments n where n.loan_id = l.id and n.position = p.installment) i on true
    where p.status = 'SCHEDULED' and p.direction = 'IN' and p.payment_method = 'DIRECT_DEBIT'
      and (l.status <> 'TO_REPAY' or p.amount <> coalesce(i.open, l.principal_outstanding))
    limit 5`,
  invoice_financed: sql`
    select 'invoice ' || i.id || ' of ' || coalesce(i.to_pay_amount, i.total_amount, 0)
      || ' is financed by ' || sum(f.amount) as detail
    from invoices i join invoice_loans f on f.invoice_id = i.id join loans l on l.id = f.loan_id
    where l.status not in ('DECLINED', 'CANCELED', 'DELETED')
    group by i.id having sum(f.amount) > coalesce(i.to_pay_amount, i.total_amount, 0) limit 5`,
  invoice_shares: sql`
    select 'loan ' || l.id || ' of ' || l.amount || ' finances ' || coalesce(sum(f.amount), 0)
      || ' of its invoices' as detail
    from loans l left join invoice_loans f on f.loan_id = l.id
    where l.loan_type = 'INVOICE_BASED_FINANCING' and l.status <> 'DECLINED'
    group by l.id having l.amount <> coalesce(sum(f.amount), 0) limit 5`,
  installments: sql`
    select 'loan ' || l.id || ' of ' || l.amount || ' has installments of ' || sum(i.amount)
      as detail
    from loans l join loan_installments i on i.loan_id = l.id
    group by l.id having l.amount <> sum(i.amount) or max(i.amount_until) <> l.amount
      or max(i.due_on) <> l.to_repay_on limit 5`,
  planned_refunds: sql`
    select 'loan ' || l.id || ' is to give back ' || sum(p.amount) || ', holds too much '
      || l.surplus - l.surplus_refunded as detail
    from payments p join loans l on l.id = p.loan_id
    where p.status = 'SCHEDULED' and p.payment_type = 'REFUND'
    group by l.id
    having sum(p.amount) > l.surplus - l.surplus_refunded - coalesce((select sum(f.amount)
      from payments f where f.loan_id = l.id and f.payment_type = 'REFUND'
        and f.status in ('INSTRUCTED', 'IN_TRANSIT')), 0) limit 5`,
  payment_shares: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' has moved ' || sum(m.amount) as detail
    from payments p join loan_movements m on m.payment_id = p.id
    group by p.id having sum(m.amount) <> p.amount order by p.id limit 5`,
}

/** Answers how many loans were recomputed, and what does not agree. */
export async function verifyLoans(tx: Tx): Promise<{ loans: number; findings: Finding[] }> {
  const findings: Finding[] = []
  for (const [check, query] of Object.entries(checks)) {
    for (const { detail } of await tx.all(query)) findings.push({ check, detail })
  }
  let loans = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const slice = await readSlice(tx, after)
    if (slice.length === 0) return { loans, findings }
    for (const loan of slice) findings.push(...recompute(loan, tx.today))
    loans += slice.length
    after = slice.at(-1)!.id
  }
}

function readSlice(tx: Tx, after: string): Promise<KeptLoan[]> {
  return tx.all(sql<KeptLoan>`
    select l.*,
      (select json_agg(json_build_object('id', m.id, 'kind', m.kind, 'amount', m.amount::text,
          'value_on', m.value_on, 'revocable_until', m.revocable_until,
          'principal', m.principal::text, 'interest', m.interest::text,
          'surplus', m.surplus::text))
        from loan_movements m where m.loan_id = l.id and m.voided_at is null) as movements,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
          order by s.from_on)
        from loan_principal_steps s where s.loan_id = l.id) as steps,
      (select json_object_agg(a.code, b.amount::text) from ledger_accounts a
        join ledger_balances b on b.account_id = a.id where a.owner_id = l.id) as books
    from loans l where l.id > ${after} order by l.id limit ${BATCH}`)
}
