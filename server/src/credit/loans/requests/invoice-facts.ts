/** Reads the facts about invoices that the rules need, for many requests at once. */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import { limitUsed } from '../../../companies/counterparties/index.ts'
import type { Caller } from '../../../platform/access/index.ts'
import { lockNamesOf } from '../../../platform/db/locks.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { type Statement, statement, type Tx } from '../../../platform/db/transaction.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { FINANCES } from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import type { FinancedInvoice, Party } from './invoice-rules.ts'
import type { LoanBody } from './read-request.ts'

interface Row {
  partner_id: string
  id: string
  status: Status<'invoice'>
  status_reason: string | null
  amount: bigint
  financed: bigint
  to_iban: string | null
  seller_id: string | null
  buyer_id: string | null
  financed_elsewhere: boolean
}

type PartyRow = Omit<Party, 'available'> & { max_amount: bigint; used: bigint }

/**
 * Locks invoices, after the credit lines, in the order of their ids. Also locks them by seller and
 * number, so that two partners cannot finance the same invoice at the same time.
 */
export async function lockInvoices(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.run(sql`
    select id from invoices where ${haveKeys(keys, 'invoices')} order by id for no key update`)
  const names = sql`
    select distinct c.company_key || ' ' || upper(i.invoice_number) as name
    from invoices i
    join counterparties c on c.partner_id = i.partner_id and c.id = i.seller_id
    where ${haveKeys(keys, 'i')} and i.invoice_number is not null order by 1`
  await lockNamesOf(tx, 'invoice', names)
}

/**
 * Current invoices by id. Amounts financed or reserved by the loan `except` count as free, so that
 * it does not block itself when it is decided again.
 */
export async function readInvoices(
  tx: Tx,
  keys: readonly RowKey[],
  except: string | null = null,
): Promise<Map<string, FinancedInvoice>> {
  if (keys.length === 0) return new Map()
  const rows = await tx.all(sql<Row>`
    select i.partner_id, i.id, i.status, i.status_reason, i.seller_id, i.buyer_id,
      coalesce(i.to_pay_amount, i.total_amount, 0) as amount,
      case when i.to_account->>'account_number_type' = 'iban'
        then i.to_account->>'account_number' end as to_iban,
      coalesce((select sum(f.amount) from invoice_loans f
        join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
        where f.partner_id = i.partner_id and f.invoice_id = i.id
          and l.id is distinct from ${except} and ${FINANCES}), 0)::bigint as financed,
      coalesce(invoice_financed_elsewhere(i.partner_id, s.company_key, i.invoice_number), false)
        as financed_elsewhere
    from invoices i
    left join counterparties s on s.partner_id = i.partner_id and s.id = i.seller_id
    where ${haveKeys(keys, 'i')}`)
  const sides = rows.flatMap(({ partner_id, seller_id, buyer_id }) =>
    [seller_id, buyer_id].flatMap(id => (id === null ? [] : [{ partner_id, id }])),
  )
  const parties = await readParties(tx, sides, except)
  const party = (id: string | null) => parties.get(id ?? '') ?? null
  return new Map(
    rows.map(({ financed, seller_id, buyer_id, ...row }) => [
      row.id,
      {
        ...row,
        free: row.amount - financed,
        seller: party(seller_id),
        buyer: party(buyer_id),
      },
    ]),
  )
}

/** Companies by id, with the unused part of their limits, computed as in the counterparty view. */
async function readParties(
  tx: Tx,
  keys: readonly RowKey[],
  except: string | null,
): Promise<Map<string, Party>> {
  if (keys.length === 0) return new Map()
  const rows = await tx.all(sql<PartyRow>`
    select c.id, c.company_key, c.selected_for_financing, c.max_amount_details,
      c.insolvent_since, c.max_amount,
      ${limitUsed(except)} as used
    from counterparties c where ${haveKeys(keys, 'c')}`)
  return new Map(
    rows.map(({ max_amount, used, ...row }) => [row.id, { ...row, available: max_amount - used }]),
  )
}

/** The stored invoices of requests, by `partner_id invoice_id`, with the account to be paid. */
export type InvoicesById = ReadonlyMap<string, { readonly account_number: string | null }>

/** The statement that finds partners' invoices by id; null if none is wanted. */
export function findInvoicesById(
  wanted: readonly { partner_id: string; invoice_id: string }[],
): Statement<InvoicesById> | null {
  if (wanted.length === 0) return null
  const query = sql<{ id: string; partner_id: string; account_number: string | null }>`
    select i.id, i.partner_id, i.to_account->>'account_number' as account_number from invoices i
    join unnest(${wanted.map(w => w.partner_id)}::uuid[], ${wanted.map(w => w.invoice_id)}::uuid[])
      as w (partner_id, id) on w.partner_id = i.partner_id and w.id = i.id`
  return statement(query, rows => new Map(rows.map(row => [`${row.partner_id} ${row.id}`, row])))
}

type InvoiceRefs = Pick<
  WellFormed<LoanBody>,
  'invoice_ids' | 'invoices' | 'to_account' | 'loan_type'
>

/**
 * The errors about a request's invoices; `found` are those of its stored invoices that exist. An
 * invoice without an account needs the request's `to_account` (not in version 2023-09). If both
 * have an account, these must match.
 */
export function invoiceFaults(
  { partner_id, version }: Pick<Caller, 'partner_id' | 'version'>,
  body: InvoiceRefs,
  found: InvoicesById,
): InvalidParam[] {
  const { invoice_ids = [], invoices = [], to_account } = body
  if (!financesInvoices(body.loan_type ?? '')) return []
  const named = invoice_ids.map(id => found.get(`${partner_id} ${id}`))
  const faults = named.flatMap((one, index) =>
    one || !invoice_ids[index]
      ? []
      : [{ name: `invoice_ids.${index}`, reason: 'is no invoice of yours' }],
  )
  const accounts = [
    ...named.flatMap(one => (one ? [one.account_number] : [])),
    ...invoices.map(one => (one?.to_account ? (one.to_account.account_number ?? '') : null)),
  ]
  if (!to_account) {
    if (!accounts.includes(null) || version === '2023-09') return faults
    const reason = 'is required for invoice financing, here or in every invoice'
    return [...faults, { name: 'to_account', reason }]
  }
  const { account_number } = to_account
  const differs = (other: string | null) => other && plain(other) !== plain(account_number!)
  if (!account_number || !accounts.some(differs)) return faults
  return [...faults, { name: 'to_account', reason: 'differs from the account of the invoice' }]
}

/** Normalizes an account number for comparison. */
function plain(account_number: string): string {
  return account_number.replace(/\s/g, '').toUpperCase()
}

/** The keys of the invoices that a loan was requested on, in order. */
export async function invoicesOf(tx: Tx, { partner_id, id }: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, invoice_id as id from invoice_loans
    where partner_id = ${partner_id} and loan_id = ${id} order by position`)
}
