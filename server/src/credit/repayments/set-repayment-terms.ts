/** Sets the due date and repayment method of several loans, all or none. */
import type { ProblemCode, SetRepaymentTermsBody } from '@headroom/contract'
import type { Validation } from '../../context.ts'
import { keysOf } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { max, readWireDay } from '../../platform/kit/dates.ts'
import { parseIban } from '../../platform/kit/iban.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import {
  type AgreedTerms,
  agreeRepayment,
  checkRepaymentTerms,
  type Fault,
  type LoanRow,
  lockLoanMoney,
} from '../loans/index.ts'
import { insertTerms } from './store.ts'

type Terms = SetRepaymentTermsBody['repayment_terms'][number]
/** Terms as received; fields may be missing or malformed. */
type TermsRequest = WellFormed<Terms>

/** Maps fields of a loan change to those of the terms. */
const NAMES: Record<string, string> = { to_repay_at: 'repayment_date' }

/** The agreements that the terms result in, unless there is a conflict. */
export interface CheckedTerms {
  readonly agreements: readonly AgreedTerms[]
  /** Why the loans cannot have these terms now, if that is the only problem. */
  readonly conflict: ProblemError | null
}

/**
 * Locks the loans and checks the terms. The names of faults include the position of their terms.
 */
export async function checkTerms(
  tx: Tx,
  partner_id: string,
  terms: readonly (TermsRequest | undefined)[],
): Promise<Validation<CheckedTerms>> {
  const ids = terms.flatMap(one => one?.loan_id ?? [])
  const { faults, agreements } = await readTerms(tx, await lockOwn(tx, partner_id, ids), terms)
  const conflict = conflictOf(faults)
  return { faults: conflict ? [] : faults, meaning: { agreements, conflict } }
}

/** Applies checked terms in order, all or none. */
export async function setRepaymentTerms(
  tx: Tx,
  partner_id: string,
  terms: readonly Terms[],
  { agreements, conflict }: CheckedTerms,
): Promise<void> {
  if (conflict) throw conflict
  for (const agreement of agreements) await agreeRepayment(tx, agreement)
  await giveCommonReference(tx, partner_id, terms, agreements)
}

async function readTerms(
  tx: Tx,
  loans: ReadonlyMap<string, LoanRow>,
  terms: readonly (TermsRequest | undefined)[],
): Promise<{ faults: Fault[]; agreements: AgreedTerms[] }> {
  const faults: Fault[] = []
  const agreements: AgreedTerms[] = []
  for (const [index, one] of terms.entries()) {
    if (!one?.loan_id) continue
    const first = terms.findIndex(other => other?.loan_id === one.loan_id)
    const found =
      first < index
        ? [fault('loan_id', `is named before, as repayment_terms.${first}`)]
        : await inspect(tx, loans.get(one.loan_id), one)
    if (!Array.isArray(found)) agreements.push(found)
    else {
      for (const { code, name, reason } of found) {
        faults.push({ code, name: `repayment_terms.${index}.${NAMES[name] ?? name}`, reason })
      }
    }
  }
  return { faults, agreements }
}

/** Gives the loans repaid by transfer a common reference. */
async function giveCommonReference(
  tx: Tx,
  partner_id: string,
  terms: readonly Terms[],
  agreements: readonly AgreedTerms[],
): Promise<void> {
  const paid = agreements.filter(agreement => agreement.method === 'SCT')
  if (paid.length === 0) return
  const reason = terms.find(t => t.reason)?.reason ?? null
  const loans = paid.map(({ loan: { id, reclaimed_on }, to_repay_on }) => {
    return { id, repayment_on: max(to_repay_on, reclaimed_on ?? to_repay_on) }
  })
  await insertTerms(tx, { partner_id, reason, loans })
}

async function lockOwn(
  tx: Tx,
  partner_id: string,
  ids: readonly string[],
): Promise<Map<string, LoanRow>> {
  const locked = await lockLoanMoney(tx, keysOf(partner_id, ids))
  return new Map(locked.map(loan => [loan.id, loan]))
}

function fault(name: string, reason: string, code: ProblemCode = 'request_invalid'): Fault {
  return { code, name, reason }
}

async function inspect(
  tx: Tx,
  loan: LoanRow | undefined,
  terms: TermsRequest,
): Promise<AgreedTerms | Fault[]> {
  const { repayment_date } = terms
  const to_repay_on = repayment_date ? readWireDay(repayment_date) : null
  const faults = repayment_date && !to_repay_on ? [fault('repayment_date', 'is not a day')] : []
  const { iban, faults: wrong } = readAccounts(terms, loan)
  faults.push(...wrong)
  if (!loan) faults.unshift(fault('loan_id', 'is no loan of yours'))
  else if (loan.status !== 'TO_REPAY') {
    faults.unshift(fault('loan_id', `is ${loan.status}: nothing to agree on`, 'state_conflict'))
  }
  if (loan?.status !== 'TO_REPAY') return faults
  const wanted = { to_repay_on, method: terms.repayment_method ?? null, iban }
  const outcome = await checkRepaymentTerms(tx, loan, wanted)
  if ('code' in outcome) return [...faults, outcome]
  return faults.length > 0 ? faults : outcome
}

/** Reads the accounts in terms. The account to pay must be the loan's. */
function readAccounts(
  { repayment_method, direct_debit, sct }: TermsRequest,
  loan: LoanRow | undefined,
): { iban: string | null; faults: Fault[] } {
  const faults: Fault[] = []
  const read = (name: string, account: { account_number?: string } | undefined) => {
    if (!account?.account_number) return null
    const parsed = parseIban(account.account_number)
    if (!parsed.ok) faults.push(fault(`${name}.account_number`, parsed.reason))
    return parsed.ok ? parsed.iban : null
  }
  if (direct_debit && repayment_method && repayment_method !== 'DIRECT_DEBIT') {
    faults.push(fault('direct_debit', `does not go with ${repayment_method}`))
  }
  if (sct && repayment_method && repayment_method !== 'SCT') {
    faults.push(fault('sct', `does not go with ${repayment_method}`))
  }
  const iban = direct_debit ? read('direct_debit.from_account', direct_debit.from_account) : null
  const to = sct ? read('sct.to_account', sct.to_account) : null
  if (to && loan && to !== loan.repayment_iban) {
    const reason = `is not where this loan is repaid, ${loan.repayment_iban}`
    faults.push(fault('sct.to_account.account_number', reason))
  }
  return { iban, faults }
}

/**
 * The problem whose code all errors share, with all of them; null if their codes differ or are
 * `request_invalid`.
 */
function conflictOf(faults: readonly Fault[]): ProblemError | null {
  const [first] = faults
  if (!first || first.code === 'request_invalid') return null
  if (faults.some(fault => fault.code !== first.code)) return null
  const invalid_params = faults.map(({ name, reason }) => ({ name, reason }))
  const detail = invalid_params.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
  return problem(first.code, detail, { invalid_params })
}
