/** Changes a loan that is not approved yet, under the rules for new requests. */
import { putAccountsOnFile } from '../../../companies/borrowers/index.ts'
import { changeLines } from '../../../companies/credit-lines/index.ts'
import type { PayeeCheck } from '../../../integrations/ports/bank.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import { fromWire } from '../../../platform/kit/money.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import { earliestToRepay, type RepaymentMethod } from '../dates.ts'
import { payeeOf } from '../requests/decide-requests.ts'
import { redecideLoan } from '../requests/decide-waiting-loans.ts'
import {
  accountsOfOthers,
  type BorrowerFacts,
  readBorrowerFacts,
} from '../requests/decision-inputs.ts'
import type { Payee } from '../requests/read-request.ts'
import { reallocateInvoices } from '../requests/save-request-details.ts'
import { type LoanRow, type LockedLoan, setAgreed } from '../store.ts'
import { amendLoan, chooseDebitSource } from './agree-repayment.ts'
import { describeChanges, type Limits } from './changeable.ts'
import {
  type LoanChange,
  metadataChange,
  referenceChanges,
  referencesOf,
  throwFault,
} from './parse-change.ts'

type Terms = Pick<LoanRow, 'amount' | 'to_pay_on' | 'to_repay_on' | 'repayment_method'>

/**
 * Applies a change to a loan. Throws `change_refused` if a new request with these terms would be
 * declined, or if the borrower has no such repayment method.
 */
export async function changeUndecided(
  tx: Tx,
  loan: LockedLoan,
  change: LoanChange,
  payee: (Payee & { readonly check: PayeeCheck }) | null,
): Promise<void> {
  const terms: Terms = {
    amount: change.amount == null ? loan.amount : fromWire(change.amount),
    to_pay_on: change.to_pay_on ?? loan.to_pay_on,
    to_repay_on: change.to_repay_on ?? loan.to_repay_on,
    repayment_method: change.repayment_method ?? loan.repayment_method,
  }
  const source = await chooseDebitSource(tx, loan, { method: change.repayment_method })
  if ('code' in source) throwFault(source)
  const { partner_id, borrower_id: id } = loan
  const facts = (await readBorrowerFacts(tx, [{ partner_id, id }])).get(id)!
  const whose = payee
    ? payeeOf(payee, facts, payee.check, await isForeign(tx, payee.iban, facts))
    : 'own'
  const decision = await redecideLoan(tx, { ...loan, ...terms }, whose)
  if (decision.outcome === 'decline') {
    throw problem('change_refused', `it would be declined: ${decision.code}`)
  }
  const reserved = loan.reserved + terms.amount - loan.amount
  const references = referencesOf(loan, change)
  const loan_to = payee && newAccount(payee.to_number, change, facts)
  await setAgreed(tx, loan, {
    ...terms,
    ...references,
    ...source,
    reserved,
    contractual_repayment_on: terms.to_repay_on,
    ...(loan_to && { loan_to: loan_to as never }),
    ...(change.metadata && { metadata: change.metadata as never }),
    ...(change.transfer_contract_url && { transfer_contract_url: change.transfer_contract_url }),
  })
  await holdMore(tx, loan, reserved)
  if (terms.amount !== loan.amount) await reallocateInvoices(tx, { ...loan, ...terms })
  if (loan_to) putAccountsOnFile(tx, [{ holder: facts, account: loan_to }])
  amendLoan(tx, loan, changesOf(loan, change, terms, loan_to))
}

export function dayFaults(
  loan: LockedLoan,
  terms: Omit<Terms, 'amount'>,
  { now, cut_off }: Limits,
): InvalidParam[] {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const { to_pay_on, to_repay_on } = terms
  if (to_pay_on !== loan.to_pay_on && to_pay_on < parisDay(now))
    fault('to_pay_at', 'is in the past')
  if (to_repay_on <= to_pay_on) fault('to_repay_at', 'must be after to_pay_at')
  const earliest = earliestToRepay(terms.repayment_method as RepaymentMethod, now, cut_off)
  if (to_repay_on !== loan.to_repay_on && to_repay_on < earliest) {
    fault('to_repay_at', `must not be before ${earliest}`)
  }
  return faults
}

async function isForeign(tx: Tx, iban: string | null, facts: BorrowerFacts): Promise<boolean> {
  if (!iban || facts.own_accounts.includes(iban)) return false
  const { company_key } = facts
  return (await accountsOfOthers(tx, [{ iban, company_key }])).size > 0
}

function newAccount(
  account_number: string,
  { loan_to }: LoanChange,
  facts: BorrowerFacts,
): PaymentAccount {
  const { bank_identifier, bank_identifier_type } = loan_to!
  return {
    account_number,
    account_number_type: loan_to!.account_number_type,
    bank_identifier: bank_identifier ?? '',
    bank_identifier_type: bank_identifier ? bank_identifier_type : 'undefined',
    name: facts.name,
  }
}

/** Adjusts the credit reserved on the line to the new amount. */
async function holdMore(tx: Tx, loan: LockedLoan, reserved: bigint): Promise<void> {
  if (!loan.credit_line_id || reserved === loan.reserved) return
  const { partner_id, credit_line_id } = loan
  const more = reserved - loan.reserved
  await changeLines(tx, [{ partner_id, credit_line_id, outstanding: 0n, reserved: more }])
}

function changesOf(
  loan: LockedLoan,
  change: LoanChange,
  terms: Terms,
  loan_to: PaymentAccount | null,
): string {
  const description = describeChanges({
    amount: [String(loan.amount), String(terms.amount)],
    to_pay_at: [loan.to_pay_on, terms.to_pay_on],
    to_repay_at: [loan.to_repay_on, terms.to_repay_on],
    repayment_method: [loan.repayment_method, terms.repayment_method],
    loan_to: [loan.loan_to.account_number, loan_to?.account_number ?? loan.loan_to.account_number],
    ...referenceChanges(loan, referencesOf(loan, change)),
  })
  const metadata = change.metadata ? metadataChange(loan, change) : ''
  const url = change.transfer_contract_url
  const contract = url && url !== loan.transfer_contract_url ? 'transfer_contract_url' : ''
  return [description, metadata, contract].filter(part => part !== '').join(', ')
}
