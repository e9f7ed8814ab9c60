/** Holds a loan request until its outcome is known. */
import type { PayeeCheck } from '../../../integrations/ports/bank.ts'
import type { Caller } from '../../../platform/access/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { ProblemError } from '../../../platform/kit/problem.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import type { LoanWithDetails } from '../queries.ts'
import { saltLockName } from '../store.ts'
import type { CheckedRequest } from './check-requests.ts'
import type { NewLoanInvoice } from './loan-invoices.ts'
import type { LoanBody, LoanRequest } from './read-request.ts'
import type { RegistryStatus } from './registry-status.ts'

export type LoanRequester = Pick<Caller, 'partner_id' | 'caller_id' | 'version'>

export interface LoanRequestInput {
  readonly requester: LoanRequester
  readonly body: LoanBody
  /** Identifies the content of the request; see `requestHash`. */
  readonly hash: string
  readonly check: PayeeCheck
  readonly brought: readonly NewLoanInvoice[]
  readonly statuses: readonly RegistryStatus[]
}

/** The loan of a request; `replayed` if an earlier identical request created it. */
export interface RequestOutcome {
  readonly loan: LoanWithDetails
  readonly replayed: boolean
}

/** The id of a request's loan, whose row is still to be read. */
interface StoredLoanId {
  readonly loan_id: string
  readonly replayed: boolean
}

export class PendingRequest {
  readonly id: string
  readonly input: LoanRequestInput
  readonly hash: string
  readonly request: LoanRequest | null
  readonly borrower_id: string | null
  /** Ids of the invoices to finance: stored ones, then the new ones in the request. */
  readonly invoice_ids: string[]
  outcome: StoredLoanId | ProblemError | null = null

  constructor(tx: Tx, input: LoanRequestInput, checked: CheckedRequest | null) {
    this.id = tx.newId()
    this.input = input
    this.hash = input.hash
    this.request = checked?.request ?? null
    this.borrower_id = checked?.borrower_id ?? null
    this.invoice_ids = [...(checked?.invoice_ids ?? [])]
  }

  get finances(): boolean {
    return financesInvoices(this.input.body.loan_type)
  }

  get salt(): string | null {
    const { body, requester } = this.input
    return body.salt_id ? saltLockName(requester.partner_id, body.salt_id) : null
  }
}
