/** Converts a cardholder to Stripe's format and finds missing data. Pure. */
import type Stripe from 'stripe'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { CardHolder, CardToIssue } from '../../ports/card-issuer.ts'

const NAME_LENGTH_MAX = 24

/** Stripe accepts letters and the punctuation used in names. */
const NAME = /^[\p{Script=Latin}\p{M} .,'’-]+$/u

/** E.164. */
const PHONE = /^\+[1-9]\d{6,14}$/

/**
 * Missing or unusable data of a European cardholder. Codes to confirm online purchases (3-D Secure)
 * go to the phone number, so it must be the cardholder's own.
 */
export function missingOf({ holder }: CardToIssue): InvalidParam[] {
  const faults: InvalidParam[] = []
  for (const name of ['first_name', 'last_name'] as const) {
    if (!NAME.test(holder[name])) faults.push({ name, reason: 'has other signs than a name may' })
  }
  if (!phoneOf(holder)) {
    const reason = 'the processor needs the mobile number of the holder, such as +33612345678'
    faults.push({ name: 'phone_number', reason })
  }
  const { line1, city, postal_code } = holder.address
  const of = { address_line_1: line1, city, postal_code }
  for (const [name, value] of Object.entries(of)) {
    if (value) continue
    const reason = `the processor needs the borrower's ${name}: PATCH /borrower/{id} sets it`
    faults.push({ name: `borrower.address.${name}`, reason })
  }
  return faults
}

function phoneOf({ phone_number }: CardHolder): string | null {
  const digits = phone_number?.replace(/[\s().-]/g, '').replace(/^00/, '+') ?? ''
  return PHONE.test(digits) ? digits : null
}

/**
 * The cardholder in Stripe's format. Omits the acceptance of Stripe's terms, which is required only
 * in the United States.
 */
export function cardholderOf(card: CardToIssue): Stripe.Issuing.CardholderCreateParams {
  const { card_id, holder } = card
  const { first_name, last_name, email, birth_date, address } = holder
  const phone_number = phoneOf(holder)
  return {
    type: 'individual',
    name: `${first_name} ${last_name}`.slice(0, NAME_LENGTH_MAX).trim(),
    individual: { first_name, last_name, ...(birth_date && { dob: dobOf(birth_date) }) },
    ...(email && { email }),
    ...(phone_number && { phone_number }),
    billing: {
      address: {
        line1: address.line1 ?? '',
        ...(address.line2 && { line2: address.line2 }),
        city: address.city ?? '',
        postal_code: address.postal_code ?? '',
        country: address.country,
      },
    },
    metadata: { card_id },
  }
}

function dobOf(birth_date: string) {
  const [year, month, day] = birth_date.split('-').map(Number)
  return { day: day!, month: month!, year: year! }
}
