/** What is wrong with a repayment method beside what its schema says: one answer tells all. */
import { methodParts } from '@headroom/contract'
import type { Inspect } from '../context.ts'
import { wellFormed } from '../kit/well-formed.ts'
import { ACCOUNT_NAMES, readRepresentative } from './add-repayment-method.ts'
import { Faults } from './faults.ts'
import { readAs } from './outside.ts'
import { readAccount, readPastMoment } from './read-fields.ts'

/** Reads every field that is well-formed by itself, though others are not. */
export const inspectRepaymentMethod: Inspect = async (context, { partner_id }, body) => {
  const clock = await readAs(context, partner_id, async ({ now, today }) => ({ now, today }))
  const account = wellFormed(methodParts.from_account.shape, objectAt(body, 'from_account'))
  const person = wellFormed(methodParts.representative.shape, objectAt(body, 'representative'))
  const mandate = wellFormed(methodParts.mandate.shape, objectAt(body, 'mandate'))
  const faults = new Faults()
  const { account_number, bank_identifier } = account
  // Alone the one is wrong without the other; here that may be for another fault.
  if (account_number)
    readAccount({ iban: account_number, bic: bank_identifier }, ACCOUNT_NAMES, faults)
  readRepresentative(person, clock.today, faults)
  if (mandate.signed_at) readPastMoment(mandate.signed_at, 'mandate.signed_at', clock.now, faults)
  return faults.found
}

function objectAt(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = body[name]
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
