/** The monthly run that books revenue shares, in pages that are safe to repeat. */
import { sql } from 'kysely'
import { type IdentifierType, parseCompanyIdentifier } from '../../countries/index.ts'
import {
  type Language,
  lenderOf,
  revenueShareMail,
  termsLanguages,
} from '../../integrations/documents/index.ts'
import { queueMails } from '../../integrations/mails/index.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import { followKey, haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { addDays, type Day, firstOfMonth } from '../../platform/kit/dates.ts'
import { post, transferPostings } from '../../platform/ledger/index.ts'
import { type InterestPaid, lenderInterest, nextShare } from './rules.ts'
import { insertShares, type ReferrerRow } from './store.ts'

const SLICE = 200

interface Period {
  readonly from: Day
  readonly to: Day
}

/** On the 1st, books the shares of the previous month. Repeating it has no effect. */
export function shareRevenue(today: Day): readonly Paged[] {
  if (firstOfMonth(today) !== today) return []
  const to = addDays(today, -1)
  const period = { from: firstOfMonth(to), to }
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select partner_id, id from referrers
      where ${followKey(after, 'referrers')}
      order by partner_id, id limit ${SLICE}`)
  return [keyedJob('revenue to share', read, (tx, keys) => shareBatch(tx, period, keys))]
}

type PaidReferrer = ReferrerRow & { shared: bigint }
interface ShareDraft {
  readonly id: string
  readonly referrer: ReferrerRow
  readonly amount: bigint
}

type Earned = InterestPaid & { referrer_id: string }

async function shareBatch(tx: Tx, period: Period, keys: readonly RowKey[]): Promise<number> {
  const paid = Map.groupBy(await readInterest(tx, period, keys), row => row.referrer_id)
  const drafts = (await readPaidReferrers(tx, keys)).flatMap(referrer => {
    const interest = lenderInterest(paid.get(referrer.id) ?? [])
    const amount = nextShare(interest, referrer.share_ppm, referrer.shared)
    return amount > 0n ? [{ id: tx.newId(), referrer, amount }] : []
  })
  const inserted = await insertShares(
    tx,
    drafts.map(({ id, referrer, amount }) => shareRow(tx, period, id, referrer, amount)),
  )
  const fresh = drafts.filter(draft => inserted.has(draft.id))
  recordCreation(
    tx,
    fresh.map(({ id, referrer }) => ({
      id,
      partner_id: referrer.partner_id,
      initial: initialStatusOf(referrer),
    })),
  )
  await post(
    tx,
    fresh.map(({ referrer, amount }) => ({
      kind: 'revenue_share' as const,
      partner_id: referrer.partner_id,
      value_on: period.to,
      postings: transferPostings(
        { code: 'revenue_share_expense', owner_id: null },
        { code: 'revenue_share_payable', owner_id: referrer.id },
        amount,
      ),
    })),
  )
  for (const draft of fresh) await mailReferrer(tx, period, draft)
  return fresh.length
}

function readPaidReferrers(tx: Tx, keys: readonly RowKey[]): Promise<PaidReferrer[]> {
  return tx.all(sql<PaidReferrer>`
    select r.*, (select coalesce(sum(s.amount), 0)::bigint from revenue_shares s
        where s.partner_id = r.partner_id and s.referrer_id = r.id
          and s.status <> 'DELETED') as shared
    from referrers r where ${haveKeys(keys, 'r')} order by r.id`)
}

/**
 * Interest paid on the loans that count for referrers. It counts from the payment's value date, or
 * for a debit, once the debit can no longer be returned. Returned payments do not count.
 */
function readInterest(tx: Tx, { to }: Period, keys: readonly RowKey[]): Promise<Earned[]> {
  return tx.all(sql<Earned>`
    select r.id as referrer_id, l.rate_ppm, l.mark_up_ppm, sum(m.interest)::bigint as interest
    from referrers r
    join referrals f on f.partner_id = r.partner_id and f.referrer_id = r.id
    join loans l on l.partner_id = f.partner_id and l.borrower_id = f.borrower_id
      and (r.sharing_months is null
        or l.submitted_at < f.referred_at + make_interval(months => r.sharing_months))
    join loan_movements m on m.partner_id = l.partner_id and m.loan_id = l.id
      and m.voided_at is null and m.interest <> 0
      and m.value_on <= ${to} and coalesce(m.revocable_until <= ${to}, true)
    where ${haveKeys(keys, 'r')} group by 1, 2, 3 order by 1, 2, 3`)
}

/**
 * The initial status of a share. Without an email address it stays CREATED; its invoice can still
 * be uploaded.
 */
function initialStatusOf({ emails }: ReferrerRow) {
  return initialStatus('revenue_share', emails.length > 0 ? ['send'] : [])
}

function shareRow(tx: Tx, period: Period, id: string, referrer: ReferrerRow, amount: bigint) {
  return {
    id,
    partner_id: referrer.partner_id,
    referrer_id: referrer.id,
    status: initialStatusOf(referrer).status,
    period_from: period.from,
    period_to: period.to,
    amount,
    emailed_at: referrer.emails.length > 0 ? tx.now : null,
    emailed_to: referrer.emails,
    created_at: tx.now,
  }
}

async function mailReferrer(
  tx: Tx,
  period: Period,
  { id: revenue_share_id, referrer, amount }: ShareDraft,
): Promise<void> {
  const { lender } = tx.settings
  const mail = revenueShareMail({
    period,
    amount,
    currency: 'EUR',
    language: languageOf(referrer),
    lender: lenderOf(lender),
    recipient: referrer.name,
  })
  await queueMails(tx, [
    {
      partner_id: referrer.partner_id,
      revenue_share_id,
      recipients: referrer.emails,
      draft: { ...mail, document_ids: [] },
    },
  ])
}

/** The language of the referrer's country, derived from the company number. */
function languageOf({ identifier, identifier_type }: ReferrerRow): Language {
  const company = parseCompanyIdentifier(identifier, identifier_type as IdentifierType)
  assert(company.ok, `the number of referrer ${identifier} was read when it was added`)
  return termsLanguages(company.country)[0]!
}
