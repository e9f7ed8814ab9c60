/** Reads the facts that the rules need, for many requests at once. */
import type { Status } from '@headroom/contract'
import { type Selectable, sql } from 'kysely'
import {
  BORROWER_REGISTRY_CHANGED,
  complianceOn,
  isTooYoung,
} from '../../../companies/borrowers/index.ts'
import { COUNTERPARTY_REGISTRY_CHANGED } from '../../../companies/counterparties/index.ts'
import {
  asLockedLine,
  exposureLockCtes,
  type WithLockedLine,
} from '../../../companies/credit-lines/index.ts'
import { isPublicBody } from '../../../countries/index.ts'
import { lockNames } from '../../../platform/db/locks.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { type Statement, statement, type Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import {
  type DueBill,
  dunningStartsOn,
  isInArrears,
  type OverdueLoan,
  waitsForDebit,
} from '../dates.ts'
import { graceDaysOf, nextDebitsOf } from '../due-facts.ts'
import type { Fees } from '../payer.ts'
import type { LoanBody } from './read-request.ts'
import type { RegistryStatus } from './registry-status.ts'
import type { DecisionInputs } from './rules.ts'

export type ProductRow = Selectable<DB['products']>

/** A borrower, with the data that the rules for loans need. */
export interface BorrowerFacts {
  id: string
  partner_id: string
  name: string
  identifier: string
  country: string
  company_key: string
  status: Status<'borrower'>
  signed_at: Date | null
  is_active: boolean
  /** Whether the registry has answered about the company. */
  is_known: boolean
  insolvent_since: Day | null
  creation_date: string | null
  compliance: Status<'compliance'>
  method: 'DIRECT_DEBIT' | 'SCT' | 'P2P' | null
  mandate_id: string | null
  wallet_id: string | null
  credit_line_id: string | null
  pool_amount: bigint | null
  outstanding: bigint | null
  reserved: bigint | null
  ends_on: Day | null
  exposure: bigint
  exposure_max: bigint
  /** The fee terms agreed with its partner, by product id. */
  fees: Record<string, Fees>
  /** Due bills of the partner itself; null if none. */
  partner_due: DueBill[] | null
  /** Whether an operator has stopped the partner's lending. */
  partner_stopped: boolean
  /** Loans past their due date; null if none. */
  overdue: OverdueLoan[] | null
  /** The account numbers on the borrower's file, IBANs and others; wallets are separate. */
  own_accounts: string[]
  own_wallets: string[]
}

/** The columns of a borrower's partner `p` that the rules need. */
export const partnerFacts = (on: Day) => sql`p.exposure, p.exposure_max,
  (select json_object_agg(product_id, json_build_object('mark_up_ppm', mark_up_ppm,
      'fees_payer', fees_payer))
    from product_terms where partner_id = p.id) as fees,
  (select json_agg(json_build_object('due_on', d.due_on, 'grace_days', ${graceDaysOf('d')}))
    from bills d where d.partner_id = p.id and d.borrower_id is null
      and d.status in ('TO_PAY', 'VALIDATED') and d.due_on <= ${on}
      and (d.status = 'TO_PAY' or exists (select from partner_companies c
        where c.partner_id = d.partner_id and c.sends_bills))) as partner_due,
  exists (select from kill_switches k where k.partner_id = p.id
    and k.lifted_at is null) as partner_stopped`

export const COMPANY_FACTS = sql`
  b.company->>'is_active' is not null as is_known,
  coalesce((b.company->>'is_active')::boolean, true) as is_active,
  b.company->>'insolvent_since' as insolvent_since, b.company->>'creation_date' as creation_date`

/** A loan `n` as an `OverdueLoan`. */
export const DUNNED_LOAN = sql`json_build_object('due_on', n.due_on,
  'paid_out_on', n.paid_out_on, 'repayment_method', n.repayment_method,
  'debits', ${nextDebitsOf('n')},
  'reclaimed_known_on', n.reclaimed_known_on)`

