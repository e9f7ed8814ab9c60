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
export async function createReferrer(tx: Tx, input: NewReferrer, id = tx.newId()): Promise<string> {
  const faults: InvalidParam[] = []
  const company = parseCompanyIdentifier(input.identifier, input.identifier_type ?? undefined)
  const iban = parseIban(input.account_number)
  const bic = input.bank_identifier ? parseBic(input.bank_identifier) : null
  if (!company.ok) faults.push({ name: 'identifier', reason: company.reason })
  if (!iban.ok) faults.push({ name: 'account_number', reason: iban.reason })
  else if (!isSepaCountry(iban.country)) {
    faults.push({ name: 'account_number', reason: 'is not in SEPA' })
  }
  if (bic && !bic.ok) faults.push({ name: 'bank_identifier', reason: bic.reason })
  const share_ppm = input.revenue_share_rate * PPM_PER_PERCENT
  if (!Number.isInteger(Number(share_ppm.toFixed(6)))) {
    faults.push({ name: 'revenue_share_rate', reason: 'has more than four decimals' })
  }
  if (faults.length > 0 || !company.ok || !iban.ok) throw invalid(faults)
  const row = {
    id,
    partner_id: input.partner_id,
    business_id: tx.newId(),
    identifier: company.identifier,
    identifier_type: company.identifier_type,
    name: input.name,
    referrer_type: input.referrer_type ?? null,
    share_ppm: Math.round(share_ppm),
    sharing_months: SHARING_MONTHS[input.sharing_duration],
    vat_included: input.vat_included,
    emails: input.notification_emails,
    iban: iban.iban,
    bic: bic?.ok ? bic.bic : null,
    created_at: tx.now,
  }
  await insertReferrer(tx, row, [...new Set(input.referral_codes)])
  return id
}
