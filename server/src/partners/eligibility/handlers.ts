/** Handlers of the eligibility operations; none of them writes. */
import { DENIAL_CODES, type DenialCode, type QuoteBody2023 } from '@headroom/contract'
import { sql } from 'kysely'
import { type Context, type OrchestratedHandler, Reply } from '../../context.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type Day, daysBetween, readWireDay } from '../../platform/kit/dates.ts'
import { accrue, fromWire, minAmount, roundHalfEven, toWire } from '../../platform/kit/money.ts'
import { findingsIn, invalid, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { fullAnswer, simpleAnswer } from './answers.ts'
import {
  type CompanyQuery,
  checkCompany,
  numberFaults,
  readCompanyNumber,
} from './check-company.ts'
import { translationOf } from './denial-texts.ts'
import { denialReasons, quoteDenialReasons, type Role } from './rules.ts'

interface Question {
  readonly body: CompanyQuery
  readonly caller: Caller
}

function simple(role: Role) {
  return async (context: Context, { body, caller }: Question) => {
    const { known } = await checkCompany(context, caller.partner_id, body, 'identifier')
    return simpleAnswer(denialReasons(role, known))
  }
}

function priced(role: 'buyer' | 'seller') {
  return async (context: Context, { body, caller }: Question) => {
    const facts = await checkCompany(context, caller.partner_id, body, 'identifier')
    const product = await readProduct(context, caller.partner_id)
    const most = role === 'buyer' ? facts.buyer_max_amount : facts.max_amount
    return fullAnswer(denialReasons(role, facts.known), most, product)
  }
}

const readNumber = (_context: Context, { body }: { body: Partial<CompanyQuery> }) => ({
  faults: numberFaults(body, 'identifier'),
})

const quoteEligibility: OrchestratedHandler<'quoteEligibility', { days: number | null }> = {
  read: async (_context, { body }) => {
    const { borrower, seller, buyer, ...when }: WellFormed<QuoteBody2023> = body
    const { faults, meaning } = await findingsIn(() => ({ days: daysOf(when) }))
    const wrong = [
      ...numberFaults(borrower ?? undefined, 'borrower.identifier'),
      ...numberFaults(seller ?? undefined, 'seller.identifier'),
      ...numberFaults(buyer ?? undefined, 'buyer.identifier'),
    ]
    return { faults: [...wrong, ...faults], meaning }
  },
  orchestrate: async (context, { body, caller, meaning: { days } }) => {
    const { partner_id } = caller
    const quote: QuoteBody2023 = body
    mustBeNamed(quote)
    const [seller, buyer, product] = await Promise.all([
      checkCompany(context, partner_id, quote.seller, 'seller.identifier'),
      quote.buyer ? checkCompany(context, partner_id, quote.buyer, 'buyer.identifier') : null,
      readProduct(context, partner_id),
    ])
    const amount = quote.amount == null ? null : fromWire(quote.amount)
    const limit = minAmount(seller.max_amount, product.amount_max)
    const most = buyer ? minAmount(limit, buyer.buyer_max_amount) : limit
    const limits = { amount_max: most, days_max: product.duration_days_max }
    const codes: DenialCode[] = [
      ...denialReasons(buyer ? 'seller' : 'borrower', seller.known),
      ...(buyer ? denialReasons('buyer', buyer.known) : []),
    ]
    if (isSame(quote.seller, quote.buyer)) codes.push('INVOICE_NON_ELIGIBLE_USE_CASE')
    if (codes.length === 0) codes.push(...quoteDenialReasons({ amount, days }, limits))
    const priced = amount !== null && days !== null && codes.length === 0
    return {
      ...fullAnswer(codes, most, product),
      fees_estimated: priced ? toWire(feesOf(product, amount, days)) : null,
    }
  },
}

/** Throws `request_invalid` if the borrower is neither the seller nor the buyer. */
function mustBeNamed({ borrower, seller, buyer }: QuoteBody2023): void {
  if (!borrower || isSame(borrower, seller) || isSame(borrower, buyer)) return
  readCompanyNumber(borrower, 'borrower.identifier')
  throw invalid({ name: 'borrower', reason: 'is neither the seller nor the buyer' })
}

function isSame(a: CompanyQuery, b: CompanyQuery | null | undefined): boolean {
  if (!b) return false
  if (a.identifier === b.identifier && a.identifier_type === b.identifier_type) return true
  const [one, other] = [readCompanyNumber(a, 'seller'), readCompanyNumber(b, 'buyer')]
  if (typeof one === 'string' || typeof other === 'string') return false
  return one.company_key === other.company_key
}

type Days = Pick<WellFormed<QuoteBody2023>, 'start_date' | 'end_date' | 'to_pay_at' | 'to_repay_at'>

/**
 * The number of days from the first date to the last, which the API versions name differently; null
 * if one is missing. Throws `request_invalid` if the last is not after the first.
 */
function daysOf({ start_date, end_date, to_pay_at, to_repay_at }: Days): number | null {
  const [from, to] = [start_date ?? to_pay_at, end_date ?? to_repay_at]
  if (!from || !to) return null
  const days = daysBetween(readWireDay(from) as Day, readWireDay(to) as Day)
  if (days >= 1) return days
  throw end_date
    ? invalid({ name: 'end_date', reason: 'is not after start_date' })
    : invalid({ name: 'to_repay_at', reason: 'is not after to_pay_at' })
}

/** Interest and the partner's mark-up in cents, each rounded separately. */
function feesOf({ rate_ppm, mark_up_ppm }: Product, amount: bigint, days: number): bigint {
  const of = (ppm: number) => roundHalfEven(accrue(amount, ppm, days))
  return of(rate_ppm) + of(mark_up_ppm)
}

interface Product {
  rate_ppm: number
  mark_up_ppm: number
  amount_max: bigint
  duration_days_max: number
}

/** Invoice financing on the partner's terms or, if it is not offered, the first offered product. */
function readProduct({ database }: Context, partner_id: string): Promise<Product> {
  return transaction(database, { partners: [partner_id], read_only: true }, tx =>
    tx.one(sql<Product>`
      select p.rate_ppm, t.mark_up_ppm, p.amount_max, p.duration_days_max from products p
      join product_terms t on t.product_id = p.id and t.partner_id = ${partner_id}
      where p.offered order by (p.product_type = 'INVOICE_BASED_FINANCING') desc, p.id limit 1`),
  )
}

/** The answer is large and the same for every caller, so it is serialized only once. */
let denialCodes: Buffer | null = null

const listDenialCodes: OrchestratedHandler<'listDenialCodes'> = {
  orchestrate: async () => {
    denialCodes ??= Buffer.from(
      JSON.stringify(
        DENIAL_CODES.map(code => ({ denial_code_name: code, translations: translationOf(code) })),
      ),
    )
    return new Reply(denialCodes)
  },
}

const getDenialCodeTranslation: OrchestratedHandler<'getDenialCodeTranslation'> = {
  orchestrate: async (_context, { params }) => {
    const code = DENIAL_CODES.find(known => known === params.code)
    if (!code) throw problem('resource_unknown', `There is no denial code ${params.code}.`)
    return translationOf(code)
  },
}

export const eligibilityHandlers = {
  checkBorrowerEligibility: { read: readNumber, orchestrate: simple('borrower') },
  checkBeneficiaryEligibility: { read: readNumber, orchestrate: simple('beneficiary') },
  checkBuyerEligibility: { read: readNumber, orchestrate: priced('buyer') },
  checkSellerEligibility: { read: readNumber, orchestrate: priced('seller') },
  quoteEligibility,
  listDenialCodes,
  getDenialCodeTranslation,
}
