/** Judges loan requests as things are now: whose account, which payout day, what decision. */
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import type { Bank, PayeeCheck } from '../ports/bank.ts'
import type { LoanRequest } from './read-request.ts'
import { type Decision, decide, type Wish } from './rules.ts'
import {
  accountsOfOthers,
  type BorrowerFacts,
  type ProductRow,
  readBorrowerFacts,
  readProducts,
  situationOf,
} from './situation.ts'

/** A request whose borrower is known, and what the bank said of its payee. */
export interface Candidate {
  readonly request: LoanRequest
  readonly borrower_id: string
  readonly check: PayeeCheck
}

export interface Judged {
  readonly facts: BorrowerFacts
  readonly product: ProductRow | undefined
  readonly decision: Decision
  readonly payout_on: Day
}

const CUT_OFF_DEFAULT = '15:00'

/**
 * Judges candidates in their order, each as if those before it were written: what one takes of a
 * line or of a partner's ceiling the next does not find. Lines are locked by the caller.
 */
export async function judgeAll(
  tx: Tx,
  candidates: readonly Candidate[],
  bank: Bank,
): Promise<Judged[]> {
  const ids = [...new Set(candidates.map(c => c.borrower_id))]
  const [products, borrowers] = await Promise.all([readProducts(tx), readBorrowerFacts(tx, ids)])
  const factsOf = (c: Candidate) => borrowers.get(c.borrower_id)!
  const foreign = await accountsOfOthers(
    tx,
    candidates
      .filter(c => c.request.iban && !factsOf(c).own_accounts.includes(c.request.iban))
      .map(c => ({ iban: c.request.iban!, company_key: factsOf(c).company_key })),
  )
  const lentBy = new Map<string, bigint>()
  const claimedBy = new Map<string, string>()
  return candidates.map(candidate => {
    const { request } = candidate
    const facts = factsOf(candidate)
    const product = products.get(request.body.loan_type)
    const cutOff = product?.payout_cut_off ?? CUT_OFF_DEFAULT
    const payout_on = bank.payoutDay(request.iban ?? '', request.to_pay_on, tx.now, cutOff)
    const situation = situationOf(tx.today, facts, product, payout_on)
    const lent = lentBy.get(facts.partner_id) ?? 0n
    const taken = claimedBy.get(request.iban ?? '')
    const another = taken !== undefined && taken !== facts.company_key
    const wish = wishOf(candidate, facts, another || foreign.has(accountName(request, facts)))
    const decision = decide(wish, {
      ...situation,
      partner_available: situation.partner_available - lent,
    })
    if (decision.outcome !== 'decline') {
      lentBy.set(facts.partner_id, lent + request.amount)
      facts.reserved = facts.reserved! + request.amount
      claimedBy.set(request.iban!, facts.company_key)
    }
    return { facts, product, decision, payout_on }
  })
}

function accountName({ iban }: LoanRequest, { company_key }: BorrowerFacts): string {
  return `${iban} ${company_key}`
}

function wishOf(candidate: Candidate, facts: BorrowerFacts, foreign: boolean): Wish {
  const { request, check } = candidate
  return {
    loan_type: request.body.loan_type,
    amount: request.amount,
    to_pay_on: request.to_pay_on,
    to_repay_on: request.to_repay_on,
    installments: request.body.installment_plan_type === 'INSTALLMENTS',
    payee: payeeOf(request, facts, check, foreign),
  }
}

/**
 * Own when on file, or when the bank's verification by name says match and the account is on
 * file of no other company (interface.md, Accounts).
 */
export function payeeOf(
  { iban, holder, bank_known }: Pick<LoanRequest, 'iban' | 'holder' | 'bank_known'>,
  facts: BorrowerFacts,
  check: PayeeCheck,
  foreign: boolean,
): Wish['payee'] {
  if (!iban) return 'unsupported'
  if (!bank_known) return 'bank_unknown'
  if (holder && !isSame(holder, facts)) return 'foreign'
  if (check === 'refused') return 'refused'
  if (facts.own_accounts.includes(iban)) return 'own'
  if (check === 'no_match') return 'foreign'
  return foreign ? 'foreign' : 'own'
}

/** Names are compared as people would: without regard to case and spacing. */
function isSame(holder: NonNullable<LoanRequest['holder']>, facts: BorrowerFacts): boolean {
  if ('company_key' in holder) return holder.company_key === facts.company_key
  const plain = (name: string) => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return plain(holder.name) === plain(facts.name)
}
