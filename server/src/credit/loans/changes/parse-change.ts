/** Reads a change's references and metadata, and describes them for the loan's history. Pure. */
import type { ChangeLoanBody } from '@headroom/contract'
import type { Day } from '../../../platform/kit/dates.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import type { AgreedFields, LoanRow } from '../store.ts'
import type { Fault } from './changeable.ts'

export type LoanChange = Omit<ChangeLoanBody, 'to_pay_at' | 'to_repay_at'> & {
  to_pay_on: Day | null
  to_repay_on: Day | null
}

export function throwFault({ code, name, reason }: Fault): never {
  if (code === 'request_invalid') throw invalid({ name, reason })
  throw problem(code, `${name}: ${reason}`, { invalid_params: [{ name, reason }] })
}

type References = Pick<AgreedFields, 'loan_to_references' | 'repayment_to_references'>

/** The requested references, without the loan's own repayment reference, which cannot change. */
export function referencesOf(loan: LoanRow, change: LoanChange): References {
  const { loan_to_references, repayment_to_references } = change
  return {
    ...(loan_to_references && { loan_to_references }),
    ...(repayment_to_references && {
      repayment_to_references: repayment_to_references.filter(r => r !== loan.repayment_reference),
    }),
  }
}

export function referenceChanges(loan: LoanRow, references: References) {
  const list = (given: unknown) => JSON.stringify(given)
  return Object.fromEntries(
    Object.entries(references).map(([name, given]) => {
      return [name, [list(loan[name as keyof References]), list(given)] as const]
    }),
  )
}

export function metadataChange(loan: LoanRow, { metadata }: LoanChange): string {
  return JSON.stringify(loan.metadata) === JSON.stringify(metadata) ? '' : 'metadata'
}
