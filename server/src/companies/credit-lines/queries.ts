/** Reads credit lines and builds their API views. */
import { type CreditLine, type Status, UNDECIDED_LOANS } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { haveKeys, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { Settings } from '../../platform/db/settings.ts'
import {
  type ResourceView,
  type Statement,
  statement,
  type Tx,
} from '../../platform/db/transaction.ts'
import { lastShown } from '../../platform/events/index.ts'
import { type Day, min, parisDay, wireDay } from '../../platform/kit/dates.ts'
import { maxAmount, toWire } from '../../platform/kit/money.ts'
import {
  type BorrowerSummary,
  borrowerSummary,
  lightBusiness,
  type MethodRow,
} from '../borrowers/index.ts'

/** The statuses of undecided loans, as literals, so that PostgreSQL can use the partial index. */
export const UNDECIDED = sql`(${sql.join(UNDECIDED_LOANS.map(status => sql.lit(status)))})`

export interface LineRow {
  id: string
  partner_id: string
  contract_number: string
  pool_amount: bigint
  outstanding: bigint
  reserved: bigint
  undecided: bigint
  starts_on: Day
  ends_on: Day
  /** Set if the borrower was deactivated. */
  closed_at: Date | null
  signed_at: Date
  rate_ppm: number
  mark_up_ppm: number
  fees_paid_by_borrower: boolean
  method: 'DIRECT_DEBIT' | 'SCT' | 'P2P' | null
  from_account: MethodRow['from_account']
  borrower: BorrowerSummary
}

/** The query for lines' views, from `credit_lines l` and `borrowers b`. Append a `where`. */
export function selectLines(
  more: RawBuilder<unknown>,
  from: RawBuilder<unknown> = sql`credit_lines`,
): RawBuilder<LineRow> {
  return sql<LineRow>`
    select l.*, p.rate_ppm, ${borrowerSummary} as borrower, m.payment_method as method,
      m.from_account, t.mark_up_ppm, t.fees_payer = 'BORROWER' as fees_paid_by_borrower,
      (select coalesce(sum(n.reserved), 0)::bigint from loans n
        where n.partner_id = b.partner_id and n.borrower_id = b.id
        and n.status in ${UNDECIDED}) as undecided ${more}
    from ${from} l
    join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
    join products p on p.product_type = 'WALLET_FINANCING'
    join product_terms t on t.partner_id = l.partner_id and t.product_id = p.id
    left join repayment_methods m on m.partner_id = b.partner_id and m.borrower_id = b.id
      and m.is_main`
}

/** Available credit in cents; never negative, even if a lowered limit is exceeded. */
export function balanceAvailable(line: {
  pool_amount: bigint
  outstanding: bigint
  reserved: bigint
}): bigint {
  const left = line.pool_amount - line.outstanding - line.reserved
  return maxAmount(left, 0n)
}

/** Converts a rate in parts per million to the API's percentage per day: 500 becomes 0.05. */
export function dailyRate(ppm: number): number {
  return ppm / 10_000
}

/** Interest, the partner's mark-up, and their sum: the total cost per day. */
export function dailyRates({ rate_ppm, mark_up_ppm }: { rate_ppm: number; mark_up_ppm: number }) {
  return {
    fees_daily_rate: dailyRate(rate_ppm + mark_up_ppm),
    fees_interest_daily_rate: dailyRate(rate_ppm),
    fees_operating_daily_rate: dailyRate(mark_up_ppm),
  }
}

/**
 * `balance_pending_validation` is reserved for undecided loans; `balance_pending` is the rest of
 * the reserved amount.
 */
export function creditLineView(settings: Settings, line: LineRow): CreditLine {
  const company = lightBusiness(line.borrower)
  return {
    id: line.id,
    contract_number: line.contract_number,
    loan_contract_type: 'CREDIT_OPERATION',
    distribution: 'PARTNER',
    currency: 'EUR',
    pool_amount: toWire(line.closed_at ? 0n : line.pool_amount),
    balance_available: toWire(line.closed_at ? 0n : balanceAvailable(line)),
    balance_pending: toWire(line.reserved - line.undecided),
    balance_pending_validation: toWire(line.undecided),
    start_date: wireDay(line.starts_on),
    end_date: wireDay(line.closed_at ? min(line.ends_on, parisDay(line.closed_at)) : line.ends_on),
    signed_at: line.signed_at.toISOString(),
    ...dailyRates(line),
    vat: 0,
    fees_payer: line.fees_paid_by_borrower ? company : null,
    default_borrower: company,
    default_borrower_strategy: null,
    default_guarantor: null,
    default_repayment_from: line.from_account,
    default_repayment_method: line.method ?? 'DIRECT_DEBIT',
    ...lenderAccounts(settings),
  }
}

/** The accounts that pay loans out and collect repayments. */
export function lenderAccounts({ lender }: Settings) {
  return {
    default_loan_from: account(lender.funding_iban, lender.funding_bic),
    default_repayment_to: account(lender.collection_iban, lender.collection_bic),
  }
}

function account(account_number: string, bank_identifier: string) {
  return {
    account_number,
    account_number_type: 'iban',
    bank_identifier,
    bank_identifier_type: 'bic',
  } as const
}

type LineViews = Map<string, ResourceView & { data: CreditLine }>

/** Views of credit lines for events. */
export async function creditLineViews(tx: Tx, keys: readonly RowKey[]): Promise<LineViews> {
  const [views] = await tx.inOrder([viewsOfLines(tx, keys)])
  return views
}

export function viewsOfLines({ settings }: Tx, keys: readonly RowKey[]): Statement<LineViews> {
  type Shown = LineRow & Pick<ResourceView, 'last_shown'>
  const query = sql<Shown>`${selectLines(sql`, ${lastShown('l', 'CreditLi')}`)}
    where ${haveKeys(keys, 'l')} order by l.id`
  return statement(query, rows => {
    const views = rows.map(row => {
      const { id, partner_id, last_shown } = row
      return [id, { partner_id, data: creditLineView(settings, row), last_shown }] as const
    })
    return new Map(views)
  })
}

export interface ListedOverride {
  readonly id: string
  readonly status: Status<'limit_override'>
  readonly credit_line_id: string
  /** Cents. */
  readonly pool_amount: bigint
  /** The last day of the override; null if it lasts until an operator ends it. */
  readonly until_on: Day | null
  readonly reason: string
  readonly email: string
}

/**
 * All overrides of a borrower's limit, newest first. Operators identify the borrower by its id
 * alone.
 */
export async function readLimitsOf(
  tx: Tx,
  borrower_id: string,
): Promise<(ListedOverride & { proposed_at: Date; approver: string | null })[]> {
  return tx.all(sql<ListedOverride & { proposed_at: Date; approver: string | null }>`
    select o.id, o.status, o.credit_line_id, o.pool_amount, o.until_on, o.reason, o.proposed_at,
      p.email, a.email as approver
    from limit_overrides o
    join credit_lines l on l.partner_id = o.partner_id and l.id = o.credit_line_id
    join operators p on p.id = o.proposed_by left join operators a on a.id = o.approved_by
    where ${ofEachPartner('l')} and l.borrower_id = ${borrower_id} order by o.id desc`)
}
