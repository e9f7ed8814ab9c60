/** Serves the questions of eligibility; none of them writes. */
import { DENIAL_CODES, type DenialCode, type QuoteBody } from '@headroom/contract'
import { sql } from 'kysely'
import type { Caller } from '../access/caller.ts'
import type { Conducted, Context } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { type Day, daysBetween, readWireDay } from '../kit/dates.ts'
import { accrue, fromWire, roundHalfEven, toWire } from '../kit/money.ts'
import { invalid, problem } from '../kit/problem.ts'
import { fullAnswer, simpleAnswer } from './answers.ts'
import { translationOf } from './denial-texts.ts'
import { type Asked, lookUp } from './look-up.ts'
import { type Role, reasonsAgainst, reasonsAgainstQuote } from './rules.ts'

interface Question {
  readonly body: Asked
  readonly caller: Caller
}

function simple(role: Role) {
  return async (context: Context, { body, caller }: Question) => {
    const { known } = await lookUp(context, caller.partner_id, body, 'identifier')
    return simpleAnswer(reasonsAgainst(role, known))
  }
}

function priced(role: 'buyer' | 'seller') {
  return async (context: Context, { body, caller }: Question) => {
    const facts = await lookUp(context, caller.partner_id, body, 'identifier')
    const { rate_ppm } = await readProduct(context)
    const most = role === 'buyer' ? facts.buyer_max_amount : facts.max_amount
    return fullAnswer(reasonsAgainst(role, facts.known), most, rate_ppm)
  }
}

const quoteEligibility: Conducted<'quoteEligibility'> = {
  conduct: async (context, { body, caller }) => {
    const { partner_id } = caller
    const days = daysOf(body)
    const [seller, buyer, product] = await Promise.all([
      lookUp(context, partner_id, body.seller, 'seller.identifier'),
      lookUp(context, partner_id, body.buyer, 'buyer.identifier'),
      readProduct(context),
    ])
    const amount = body.amount == null ? null : fromWire(body.amount)
    const most = least(seller.max_amount, buyer.buyer_max_amount, product.amount_max)
    const limits = { amount_max: most, days_max: product.duration_days_max }
    const codes: DenialCode[] = [
      ...reasonsAgainst('seller', seller.known),
      ...reasonsAgainst('buyer', buyer.known),
    ]
    if (codes.length === 0) codes.push(...reasonsAgainstQuote({ amount, days }, limits))
    const priced = amount !== null && days !== null && codes.length === 0
    return {
      ...fullAnswer(codes, most, product.rate_ppm),
      fees_estimated: priced ? toWire(roundHalfEven(accrue(amount, product.rate_ppm, days))) : null,
    }
  },
}

function daysOf({ to_pay_at, to_repay_at }: QuoteBody): number | null {
  if (!to_pay_at || !to_repay_at) return null
  const days = daysBetween(readWireDay(to_pay_at) as Day, readWireDay(to_repay_at) as Day)
  if (days >= 1) return days
  throw invalid({ name: 'to_repay_at', reason: 'is not after to_pay_at' })
}

function least(...amounts: bigint[]): bigint {
  return amounts.reduce((min, amount) => (amount < min ? amount : min))
}

interface Product {
  rate_ppm: number
  amount_max: bigint
  duration_days_max: number
}

/** The product that finances invoices; without one on offer, whatever is. */
function readProduct({ database }: Context): Promise<Product> {
  return transaction(database, { partners: '*', read_only: true }, tx =>
    tx.one(sql<Product>`
      select rate_ppm, amount_max, duration_days_max from products where offered
      order by (product_type = 'INVOICE_BASED_FINANCING') desc, id limit 1`),
  )
}

const listDenialCodes: Conducted<'listDenialCodes'> = {
  conduct: async () =>
    DENIAL_CODES.map(code => ({ denial_code_name: code, translations: translationOf(code) })),
}

const getDenialCodeTranslation: Conducted<'getDenialCodeTranslation'> = {
  conduct: async (_context, { params }) => {
    const code = DENIAL_CODES.find(known => known === params.code)
    if (!code) throw problem('resource_unknown', `There is no denial code ${params.code}.`)
    return translationOf(code)
  },
}

export const eligibilityHandlers = {
  checkBorrowerEligibility: { conduct: simple('borrower') },
  checkBeneficiaryEligibility: { conduct: simple('beneficiary') },
  checkBuyerEligibility: { conduct: priced('buyer') },
  checkSellerEligibility: { conduct: priced('seller') },
  quoteEligibility,
  listDenialCodes,
  getDenialCodeTranslation,
}
