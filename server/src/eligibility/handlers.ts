/** Serves the questions of eligibility; none of them writes. */
import { DENIAL_CODES, type DenialCode, type QuoteBody } from '@headroom/contract'
import { sql } from 'kysely'
import type { Caller } from '../access/caller.ts'
import type { Conducted, Context } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { type Day, daysBetween, readWireDay } from '../kit/dates.ts'
import { accrue, fromWire, roundHalfEven, toWire } from '../kit/money.ts'
import { faultsIn, invalid, problem } from '../kit/problem.ts'
import type { WellFormed } from '../kit/well-formed.ts'
import { fullAnswer, simpleAnswer } from './answers.ts'
import { translationOf } from './denial-texts.ts'
import { type Asked, lookUp, numberFaults, readMeaning } from './look-up.ts'
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
    const product = await readProduct(context, caller.partner_id)
    const most = role === 'buyer' ? facts.buyer_max_amount : facts.max_amount
    return fullAnswer(reasonsAgainst(role, facts.known), most, product)
  }
}

const inspectQuestion = async (_context: Context, { body }: { body: Partial<Asked> }) =>
  numberFaults(body, 'identifier')

const quoteEligibility: Conducted<'quoteEligibility'> = {
  inspect: async (_context, { body }) => [
    ...numberFaults(body.seller, 'seller.identifier'),
    ...numberFaults(body.buyer, 'buyer.identifier'),
    ...(await faultsIn(() => daysOf(body))),
  ],
  conduct: async (context, { body, caller }) => {
    const { partner_id } = caller
    const days = daysOf(body)
    const [seller, buyer, product] = await Promise.all([
      lookUp(context, partner_id, body.seller, 'seller.identifier'),
      lookUp(context, partner_id, body.buyer, 'buyer.identifier'),
      readProduct(context, partner_id),
    ])
    const amount = body.amount == null ? null : fromWire(body.amount)
    const most = least(seller.max_amount, buyer.buyer_max_amount, product.amount_max)
    const limits = { amount_max: most, days_max: product.duration_days_max }
    const codes: DenialCode[] = [
      ...reasonsAgainst('seller', seller.known),
      ...reasonsAgainst('buyer', buyer.known),
    ]
    if (sameCompany(body)) codes.push('INVOICE_NON_ELIGIBLE_USE_CASE')
    if (codes.length === 0) codes.push(...reasonsAgainstQuote({ amount, days }, limits))
    const priced = amount !== null && days !== null && codes.length === 0
    return {
      ...fullAnswer(codes, most, product),
      fees_estimated: priced ? toWire(feesOf(product, amount, days)) : null,
    }
  },
}

/** Nobody invoices himself, under whichever of his numbers. */
function sameCompany({ seller, buyer }: QuoteBody): boolean {
  const [one, other] = [readMeaning(seller, 'seller'), readMeaning(buyer, 'buyer')]
  if (typeof one === 'string' || typeof other === 'string') return false
  return one.company_key === other.company_key
}

function daysOf({ to_pay_at, to_repay_at }: WellFormed<QuoteBody>): number | null {
  if (!to_pay_at || !to_repay_at) return null
  const days = daysBetween(readWireDay(to_pay_at) as Day, readWireDay(to_repay_at) as Day)
  if (days >= 1) return days
  throw invalid({ name: 'to_repay_at', reason: 'is not after to_pay_at' })
}

/** Interest and the partner's mark-up in cents, each rounded by itself. */
function feesOf({ rate_ppm, mark_up_ppm }: Product, amount: bigint, days: number): bigint {
  const of = (ppm: number) => roundHalfEven(accrue(amount, ppm, days))
  return of(rate_ppm) + of(mark_up_ppm)
}

function least(...amounts: bigint[]): bigint {
  return amounts.reduce((min, amount) => (amount < min ? amount : min))
}

interface Product {
  rate_ppm: number
  mark_up_ppm: number
  amount_max: bigint
  duration_days_max: number
}

/** The product that finances invoices, on the partner's terms; without one, whatever is offered. */
function readProduct({ database }: Context, partner_id: string): Promise<Product> {
  return transaction(database, { partners: [partner_id], read_only: true }, tx =>
    tx.one(sql<Product>`
      select p.rate_ppm, t.mark_up_ppm, p.amount_max, p.duration_days_max from products p
      join product_terms t on t.product_id = p.id and t.partner_id = ${partner_id}
      where p.offered order by (p.product_type = 'INVOICE_BASED_FINANCING') desc, p.id limit 1`),
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
  checkBorrowerEligibility: { inspect: inspectQuestion, conduct: simple('borrower') },
  checkBeneficiaryEligibility: { inspect: inspectQuestion, conduct: simple('beneficiary') },
  checkBuyerEligibility: { inspect: inspectQuestion, conduct: priced('buyer') },
  checkSellerEligibility: { inspect: inspectQuestion, conduct: priced('seller') },
  quoteEligibility,
  listDenialCodes,
  getDenialCodeTranslation,
}
