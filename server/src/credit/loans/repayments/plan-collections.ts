/** Plans the debits of loans by mandate or wallet. */
import { debitedAccounts } from '../../../companies/borrowers/index.ts'
import {
  type Collection,
  isPending,
  lockCollections,
  type PaymentFor,
  type PaymentRow,
  syncCollections,
} from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { collectionAccount, type PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { currentMoney, type LoanMoney, lockLoansWithLinks } from '../booking/links.ts'
import { repaymentDay } from '../dates.ts'
import { type Installment, type OpenInstallment, openInstallments } from '../installments.ts'
import { type LoanRow, readInstallments } from '../store.ts'
import { repayByTransfer } from './leave-mandate.ts'

export interface Terms {
  /** Whether to plan debits even if one failed or was returned before. */
  readonly retries: boolean
  /** The earliest day of a direct debit; null if only the notice period applies. */
  readonly free_from: Day | null
  /** The recalled debit that the new one replaces. */
  readonly recalled_payment_id?: string | null
}

export const DEFAULT_TERMS: Terms = { retries: false, free_from: null }

/** Keeps the debits of loans' principal in step with the open amounts. */
export async function planCollections(
  tx: Tx,
  money: readonly LoanMoney[],
  terms: Terms = DEFAULT_TERMS,
): Promise<void> {
  // Reactions may have reopened an outdated loan.
  const may = (one: LoanMoney) => one.is_outdated && debitSourceOf(one.loan) !== null
  const known = money.filter(one => isDebited(one) || may(one))
  const debited = (await currentMoney(tx, known)).filter(isDebited)
  if (debited.length === 0) return
  const loans = debited.map(({ loan }) => loan)
  const payments = await lockCollections(tx, 'loan_id', loans)
  const planned = Map.groupBy(payments.filter(isDebit), payment => payment.loan_id!)
  const in_parts = loans.filter(loan => loan.in_parts)
  const installments = await readInstallments(tx, in_parts)
  const parts = loans.flatMap(loan => {
    const open = openPartsOf(loan, installments.get(loan.id) ?? [])
    return partsOf(loan, open, planned.get(loan.id) ?? [])
  })
  const missing = parts.filter(({ owed, planned }) => owed > 0n && !planned.some(isPending))
  const accounts = await debitedAccounts(
    tx,
    missing.map(({ loan }) => loan),
  )
  // A mandate may have ended while its loan was closed or still being requested.
  const ended = missing.flatMap(({ loan }) =>
    loan.mandate_id && !accounts.has(loan.mandate_id) ? [loan] : [],
  )
  await repayByTransfer(tx, [...new Set(ended)])
  const { retries, free_from, recalled_payment_id } = terms
  const collections = parts.map(({ loan, part, owed, planned }) => {
    const account = accounts.get(debitSourceOf(loan) ?? '')
    const plan = part && account ? debitOf(tx, loan, part, account, free_from) : null
    return { owed, planned, plan, retries, recalled_payment_id }
  })
  await syncCollections(tx, collections)
}

function isDebited({ loan, links }: LoanMoney): boolean {
  return links.debits || (debitSourceOf(loan) !== null && isOpen(loan))
}

/** Whether the loan itself is collected: it owes principal, and no payment plan settles it. */
function isOpen({ status, installment_plan_id }: LoanRow): boolean {
  return status === 'TO_REPAY' && installment_plan_id === null
}

function debitSourceOf({ mandate_id, wallet_id }: LoanRow): string | null {
  return mandate_id ?? wallet_id
}

function isDebit({ payment_method, payment_type }: PaymentRow): boolean {
  return payment_method !== 'SCT' && payment_type === 'REPAYMENT_NOMINAL'
}

function openPartsOf(loan: LoanRow, installments: readonly Installment[]): OpenInstallment[] {
  if (!isOpen(loan)) return []
  if (installments.length > 0) return openInstallments(installments, loan.principal_covered)
  const { falls_due_on: due_on, principal_outstanding: amount } = loan
  return [{ position: null, due_on, amount }]
}

/** The installments that are open or have debits; a loan repaid in one amount counts as one. */
function partsOf(loan: LoanRow, parts: readonly OpenInstallment[], planned: readonly PaymentRow[]) {
  const positions = new Set([...parts.map(p => p.position), ...planned.map(p => p.installment)])
  return [...positions].map(position => {
    const part = parts.find(p => p.position === position)
    const own = planned.filter(p => p.installment === position)
    return { loan, part, owed: part?.amount ?? 0n, planned: own }
  })
}

function debitOf(
  tx: Tx,
  loan: LoanRow,
  { due_on, position }: OpenInstallment,
  from_account: PaymentAccount,
  free_from: Day | null,
): Collection['plan'] {
  const payment_method = loan.wallet_id === null ? 'DIRECT_DEBIT' : 'P2P'
  return {
    partner_id: loan.partner_id,
    borrower_id: loan.borrower_id,
    payment_type: 'REPAYMENT_NOMINAL',
    payment_method,
    scheduled_on: repaymentDay(payment_method, due_on, tx.today, free_from),
    from_account,
    to_account: collectionAccount(tx.settings.lender),
    from_references: [loan.repayment_reference, ...loan.repayment_from_references],
    to_references: [loan.repayment_reference, ...loan.repayment_to_references],
    loan_id: loan.id,
    mandate_id: loan.mandate_id,
    wallet_id: loan.wallet_id,
    installment: position,
  }
}

/** Plans a new debit for the amount still owed after a debit was canceled. */
export async function followCanceledDebit(
  tx: Tx,
  { payment, recalled }: { payment: PaymentFor<'loan_repayment'>; recalled: boolean },
): Promise<void> {
  const { partner_id, loan_id } = payment
  const recalled_payment_id = recalled ? payment.id : null
  const terms = { ...DEFAULT_TERMS, recalled_payment_id }
  await planCollections(tx, await lockLoansWithLinks(tx, [{ partner_id, id: loan_id }]), terms)
}
