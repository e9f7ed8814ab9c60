/** Agrees on when and how many loans are repaid: all of them or none. */
import type { ProblemCode, SetRepaymentTermsBody } from '@headroom/contract'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { readWireDay } from '../kit/dates.ts'
import { parseIban } from '../kit/iban.ts'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'
import { type Agreement, agreeRepayment, inspectRepayment } from './agree-repayment.ts'
import type { Fault } from './changeable.ts'
import { lockLoanMoney } from './money.ts'
import { readLoans } from './queries.ts'
import type { LoanRow } from './store.ts'
import { insertTerms } from './terms-store.ts'

type Terms = SetRepaymentTermsBody['repayment_terms'][number]

/** Fields of terms as the change of a loan calls them. */
const NAMES: Record<string, string> = { to_repay_at: 'repayment_date' }

/**
 * Sets terms in order. Every fault is named by its place; they are told as `request_invalid`, or
 * by their own code when all have the same.
 */
export async function setRepaymentTerms(
  tx: Tx,
  caller: { partner_id: string; caller_id: string },
  terms: readonly Terms[],
): Promise<void> {
  const loans = await lockOwn(
    tx,
    caller.partner_id,
    terms.map(t => t.loan_id),
  )
  const faults: Fault[] = []
  const agreements: Agreement[] = []
  for (const [index, one] of terms.entries()) {
    const first = terms.findIndex(other => other.loan_id === one.loan_id)
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
  refuseAny(faults)
  for (const agreement of agreements) await agreeRepayment(tx, caller.caller_id, agreement)
  await nameTogether(tx, caller, terms, agreements)
}

/** By the same reference whoever pays by transfer may pay all of them. */
async function nameTogether(
  tx: Tx,
  { partner_id, caller_id }: { partner_id: string; caller_id: Actor },
  terms: readonly Terms[],
  agreements: readonly Agreement[],
): Promise<void> {
  const paid = agreements.filter(agreement => agreement.method === 'SCT')
  if (paid.length === 0) return
  const reason = terms.find(t => t.reason)?.reason ?? null
  const loans = paid.map(({ loan, to_repay_on }) => ({ id: loan.id, repayment_on: to_repay_on }))
  await insertTerms(tx, { partner_id, caller_id, reason, loans })
}

async function lockOwn(
  tx: Tx,
  partner_id: string,
  ids: readonly string[],
): Promise<Map<string, LoanRow>> {
  const known = (await readLoans(tx, ids)).filter(loan => loan.partner_id === partner_id)
  const locked = await lockLoanMoney(
    tx,
    known.map(loan => loan.id),
  )
  return new Map(locked.map(loan => [loan.id, loan]))
}

function fault(name: string, reason: string, code: ProblemCode = 'request_invalid'): Fault {
  return { code, name, reason }
}

async function inspect(
  tx: Tx,
  loan: LoanRow | undefined,
  terms: Terms,
): Promise<Agreement | Fault[]> {
  const to_repay_on = readWireDay(terms.repayment_date)
  const faults = to_repay_on ? [] : [fault('repayment_date', 'is not a day')]
  const { iban, faults: wrong } = readAccounts(terms, loan)
  faults.push(...wrong)
  if (!loan) faults.unshift(fault('loan_id', 'is no loan of yours'))
  else if (loan.status !== 'TO_REPAY') {
    faults.unshift(fault('loan_id', `is ${loan.status}: nothing to agree on`, 'state_conflict'))
  }
  if (!loan || faults.length > 0) return faults
  const wish = { to_repay_on, method: terms.repayment_method, iban }
  const outcome = await inspectRepayment(tx, loan, wish)
  return 'code' in outcome ? [outcome] : outcome
}

/** The account to debit must be one of a mandate, the account to pay to the loan's own. */
function readAccounts(
  { repayment_method, direct_debit, sct }: Terms,
  loan: LoanRow | undefined,
): { iban: string | null; faults: Fault[] } {
  const faults: Fault[] = []
  const read = (name: string, account: { account_number: string }) => {
    const parsed = parseIban(account.account_number)
    if (!parsed.ok) faults.push(fault(`${name}.account_number`, parsed.reason))
    return parsed.ok ? parsed.iban : null
  }
  if (direct_debit && repayment_method !== 'DIRECT_DEBIT') {
    faults.push(fault('direct_debit', `does not go with ${repayment_method}`))
  }
  if (sct && repayment_method !== 'SCT') {
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

function refuseAny(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const told: InvalidParam[] = faults.map(({ name, reason }) => ({ name, reason }))
  const { code } = faults[0]!
  if (code === 'request_invalid' || faults.some(f => f.code !== code)) throw invalid(...told)
  const detail = told.map(t => `${t.name}: ${t.reason}`).join('; ')
  throw problem(code, detail, { invalid_params: told })
}
