/** Compliance checks by the lender's operators: the outcome that a company's file has now. */
import type { Compliance } from '../../ports/registry.ts'

/** The confirmed outcome of a company's file; null while there is none. */
export type ReadOutcome = (company_key: string) => Promise<'APPROVED' | 'REJECTED' | null>

export function manualCompliance(outcomeOf: ReadOutcome): Compliance {
  return {
    is_decided_in_files: true,
    known: ({ company_key }) => outcomeOf(company_key),
    // A job then approves the borrower, which locks the file so that the approval holds.
    check: async ({ company_key }) =>
      (await outcomeOf(company_key)) === 'REJECTED' ? 'REJECTED' : 'REVIEWING',
  }
}
