/** Adds a referrer to a partner, for lender operators. */
import type { NewReferrer } from '@headroom/contract'
import { parseCompanyIdentifier } from '../../countries/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isSepaCountry, parseBic, parseIban } from '../../platform/kit/iban.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import { SHARING_MONTHS } from './rules.ts'
import { insertReferrer } from './store.ts'

const PPM_PER_PERCENT = 10_000

/**
 * Adds a referrer with the given id, or a new one, and returns the id. Throws `request_invalid`
 * with every fault. The database rejects a code that another referrer of the partner has.
 */
export async function createReferrer(tx: Tx, wish: NewReferrer, id = tx.newId()): Promise<string> {
  const faults: InvalidParam[] = []
  const company = parseCompanyIdentifier(wish.identifier, wish.identifier_type ?? undefined)
  const iban = parseIban(wish.account_number)
  const bic = wish.bank_identifier ? parseBic(wish.bank_identifier) : null
  if (!company.ok) faults.push({ name: 'identifier', reason: company.reason })
  if (!iban.ok) faults.push({ name: 'account_number', reason: iban.reason })
  else if (!isSepaCountry(iban.country)) {
    faults.push({ name: 'account_number', reason: 'is not in SEPA' })
  }
  if (bic && !bic.ok) faults.push({ name: 'bank_identifier', reason: bic.reason })
  const share_ppm = wish.revenue_share_rate * PPM_PER_PERCENT
  if (!Number.isInteger(Number(share_ppm.toFixed(6)))) {
    faults.push({ name: 'revenue_share_rate', reason: 'has more than four decimals' })
  }
  if (faults.length > 0 || !company.ok || !iban.ok) throw invalid(faults)
  const row = {
    id,
    partner_id: wish.partner_id,
    business_id: tx.newId(),
    identifier: company.identifier,
    identifier_type: company.identifier_type,
    name: wish.name,
    referrer_type: wish.referrer_type ?? null,
    share_ppm: Math.round(share_ppm),
    sharing_months: SHARING_MONTHS[wish.sharing_duration],
    vat_included: wish.vat_included,
    emails: wish.notification_emails,
    iban: iban.iban,
    bic: bic?.ok ? bic.bic : null,
    created_at: tx.now,
  }
  await insertReferrer(tx, row, [...new Set(wish.referral_codes)])
  return id
}
