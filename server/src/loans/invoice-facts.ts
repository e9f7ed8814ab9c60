/** Reads what the rules look at of invoices, for many requests at once. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { VOID_LOAN } from '../invoices/index.ts'
import type { InvalidParam } from '../kit/problem.ts'
import type { Buyer, FinancedInvoice } from './invoice-rules.ts'

interface Row {
  id: string
  status: string
  status_reason: string | null
  amount: bigint
  financed: bigint
  to_iban: string | null
  seller_key: string | null
  buyer_id: string | null
  financed_elsewhere: boolean
}

type BuyerRow = Omit<Buyer, 'available'> & { max_amount: bigint; used: bigint }

/**
 * Locks invoices in the order of their ids, after the lines; and, of two partners that finance
 * the same invoice at the same moment, lets the second wait for the first.
 */
export async function lockInvoices(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.run(sql`
    select id from invoices where id = any(${ids}::uuid[]) order by id for no key update`)
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(n.name, 0)) from (
      select distinct 'invoice ' || c.company_key || ' ' || upper(i.invoice_number) as name
      from invoices i join counterparties c on c.id = i.seller_id
      where i.id = any(${ids}::uuid[]) and i.invoice_number is not null order by 1) n`)
}

/**
 * Invoices by id, as they are now. What the loan `except` itself finances, or promises, counts as
 * free: it does not stand in its own way when it is decided again.
 */
export async function readInvoices(
  tx: Tx,
  ids: readonly string[],
  except: string | null = null,
): Promise<Map<string, FinancedInvoice>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<Row>`
    select i.id, i.status, i.status_reason, s.company_key as seller_key, i.buyer_id,
      coalesce(i.to_pay_amount, i.total_amount, 0) as amount,
      case when i.to_account->>'account_number_type' = 'iban'
        then i.to_account->>'account_number' end as to_iban,
      coalesce((select sum(f.amount) from invoice_loans f join loans l on l.id = f.loan_id
        where f.invoice_id = i.id and l.id is distinct from ${except}
          and l.status not in ${VOID_LOAN}), 0)::bigint as financed,
      coalesce(invoice_financed_elsewhere(i.partner_id, s.company_key, i.invoice_number), false)
        as financed_elsewhere
    from invoices i left join counterparties s on s.id = i.seller_id
    where i.id = any(${ids}::uuid[])`)
  const buyer_ids = rows.flatMap(row => row.buyer_id ?? [])
  const buyers = await readBuyers(tx, buyer_ids, except)
  return new Map(
    rows.map(({ financed, buyer_id, ...row }) => [
      row.id,
      { ...row, free: row.amount - financed, buyer: buyers.get(buyer_id ?? '') ?? null },
    ]),
  )
}

/** Buyers by id; what is used of their limits is counted as their own answer counts it. */
async function readBuyers(
  tx: Tx,
  ids: readonly string[],
  except: string | null,
): Promise<Map<string, Buyer>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<BuyerRow>`
    select c.id, c.company_key, c.selected_for_financing, c.max_amount_details, c.max_amount,
      coalesce((
        select ceil(sum(share_of(l.principal_outstanding + l.reserved, f.amount, l.amount)))
        from invoices i join invoice_loans f on f.invoice_id = i.id
        join loans l on l.id = f.loan_id
        where i.partner_id = c.partner_id and (i.buyer_id = c.id or i.seller_id = c.id)
          and l.id is distinct from ${except}), 0)::bigint as used
    from counterparties c where c.id = any(${ids}::uuid[])`)
  return new Map(
    rows.map(({ max_amount, used, ...row }) => [row.id, { ...row, available: max_amount - used }]),
  )
}

/** Which of these invoices a partner has, by `partner_id invoice_id`. */
export async function findInvoices(
  tx: Tx,
  wanted: readonly { partner_id: string; invoice_id: string }[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const rows = await tx.all(sql<{ id: string; partner_id: string }>`
    select i.id, i.partner_id from invoices i
    join unnest(${wanted.map(w => w.partner_id)}::uuid[], ${wanted.map(w => w.invoice_id)}::uuid[])
      as w (partner_id, id) on w.partner_id = i.partner_id and w.id = i.id`)
  return new Set(rows.map(row => `${row.partner_id} ${row.id}`))
}

/** The faults of the invoices that a request names, `found` being those that exist. */
export function invoiceFaults(
  { partner_id }: { partner_id: string },
  invoice_ids: readonly string[],
  found: ReadonlySet<string>,
): InvalidParam[] {
  return invoice_ids.flatMap((id, index) =>
    found.has(`${partner_id} ${id}`)
      ? []
      : [{ name: `invoice_ids.${index}`, reason: 'is no invoice of yours' }],
  )
}

/** The invoices that a loan was asked for on, in their order. */
export async function invoicesOf(tx: Tx, loan_id: string): Promise<string[]> {
  const rows = await tx.all(sql<{ invoice_id: string }>`
    select invoice_id from invoice_loans where loan_id = ${loan_id} order by position`)
  return rows.map(row => row.invoice_id)
}
