/** Reads referrers and revenue shares and builds their API views. */
import type { Referrer, RevenueShare } from '@headroom/contract'
import { sql } from 'kysely'
import { documentAddress } from '../../integrations/documents/index.ts'
import { selectPayments, viewPayment } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { durationOf } from './rules.ts'
import type { ReferrerRow, ShareRow } from './store.ts'

const PPM_PER_PERCENT = 10_000

/** Fixed ids of the lender and its rule set, of which a deployment has one each. */
const SHOWN_LENDER_ID = '01900000-0000-7000-8000-000000000100'
const RULES_ID = '01900000-0000-7000-8000-000000000101'

interface Product {
  id: string
  name: string
  product_type: Referrer['financial_products'][number]['product_type']
}

type ViewRow = ReferrerRow & {
  codes: string[]
  products: Product[]
  shares: Referrer['revenue_shares']
}

export async function findReferrerView(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<Referrer | undefined> {
  const row = await tx.maybe(sql<ViewRow>`
    select r.*,
      (select array_agg(c.code order by c.code) from referral_codes c
        where c.partner_id = r.partner_id and c.referrer_id = r.id) as codes,
      coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name,
          'product_type', p.product_type) order by p.id)
        from products p where p.offered), '[]') as products,
      coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'status', s.status)
          order by s.period_from desc)
        from revenue_shares s
        where s.partner_id = r.partner_id and s.referrer_id = r.id), '[]') as shares
    from referrers r where r.partner_id = ${partner_id} and r.id = ${id}`)
  return row && referrerView(row)
}

function referrerView(row: ViewRow): Referrer {
  const referrer_type = row.referrer_type as Referrer['referrer_type']
  return {
    id: row.id,
    name: row.name,
    referrer_type,
    business_id: row.business_id,
    business_identifier: numberOf(row),
    distribution_id: row.partner_id,
    shared_to_account_detail_id: null,
    config: {
      referral_code: row.codes[0]!,
      referral_codes: row.codes,
      referrer_type,
      override_financial_products_ids: null,
      revenue_share_config: shareConfig(row),
    },
    financial_products: row.products.map(product => ({
      ...product,
      lender_id: SHOWN_LENDER_ID,
      rac_id: RULES_ID,
    })),
    revenue_shares: row.shares,
  }
}

function shareConfig(row: ReferrerRow): Referrer['config']['revenue_share_config'] {
  return {
    broker_track: null,
    execution_rule: { frequency: 'MONTHLY', interval: 1 },
    fixed_daily_rate: null,
    max_loan_submitted_at: null,
    min_loan_submitted_at: null,
    revenue_share_rate: row.share_ppm / PPM_PER_PERCENT,
    revenue_share_type: 'REFERRAL_CODE_REVENUE_SHARE',
    revenue_share_notification_emails: row.emails,
    shared_to_account: {
      account_number: row.iban,
      account_number_type: 'iban',
      bank_identifier: row.bic,
      bank_identifier_type: 'bic',
    },
    sharing_duration: durationOf(row.sharing_months),
    tenant_name: null,
    vat_included: row.vat_included,
  }
}

function numberOf({ identifier, identifier_type }: ReferrerRow): Referrer['business_identifier'] {
  type Type = Referrer['business_identifier']['identifier_type']
  return { identifier, identifier_type: identifier_type as Type }
}

export async function readShareView(tx: Tx, partner_id: string, id: string): Promise<RevenueShare> {
  const share = await tx.one(sql<ShareRow>`
    select * from revenue_shares where partner_id = ${partner_id} and id = ${id}`)
  const referrer = await tx.one(sql<ReferrerRow>`
    select * from referrers where partner_id = ${partner_id} and id = ${share.referrer_id}`)
  const payment = share.payment_id
    ? await tx.one(selectPayments(sql`p.partner_id = ${partner_id} and p.id = ${share.payment_id}`))
    : null
  return {
    id: share.id,
    referrer_id: share.referrer_id,
    status: share.status,
    start_date: wireDay(share.period_from),
    end_date: wireDay(share.period_to),
    amount: toWire(share.amount),
    currency: 'EUR',
    document_url: share.document_id && documentAddress(tx.settings, share.document_id),
    email_sent_on: share.emailed_at?.toISOString() ?? null,
    email_sent_to: share.emailed_to,
    payment: payment && viewPayment(tx, payment),
    payment_intent: null,
    revenue_shared_with_business: { ...numberOf(referrer), name: referrer.name },
  }
}
