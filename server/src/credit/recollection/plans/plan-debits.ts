/** Plans the debits of a plan's installments. */
import {
  type ActiveMethod,
  activeMethods,
  type DebitSource,
} from '../../../companies/borrowers/index.ts'
import {
  type Collection,
  type CollectionPayment,
  firstDayOfOther,
  lockCollections,
  syncCollections,
} from '../../../money/payments/index.ts'
import { keysBy } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { collectionAccount } from '../../../platform/kit/payment-account.ts'
import { repaymentDay } from '../../loans/index.ts'
import { type InstallmentRow, openIn, type Plan, type PlanRow } from './rules.ts'

export interface DebitTerms {
  /** The earliest day of a direct debit; null for the usual notice period or freeze. */
  readonly free_from?: Day | null
  /** The debit that was just recalled, which the new one replaces. */
  readonly recalled_payment_id?: string | null
}

/** The debits of a plan's installments; SCHEDULED ones are locked. */
export async function lockDebits(
  tx: Tx,
  { plan, installments }: Plan,
): Promise<CollectionPayment[]> {
  if (plan.repayment_method === 'SCT') return []
  const payments = await lockCollections(tx, 'installment_id', installments)
  return payments.filter(payment => payment.payment_method !== 'SCT')
}

/**
 * Keeps the debit of each installment in step with its open amount. A canceled installment has
 * none.
 */
export async function keepDebits(
  tx: Tx,
  state: Plan,
  debits: readonly CollectionPayment[],
  { free_from = null, recalled_payment_id = null }: DebitTerms = {},
): Promise<void> {
  const { plan } = state
  if (plan.repayment_method === 'SCT') return
  const collections = state.installments.map(installment => {
    const planned = debits.filter(debit => debit.installment_id === installment.id)
    const owed = installment.status === 'CANCELED' ? 0n : openIn(state, installment.id)
    // A failed or returned debit is not presented again, not even with another method.
    const is_missing = owed > 0n && planned.every(debit => debit.status === 'CANCELED')
    return { installment, owed, planned, is_missing }
  })
  const missing = collections.some(({ is_missing }) => is_missing)
  const borrower = keysBy([plan], 'borrower_id')
  const debited = missing ? debitedOf(await activeMethods(tx, borrower), plan) : undefined
  const dayOf = (planned: readonly CollectionPayment[], source: DebitSource) =>
    free_from ?? firstDayOfOther(planned, source, tx.today)
  await syncCollections(
    tx,
    collections.map(({ installment, owed, planned, is_missing }) => ({
      owed,
      planned,
      plan:
        debited && is_missing
          ? debitOf(tx, plan, installment, debited, dayOf(planned, debited))
          : null,
      recalled_payment_id,
    })),
  )
}

/**
 * The borrower's main repayment account, or its wallet. If undefined, no debit is planned, and the
 * borrower can still pay by transfer.
 */
export function debitedOf(
  methods: ReadonlyMap<string, readonly ActiveMethod[]>,
  { borrower_id, repayment_method }: PlanRow,
): ActiveMethod | undefined {
  if (repayment_method === 'SCT') return undefined
  return methods
    .get(borrower_id)
    ?.find(m => m.payment_method === repayment_method && (m.is_main || m.wallet_id))
}

function debitOf(
  tx: Tx,
  { partner_id, borrower_id }: PlanRow,
  { id, due_on, reference, partner_reference }: InstallmentRow,
  { payment_method, mandate_id, wallet_id, account }: ActiveMethod,
  free_from: Day | null,
): Collection['plan'] {
  return {
    partner_id,
    borrower_id,
    installment_id: id,
    mandate_id,
    wallet_id,
    payment_type: 'REPAYMENT_FULL',
    payment_method,
    scheduled_on: repaymentDay(payment_method, due_on, tx.today, free_from),
    from_account: account,
    to_account: collectionAccount(tx.settings.lender),
    from_references: partner_reference ? [reference, partner_reference] : [reference],
    to_references: [reference],
  }
}
