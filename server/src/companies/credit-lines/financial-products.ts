/** A borrower's products: their status, amounts, configuration and terms. */
import {
  alpha3,
  type BorrowerFinancialProduct,
  type ProductStatus,
  type Status,
} from '@headroom/contract'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import {
  documentAddress,
  type StoredTerms,
  termsLanguages,
} from '../../integrations/documents/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { newestFirst, type Page, readPage } from '../../platform/db/page.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { ResourceView, Tx } from '../../platform/db/transaction.ts'
import { lastShown } from '../../platform/events/index.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { type BorrowerRow, currentTerms, monthlyFeeOf } from '../borrowers/index.ts'
import { balanceAvailable, dailyRate, UNDECIDED } from './queries.ts'

type Configuration = BorrowerFinancialProduct['financial_product']['configuration']
type Product = Selectable<DB['products']>

interface Line {
  pool_amount: bigint
  outstanding: bigint
  reserved: bigint
  undecided: bigint
  ends_on: Day
}

/** The columns of `credit_lines` are null if the borrower has no line yet. */
type Row = Pick<BorrowerRow, 'status' | 'country' | 'preferred_language' | 'status_reason'> & {
  id: string
  partner_id: string
  borrower_id: string
  compliance_status: Status<'compliance'>
  subscription_id: string | null
  /** Cents per month, agreed when the subscription was activated; null before. */
  agreed_fee: bigint | null
  product: Product
  mark_up_ppm: number
  fees_payer: 'BORROWER' | 'PARTNER'
} & { [K in keyof Line]: Line[K] | null }

const STATUSES: Record<Status<'borrower'>, ProductStatus> = {
  TO_SIGN: 'TO_SIGN',
  SIGNED: 'PENDING_USER_ACTION',
  SDD_SETUP: 'CREATED',
  ALL_PAYMENT_SETUP: 'CREATED',
  READY: 'READY',
  BLOCKED: 'BLOCKED',
  PROHIBITED: 'BLOCKED',
  DEACTIVATED: 'DEACTIVATED',
}

function selectProducts(more: RawBuilder<unknown>): RawBuilder<Row> {
  return sql<Row>`
    select bp.id, bp.partner_id, bp.borrower_id, b.status, b.country, b.preferred_language,
      b.status_reason, c.status as compliance_status, to_jsonb(p) as product,
      t.mark_up_ppm, t.fees_payer,
      s.id as subscription_id, s.monthly_fee as agreed_fee,
      l.pool_amount, l.outstanding, l.reserved, l.ends_on,
      (select coalesce(sum(n.reserved), 0)::bigint from loans n
        where n.partner_id = b.partner_id and n.borrower_id = b.id
        and n.status in ${UNDECIDED}) as undecided ${more}
    from borrower_products bp
    join products p on p.id = bp.product_id
    join product_terms t on t.partner_id = bp.partner_id and t.product_id = p.id
    join borrowers b on b.partner_id = bp.partner_id and b.id = bp.borrower_id
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    left join credit_lines l on l.partner_id = b.partner_id and l.borrower_id = b.id
    left join subscriptions s on s.partner_id = bp.partner_id and s.borrower_product_id = bp.id`
}

export async function listFinancialProducts(
  tx: Tx,
  borrower: { id: string; partner_id: string },
  path: string,
  query: { page_size: number; cursor?: string | undefined },
): Promise<Page<BorrowerFinancialProduct>> {
  const page = await readPage(
    tx,
    { path, ...query },
    newestFirst(sql.ref('bp.id')),
    (where, key) => sql<Row>`${selectProducts(sql`, ${key}`)}
      where bp.borrower_id = ${borrower.id} and bp.partner_id = ${borrower.partner_id}
        and ${where}`,
  )
  return { ...page, data: await viewsOf(tx, page.data) }
}

/** Views of borrowers' products for events. */
export async function financialProductViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const shown = lastShown('bp', 'BorrowerFinancialProduct')
  const rows = await tx.all(sql<Row & Pick<ResourceView, 'last_shown'>>`
    ${selectProducts(sql`, ${shown}`)} where ${haveKeys(keys, 'bp')} order by bp.id`)
  const views = await viewsOf(tx, rows)
  return new Map(
    rows.map(({ id, partner_id, last_shown }, index) => [
      id,
      { partner_id, data: views[index]!, last_shown },
    ]),
  )
}