export async function readBorrowerFacts(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, BorrowerFacts>> {
  const [facts] = await tx.inOrder([borrowerFactsStatement(tx, keys)])
  return facts
}

function borrowerFactsStatement(
  tx: Tx,
  keys: readonly RowKey[],
): Statement<Map<string, BorrowerFacts>> {
  const query = sql<BorrowerFacts>`
    select b.id, b.partner_id, b.name, b.identifier, b.country, b.company_key, b.status,
      b.signed_at, ${COMPANY_FACTS}, ${complianceOn('c', tx.today)} as compliance,
      m.payment_method as method, m.mandate_id, m.wallet_id, l.id as credit_line_id, l.pool_amount,
      l.outstanding, l.reserved, l.ends_on, ${partnerFacts(tx.today)},
      (select json_agg(${DUNNED_LOAN}) from loans n
        where n.partner_id = b.partner_id and n.borrower_id = b.id
        and n.status = 'TO_REPAY' and n.due_on < ${tx.today}) as overdue,
      array(select account_number from borrower_accounts
        where partner_id = b.partner_id and borrower_id = b.id
          and account_number_type <> 'internal_id') as own_accounts,
      array(select account_number from wallets
        where partner_id = b.partner_id and borrower_id = b.id) as own_wallets
    from borrowers b
    join partners p on p.id = b.partner_id
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    left join repayment_methods m on m.partner_id = b.partner_id and m.borrower_id = b.id
      and m.is_main and m.status = 'READY'
    left join credit_lines l on l.partner_id = b.partner_id and l.borrower_id = b.id
    where ${haveKeys(keys, 'b')} order by b.id`
  return statement(query, rows => new Map(rows.map(row => [row.id, row])))
}

export interface FoundBorrower {
  readonly id: string
  /** Product types by `borrower_financial_product_id`; null if none. */
  readonly products: Readonly<Record<string, string>> | null
}

const PRODUCTS = sql`(select json_object_agg(o.id, p.product_type order by o.id)
  from borrower_products o join products p on p.id = o.product_id
  where o.partner_id = b.partner_id and o.borrower_id = b.id)`

/** The keys by which a request is matched: its client reference, and its company. */
export interface RequestKeys {
  readonly partner_id: string
  readonly salt_id: string | null
  /** Null if the request has no valid company. */
  readonly company_key: string | null
}

export interface RequestMatch {
  /** The loan already requested with the same client reference. */
  readonly first: { readonly id: string; readonly request_hash: string } | null
  readonly borrower: FoundBorrower | null
  /** The number of reported registry statuses that differ from those stored. */
  readonly news: number
}

/** Finds the records to which requests refer, in the order of the requests. */
export function findRequestMatches(
  names: readonly RequestKeys[],
  statuses: readonly RegistryStatus[],
): Statement<RequestMatch[]> {
  const query = sql<RequestMatch>`
    with fetched as (select * from unnest(${statuses.map(s => s.partner_id)}::uuid[],
        ${statuses.map(s => s.company_key)}::text[], ${statuses.map(s => s.is_active)}::boolean[],
        ${statuses.map(s => s.insolvent_since)}::text[],
        ${statuses.map(s => s.creation_date)}::text[])
      as s (partner_id, company_key, is_active, insolvent_since, creation_date))
    select case when l.id is not null
        then json_build_object('id', l.id, 'request_hash', l.request_hash) end as first,
      case when b.id is not null
        then json_build_object('id', b.id, 'products', ${PRODUCTS}) end as borrower,
      (select count(*)::int from fetched s where exists (
          select from borrowers b
          where b.partner_id = s.partner_id and ${BORROWER_REGISTRY_CHANGED})
        or exists (select from counterparties c where ${COUNTERPARTY_REGISTRY_CHANGED})) as news
    from unnest(${names.map(n => n.partner_id)}::uuid[], ${names.map(n => n.salt_id)}::text[],
        ${names.map(n => n.company_key)}::text[])
      with ordinality as n (partner_id, salt_id, company_key, at)
    left join loans l on l.partner_id = n.partner_id and l.salt_id = n.salt_id
    left join borrowers b on b.partner_id = n.partner_id and b.company_key = n.company_key
    order by n.at`
  return statement(query)
}

/** The error in a request's borrower or product; null if there is none. */
export function borrowerFault(
  found: FoundBorrower | null | undefined,
  { borrower_financial_product_id: id, loan_type }: WellFormed<LoanBody>,
): InvalidParam | null {
  if (!found) {
    return { name: 'borrower.identifier', reason: 'is no borrower of yours: create it first' }
  }
  const type = id && found.products?.[id.toLowerCase()]
  const fault = (reason: string) => ({ name: 'borrower_financial_product_id', reason })
  if (id && !type) return fault('is none of this borrower')
  return type && loan_type && type !== loan_type ? fault(`is its product for ${type}`) : null
}

export async function readProducts(tx: Tx): Promise<Map<string, ProductRow>> {
  return byType(await tx.all(sql<ProductRow>`select * from products order by id`))
}

/** Facts read under the lock of the borrower's credit line. */
export type LockedFacts = WithLockedLine<BorrowerFacts>

/**
 * Two statements: one locks the borrowers' partners and credit lines and reads all products, the
 * other reads the borrowers under these locks.
 */
export function lockedFacts(tx: Tx, owners: readonly Owner[]) {
  const keys = new Map(owners.map(({ partner_id, borrower_id: id }) => [id, { partner_id, id }]))
  const { query, read } = borrowerFactsStatement(tx, [...keys.values()])
  const facts = statement(query, rows => {
    const known = [...read(rows)].map(([id, row]) => [id, asLockedLine(row)] as const)
    return new Map<string, LockedFacts>(known)
  })
  return [lockExposureAndReadProducts(owners), facts] as const
}

interface Owner {
  readonly partner_id: string
  readonly borrower_id: string
}

function lockExposureAndReadProducts(owners: readonly Owner[]): Statement<Map<string, ProductRow>> {
  const { ctes, held } = exposureLockCtes(sql`
    select * from unnest(${owners.map(o => o.partner_id)}::uuid[],
      ${owners.map(o => o.borrower_id)}::uuid[]) as o (partner_id, borrower_id)`)
  return statement(
    sql<ProductRow>`${ctes} select * from products where ${held} order by id`,
    byType,
  )
}

function byType(rows: readonly ProductRow[]): Map<string, ProductRow> {
  return new Map(rows.map(row => [row.product_type, row]))
}

export async function readProduct(tx: Tx, { loan_type }: LoanOfType): Promise<ProductRow> {
  const product = (await readProducts(tx)).get(loan_type)
  assert(product, `a loan was accepted without a product for ${loan_type}`)
  return product
}

interface LoanOfType {
  readonly loan_type: string
}

/**
 * The fee terms agreed for a product. Without agreed terms, the borrower pays the fees and there is
 * no mark-up.
 */
export function feesOf(
  { fees }: Pick<BorrowerFacts, 'fees'>,
  product: ProductRow | undefined,
): Fees {
  return (product && fees[product.id]) ?? { fees_payer: 'BORROWER', mark_up_ppm: 0 }
}

/**
 * The given accounts that are on file for another company, of any partner, as `iban company_key`.
 * Locks the IBANs.
 */
export async function accountsOfOthers(
  tx: Tx,
  accounts: readonly { iban: string; company_key: string }[],
): Promise<Set<string>> {
  if (accounts.length === 0) return new Set()
  // Serializes concurrent claims of two companies to one account.
  await lockNames(
    tx,
    'iban',
    accounts.map(a => a.iban),
  )
  const rows = await tx.all(sql<{ iban: string; key: string }>`
    select a.iban, a.key from unnest(${accounts.map(a => a.iban)}::text[],
      ${accounts.map(a => a.company_key)}::text[]) as a (iban, key)
    where account_of_another(a.iban, a.key)`)
  return new Set(rows.map(row => `${row.iban} ${row.key}`))
}

/** The facts that `decisionInputsOf` needs; borrowers with equal facts can share them. */
export type CurrentFacts = Omit<
  BorrowerFacts,
  | ('id' | 'name' | 'company_key' | 'mandate_id' | 'wallet_id' | 'credit_line_id')
  | ('own_accounts' | 'own_wallets')
>

/**
 * The facts in the form that the rules take. `held` is the amount the loan itself already reserves
 * when it is decided again, so that it does not block itself.
 */
export function decisionInputsOf(
  today: Day,
  facts: CurrentFacts,
  product: ProductRow | undefined,
  payout_on: Day,
  held = 0n,
): DecisionInputs {
  const line =
    facts.pool_amount === null
      ? null
      : {
          available: facts.pool_amount - facts.outstanding! - facts.reserved! + held,
          ends_on: facts.ends_on!,
        }
  return {
    today,
    product: product ?? null,
    borrower: {
      status: facts.status,
      signed: facts.signed_at !== null,
      compliance: facts.compliance,
      method_ready: facts.method !== null,
      known: facts.is_known,
      active: facts.is_active,
      insolvent: facts.insolvent_since !== null,
      too_young:
        facts.is_known &&
        isTooYoung(facts.creation_date, product?.company_age_months_min ?? 0, today),
      public_body: isPublicBody(facts),
    },
    line,
    partner_available: facts.exposure_max - facts.exposure + held,
    fees_unpaid:
      feesOf(facts, product).fees_payer === 'PARTNER' &&
      (facts.partner_due ?? []).some(bill => isInArrears(bill, today)),
    partner_stopped: facts.partner_stopped,
    late_days: (facts.overdue ?? []).filter(loan => !waitsForDebit(loan)).map(dunningStartsOn),
    payout_on,
  }
}
