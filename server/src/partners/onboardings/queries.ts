/** Reads onboardings and builds their API views. */
import type { Onboarding, Status } from '@headroom/contract'
import { sql } from 'kysely'
import type { Caller } from '../../platform/access/caller.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  denialReasons,
  fullAnswer,
  readCompanyNumber,
  readEligibilityFacts,
} from '../eligibility/index.ts'
import { resumeLink } from './resume-link.ts'
import type { OnboardingRow } from './store.ts'

type ViewRow = OnboardingRow & {
  /** The number of the partner's open borrowers with the session's email address. */
  tenants: number
  rate_ppm: number
  mark_up_ppm: number
}

const selectViews = sql`
  select o.*, price.rate_ppm, price.mark_up_ppm,
    (select count(*)::int from borrowers b where b.partner_id = o.partner_id
      and b.business_email = o.email and b.status not in ('DEACTIVATED', 'PROHIBITED')) as tenants
  from onboardings o
  cross join lateral (select p.rate_ppm, t.mark_up_ppm from products p
    join product_terms t on t.product_id = p.id and t.partner_id = o.partner_id
    where p.offered order by p.id limit 1) price`

/**
 * Views of onboardings for events; without the resume link, since events can be read by anyone with
 * access to the feed.
 */
export async function onboardingViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, { partner_id: string; data: Onboarding }>> {
  const rows = await tx.all(sql<ViewRow>`${selectViews} where ${haveKeys(keys, 'o')}`)
  const views = new Map<string, { partner_id: string; data: Onboarding }>()
  for (const row of rows) {
    views.set(row.id, { partner_id: row.partner_id, data: await viewOf(tx, row, null) })
  }
  return views
}

/** The view of a partner's onboarding, with the resume link if this caller may see it. */
export async function findOnboardingView(
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<Onboarding | undefined> {
  const row = await tx.maybe(
    sql<ViewRow>`${selectViews} where o.id = ${id} and o.partner_id = ${caller.partner_id}`,
  )
  return row && viewOf(tx, row, mayResume(caller) ? resumeLink(tx.settings, id) : null)
}

/**
 * Whether the caller may see the resume link, which lets its holder act for the company and sign
 * the terms. Viewers may not. Neither may agents, because the hosted page has no decision gate.
 */
function mayResume({ actor, scopes }: Caller): boolean {
  return actor === 'human' && scopes.has('borrowers:write')
}

async function viewOf(tx: Tx, row: ViewRow, link: string | null): Promise<Onboarding> {
  const is_expired = row.status === 'CREATED' && row.expires_at <= tx.now
  const open = row.status === 'CREATED' && !is_expired
  return {
    id: row.id,
    status: row.status,
    is_expired,
    borrower_id: row.borrower_id,
    business: businessOf(row),
    eligibility: await eligibilityOf(tx, row),
    email: row.email,
    email_tracking_consent: null,
    phone_number: row.phone_number,
    preferred_language: row.preferred_language,
    redirect_url: row.redirect_url,
    referral: row.referral,
    step: row.step,
    traceability_payload: row.traceability_payload,
    secure_resume_link: open ? link : null,
    reset_password_token: null,
    integrations: [],
    integrations_need: row.user_input?.integrations_need ?? null,
    user: userOf(row),
    user_input: row.user_input,
    user_need: row.user_input?.user_need ?? null,
  }
}

function businessOf({ identifier, identifier_type, company }: ViewRow): Onboarding['business'] {
  if (identifier === null) return null
  return {
    identifier,
    identifier_type: identifier_type as NonNullable<Onboarding['business']>['identifier_type'],
    name: company?.name ?? identifier,
    defacto_segment: null,
  }
}

function userOf(row: ViewRow): Onboarding['user'] {
  const { email, phone_number, representative } = row
  if (!email && !phone_number && !representative) return null
  return {
    email,
    first_name: representative?.first_name ?? null,
    last_name: representative?.last_name ?? null,
    phone_number,
    total_active_tenants: row.tenants,
  }
}

const STATUSES: Partial<
  Record<Status<'compliance'>, 'PENDING_USER_ACTION' | 'PENDING_VALIDATION'>
> = {
  PENDING_USER_ACTION: 'PENDING_USER_ACTION',
  REVIEWING: 'PENDING_VALIDATION',
}

/**
 * The company's eligibility, from the external data stored in the session and our own current data;
 * null without a company number.
 */
async function eligibilityOf(tx: Tx, row: ViewRow): Promise<Onboarding['eligibility']> {
  const { identifier, identifier_type, company, company_awaited, compliance } = row
  if (identifier === null || identifier_type === null) return null
  const meaning = readCompanyNumber({ identifier, identifier_type }, 'identifier')
  const { known, max_amount } = await readEligibilityFacts(tx, row.partner_id, {
    meaning,
    company,
    is_awaited: company_awaited,
    compliance,
  })
  const status = (known.compliance && STATUSES[known.compliance]) ?? 'DONE'
  const done = status === 'DONE'
  const codes = denialReasons('borrower', known)
  return {
    id: row.id,
    status,
    is_computing: false,
    finished_processing: done,
    response: done ? fullAnswer(codes, max_amount, row) : null,
  }
}
