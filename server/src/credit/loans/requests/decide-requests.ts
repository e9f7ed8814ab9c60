/** Decides loan requests on the current facts, with their payout dates and invoice shares. */
import type { Bank, PayeeCheck } from '../../../integrations/ports/bank.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import {
  accountsOfOthers,
  type BorrowerFacts,
  decisionInputsOf,
  type ProductRow,
} from './decision-inputs.ts'
import {
  allocateToInvoices,
  claim,
  type FinancedInvoice,
  type InvoiceTerms,
  type Share,
} from './invoice-rules.ts'
import type { Holder, LoanRequest, Payee } from './read-request.ts'
import { type Decision, decide, type LoanApplication } from './rules.ts'

/** A request from a known borrower, with the bank's verification of its payee. */
export interface LoanCandidate {
  readonly request: LoanRequest
  readonly borrower_id: string
  readonly check: PayeeCheck
  /** The request's stored invoices, then the new ones that it contains. */
  readonly invoices: readonly FinancedInvoice[]
}

export interface LoanDecision<Facts extends BorrowerFacts = BorrowerFacts> {
  readonly facts: Facts
  readonly product: ProductRow | undefined
  readonly decision: Decision
  readonly payout_on: Day
  /** How the loan is divided over its invoices; empty if it is declined. */
  readonly shares: readonly Share[]
}

/** The facts for decisions. To grant loans, read them under the locks of the credit lines. */
export interface DecisionData<Facts extends BorrowerFacts> {
  readonly products: ReadonlyMap<string, ProductRow>
  readonly borrowers: ReadonlyMap<string, Facts>
}

/**
 * Decides candidates in order, each as if the earlier ones were already stored: credit used by one
 * is not available to the next.
 */
export async function decideLoanRequests<Facts extends BorrowerFacts>(
  tx: Tx,
  candidates: readonly LoanCandidate[],
  { products, borrowers }: DecisionData<Facts>,
  bank: Bank,
): Promise<LoanDecision<Facts>[]> {
  const factsOf = (c: LoanCandidate) => borrowers.get(c.borrower_id)!
  const foreign = await accountsOfOthers(
    tx,
    candidates.flatMap(c => accountsToVerify(c, factsOf(c))),
  )
  const lentBy = new Map<string, bigint>()
  const claimedBy = new Map<string, string>()
  return candidates.map(candidate => {
    const { request } = candidate
    const facts = factsOf(candidate)
    const { company_key, partner_id } = facts
    const product = products.get(request.body.loan_type)
    const { iban, to_pay_on } = request
    const cut_off = product?.payout_cut_off
    const payout_on = cut_off ? bank.payoutDay(iban ?? '', to_pay_on, tx.now, cut_off) : to_pay_on
    const situation = decisionInputsOf(tx.today, facts, product, payout_on)
    const lent = lentBy.get(partner_id) ?? 0n
    const isForeign = (iban: string) =>
      foreign.has(`${iban} ${company_key}`) || (claimedBy.get(iban) ?? company_key) !== company_key
    const application = applicationOf(candidate, facts, isForeign)
    const decision = decide(application, {
      ...situation,
      partner_available: situation.partner_available - lent,
    })
    const shares =
      decision.outcome === 'decline' ? [] : allocateToInvoices(request.amount, candidate.invoices)
    if (decision.outcome !== 'decline') {
      lentBy.set(partner_id, lent + request.amount)
      facts.reserved = facts.reserved! + request.amount
      claim(shares)
      if (request.iban) claimedBy.set(request.iban, company_key)
    }
    return { facts, product, decision, payout_on, shares }
  })
}

/** The IBANs in a request that are not on the borrower's file. */
function accountsToVerify({ request, invoices }: LoanCandidate, facts: BorrowerFacts) {
  const { company_key, own_accounts } = facts
  const ibans = [request.iban, request.to_account?.iban, ...invoices.map(i => i.to_iban)]
  return ibans
    .filter(iban => iban !== null && iban !== undefined)
    .filter(iban => !own_accounts.includes(iban))
    .map(iban => ({ iban, company_key }))
}

function applicationOf(
  candidate: LoanCandidate,
  facts: BorrowerFacts,
  isForeign: (iban: string) => boolean,
): LoanApplication {
  const { request, check, invoices } = candidate
  const { loan_type, invoices: brought, invoice_ids } = request.body
  const named = brought.length + invoice_ids.length > 0
  const { to_account } = request
  const notOwn = (iban: string | null) => iban !== null && isForeign(iban)
  const elsewhere =
    to_account !== null &&
    (notOwn(to_account.iban) ||
      (to_account.wallet !== null && !facts.own_wallets.includes(to_account.wallet)) ||
      (to_account.holder !== null && !isSame(to_account.holder, facts)))
  return {
    loan_type,
    amount: request.amount,
    to_pay_on: request.to_pay_on,
    to_repay_on: request.to_repay_on,
    invoices: invoices.map(invoice =>
      invoiceTermsFor(facts, invoice, !elsewhere && !notOwn(invoice.to_iban)),
    ),
    stray_invoices: named && !financesInvoices(loan_type),
    payee: payeeOf(request, facts, check, request.iban !== null && isForeign(request.iban)),
  }
}

export function invoiceTermsFor(
  { company_key }: Pick<BorrowerFacts, 'company_key'>,
  invoice: FinancedInvoice,
  own_account: boolean,
): InvoiceTerms {
  const is = (key: string | null | undefined) => key === company_key
  const borrower_is = is(invoice.seller?.company_key ?? null)
    ? 'seller'
    : is(invoice.buyer?.company_key)
      ? 'buyer'
      : 'neither'
  return { invoice, borrower_is, own_account }
}

/**
 * An account that no check rejects is `own` if it is on file, or if the bank's name check matches
 * and no other company has it on file.
 */
export function payeeOf(
  { iban, to_number, wallet, holder, bank_known }: Payee,
  facts: BorrowerFacts,
  check: PayeeCheck,
  foreign: boolean,
): LoanApplication['payee'] {
  const own = (wallet ? facts.own_wallets : facts.own_accounts).includes(to_number)
  // A wallet is the borrower's only if we opened it; the bank's name check covers IBANs only.
  if (wallet && !own) return 'foreign'
  if (!wallet && !iban) return 'unsupported'
  if (!bank_known) return 'bank_unknown'
  if (holder && !isSame(holder, facts)) return 'foreign'
  if (check === 'refused') return 'refused'
  if (own) return 'own'
  if (check === 'no_match') return 'foreign'
  return foreign ? 'foreign' : 'own'
}

/**
 * Whether the holder is the borrower: by company key or else by name, ignoring case and spacing.
 */
function isSame(holder: Holder, facts: BorrowerFacts): boolean {
  if ('company_key' in holder) return holder.company_key === facts.company_key
  const plain = (name: string) => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return plain(holder.name) === plain(facts.name)
}
