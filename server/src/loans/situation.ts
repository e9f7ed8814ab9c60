/** Reads everything the rules look at, under the locks that keep it true. */
import { type Selectable, sql } from 'kysely'
import type { DB } from '../db/schema.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import type { Situation } from './rules.ts'

export type ProductRow = Selectable<DB['products']>

/** The borrower of a request with all that a loan takes from it. */
export interface BorrowerFacts {
  id: string
  partner_id: string
  name: string
  country: string
  company_key: string
  preferred_language: string
  business_email: string | null
  status: string
  signed_at: Date | null
  is_active: boolean
  compliance: string
  method: 'DIRECT_DEBIT' | 'SCT' | 'P2P' | null
  mandate_id: string | null
  from_account: { account_number: string; bank_identifier: string | null } | null
  credit_line_id: string | null
  pool_amount: bigint | null
  outstanding: bigint | null
  reserved: bigint | null
  ends_on: Day | null
  exposure: bigint
  exposure_max: bigint
  due_days: Day[]
  own_accounts: string[]
}

/** Reads one borrower of a partner by id, with its line, method and what it still owes. */
export async function readBorrowerFacts(
  tx: Tx,
  partner_id: string,
  borrower_id: string,
): Promise<BorrowerFacts> {
  return tx.one(sql<BorrowerFacts>`
    select b.id, b.partner_id, b.name, b.country, b.company_key, b.preferred_language,
      b.business_email, b.status, b.signed_at, coalesce((b.company->>'is_active')::boolean, true)
        as is_active,
      c.status as compliance, m.payment_method as method, m.mandate_id, m.from_account,
      l.id as credit_line_id, l.pool_amount, l.outstanding, l.reserved, l.ends_on,
      p.exposure, p.exposure_max,
      array(select to_repay_on::text from loans where borrower_id = b.id
        and status = 'TO_REPAY') as due_days,
      array(select account_number from borrower_accounts where borrower_id = b.id) as own_accounts
    from borrowers b
    join partners p on p.id = b.partner_id
    join compliance_checks c on c.borrower_id = b.id
    left join repayment_methods m on m.borrower_id = b.id and m.is_main and m.status = 'READY'
    left join credit_lines l on l.borrower_id = b.id
    where b.id = ${borrower_id} and b.partner_id = ${partner_id}`)
}

/** The id of a partner's borrower by its company key, or undefined. */
export async function findBorrower(
  tx: Tx,
  partner_id: string,
  company_key: string,
): Promise<{ id: string } | undefined> {
  return tx.maybe(sql<{ id: string }>`
    select id from borrowers where partner_id = ${partner_id} and company_key = ${company_key}`)
}

export async function readProduct(tx: Tx, product_type: string): Promise<ProductRow | undefined> {
  return tx.maybe(sql<ProductRow>`select * from products where product_type = ${product_type}`)
}

/**
 * The situation as the rules want it. `held` is what the loan itself already reserves, when it is
 * decided again later: its own promise does not stand in its way.
 */
export function situationOf(
  tx: Tx,
  facts: BorrowerFacts,
  product: ProductRow | undefined,
  payout_on: Day,
  held = 0n,
): Situation {
  const line =
    facts.pool_amount === null
      ? null
      : {
          available: facts.pool_amount - facts.outstanding! - facts.reserved! + held,
          ends_on: facts.ends_on!,
        }
  return {
    today: tx.today,
    product: product ?? null,
    borrower: {
      status: facts.status,
      signed: facts.signed_at !== null,
      compliance: facts.compliance,
      method_ready: facts.method !== null,
      active: facts.is_active,
    },
    line,
    partner_available: facts.exposure_max - facts.exposure + held,
    due_days: facts.due_days,
    payout_on,
  }
}