async function viewsOf(tx: Tx, rows: readonly Row[]): Promise<BorrowerFinancialProduct[]> {
  const countries = [...new Set(rows.map(row => row.country))]
  const kept = countries.length > 0 ? await currentTerms(tx, countries) : []
  return rows.map(row => productView(tx, row, kept))
}

function productView(tx: Tx, row: Row, kept: readonly StoredTerms[]): BorrowerFinancialProduct {
  const { product } = row
  const line = row.pool_amount === null ? null : (row as Line)
  const available = line && balanceAvailable(line)
  const usable = row.status === 'READY' && row.compliance_status === 'APPROVED'
  return {
    id: row.id,
    borrower_id: row.borrower_id,
    status: STATUSES[row.status]!,
    status_reason: row.status_reason as BorrowerFinancialProduct['status_reason'],
    can_request_loan: usable && line !== null && line.ends_on >= tx.today && available! > 0n,
    max_amount: line && toWire(line.pool_amount),
    available_amount: available === null ? null : toWire(available),
    amount_outstanding: line && toWire(line.outstanding),
    amount_pending_validation: line && toWire(line.undecided),
    fees_daily_rate: dailyRate(product.rate_ppm + row.mark_up_ppm),
    unlock_loan_request_link: null,
    financial_product: {
      name: product.name,
      product_type: product.product_type as 'WALLET_FINANCING',
      configuration: configurationOf(tx, row, kept),
    },
  }
}

function configurationOf(tx: Tx, row: Row, kept: readonly StoredTerms[]): Configuration {
  const { product } = row
  const by_borrower = row.fees_payer === 'BORROWER'
  return {
    contract_type: 'CREDIT_OPERATION',
    billing: {
      bill_overdue_threshold_in_days: product.bill_grace_days,
      loan_overdue_threshold_in_days: product.late_grace_days,
      penalties_disabled: true,
      fees_payers: [
        {
          billed_business_id: by_borrower ? row.borrower_id : null,
          fees_payer_role: row.fees_payer,
          interests_tracking_time: 'MONTHLY',
        },
      ],
    },
    contract_generation_settings: null,
    contract_templates: null,
    depositing_rules: null,
    installments: {
      available_types: ['IN_FINE', 'INSTALLMENTS'],
      maximum_reschedule_payment_in_days: product.duration_days_max,
      minimum_anticipate_payment_in_days: 0,
      minimum_business_days_until_due_date_to_reschedule_payment: product.change_notice_days,
    },
    risk_mitigation_config: null,
    subscription: {
      monthly_fee_cents: Number(monthlyFeeOf(row.agreed_fee, product)),
      sdd_account_detail_id: null,
      subscription_id: row.subscription_id,
    },
    tcs_documents: termsOf(tx, row, kept),
    ux: {
      aggregation_scenarios: null,
      fp_status_on_manual_review_eligibility: 'READY',
      loan_request: {
        display_available_balance: true,
        mandatory_options: [],
        minimum_duration_in_days: product.duration_days_min,
        maximum_duration_in_days: product.duration_days_max,
        maximum_loan_amount_in_cents: Number(product.amount_max),
      },
    },
  }
}

/**
 * The country's terms in each available language. The default is the one that the borrower signs.
 */
function termsOf(tx: Tx, row: Row, kept: readonly StoredTerms[]): Configuration['tcs_documents'] {
  const languages = termsLanguages(row.country)
  const preferred = languages.find(language => language === row.preferred_language)
  return kept
    .filter(terms => terms.country === row.country)
    .toSorted((a, b) => languages.indexOf(a.language) - languages.indexOf(b.language))
    .map(terms => ({
      country: alpha3(row.country),
      language: terms.language,
      document_url: documentAddress(tx.settings, terms.id),
      is_default: terms.language === (preferred ?? languages[0]),
    }))
}
