/** Reads loans and builds their API views. */

import type { Loan } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import {
  type BorrowerSummary,
  borrowerSummary,
  lightBusiness,
  walletAccount,
} from '../../companies/borrowers/index.ts'
import { loanSql, type PlannedPart } from '../../facts.ts'
import { documentAddress } from '../../integrations/documents/index.ts'
import { repaymentAccount } from '../../platform/db/collection-accounts.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ResourceView } from '../../platform/events/record.ts'
import { type Day, max, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { fundingAccount, ibanAccount, lightAccount } from '../../platform/kit/payment-account.ts'
import { earliestToRepay, repaymentDay } from './dates.ts'
import {
  type Installment,
  type OpenInstallment,
  openInstallments,
  plannedInterest,
  principalParts,
} from './installments.ts'
import { feesTo, type PrincipalStep } from './interest.ts'
import { shownAmounts, shownDays } from './shown-money.ts'
import type { LoanRow } from './store.ts'

export type LoanWithDetails = LoanRow & {
  borrower: BorrowerSummary
  steps: { from_on: Day; principal: string }[] | null
  debit_iban: string | null
  debit_bic: string | null
  wallet_number: string | null
  payout_cut_off: string
  /** The pending debits, with the installment each one collects; null if there are none. */
  debits: { installment: number | null; scheduled_on: Day }[] | null
  invoice_ids: string[]
  installments: { due_on: Day; amount: string }[] | null
  /** The amounts that the loan's payment plan has yet to collect for it; null without a plan. */
  planned: PlannedPart[] | null
  papers: Paper[] | null
}

interface Paper {
  document_type: Loan['documents'][number]['document_type']
  document_name: string | null
  about_business: Loan['documents'][number]['about_business']
  user_input: Record<string, unknown>
  document_id: string
  uploaded_at: string
}

/**
 * Selects loans `l` with the details that their views show: `where` holds conditions on `l`, `key`
 * a page's key. Every loan has a borrower, but the planner can drop a left join when rows are only
 * counted.
 */
export function selectLoans(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
  from: RawBuilder<unknown> = sql`loans`,
): RawBuilder<LoanWithDetails> {
  return sql<LoanWithDetails>`
    select l.*, ${borrowerSummary} as borrower, d.iban as debit_iban, d.bic as debit_bic,
      w.account_number as wallet_number, q.payout_cut_off,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
        order by s.from_on) from loan_principal_steps s
        where s.partner_id = l.partner_id and s.loan_id = l.id) as steps,
      (select json_agg(json_build_object('installment', p.installment,
          'scheduled_on', p.scheduled_on)) from payments p
        where p.partner_id = l.partner_id and p.loan_id = l.id and p.direction = 'IN'
        and p.payment_method <> 'SCT'
        and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')) as debits,
      array(select f.invoice_id::text from invoice_loans f
        where f.partner_id = l.partner_id and f.loan_id = l.id order by f.position) as invoice_ids,
      (select json_agg(json_build_object('due_on', i.due_on, 'amount', i.amount::text)
        order by i.position) from loan_installments i
        where i.partner_id = l.partner_id and i.loan_id = l.id) as installments,
      ${loanSql().planned} as planned,
      (select json_agg(d order by d.id) from loan_documents d
        where d.partner_id = l.partner_id and d.loan_id = l.id) as papers,
      ${key}
    from ${from} l
    left join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
    left join mandates d on d.partner_id = l.partner_id and d.id = l.mandate_id
    left join wallets w on w.partner_id = l.partner_id and w.id = l.wallet_id
    left join products q on q.product_type = l.loan_type
    where ${where}`
}

export async function readLoan(
  tx: Tx,
  partner_id: string,
  loan_id: string,
): Promise<LoanWithDetails | undefined> {
  return tx.maybe(selectLoans(sql`l.id = ${loan_id} and l.partner_id = ${partner_id}`))
}

export async function readLoans(tx: Tx, keys: readonly RowKey[]): Promise<LoanWithDetails[]> {
  return keys.length === 0 ? [] : tx.all(selectLoans(haveKeys(keys, 'l')))
}

/** The views of loans, in the order of the given keys. */
export async function viewLoans(tx: Tx, keys: readonly RowKey[]): Promise<Loan[]> {
  const loans = new Map((await readLoans(tx, keys)).map(loan => [loan.id, viewLoan(tx, loan)]))
  return keys.map(({ id }) => loans.get(id)!)
}

/** Loan views for events, by id. */
export async function loanViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectLoans(haveKeys(keys, 'l')))
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: viewLoan(tx, r) }]))
}

export function viewLoan(tx: Tx, loan: LoanWithDetails): Loan {
  const { lender } = tx.settings
  const steps = (loan.steps ?? []).map(s => ({ ...s, principal: BigInt(s.principal) }))
  const method = loan.repayment_method as Loan['repayment_method']
  const borrower = lightBusiness(loan.borrower)
  const amounts = shownAmounts(loan)
  const days = shownDays(loan)
  return {
    id: loan.id,
    status: loan.status,
    loan_type: loan.loan_type as Loan['loan_type'],
    denial_reason: loan.denial_reason as Loan['denial_reason'],
    amount: toWire(loan.amount),
    currency: loan.currency as Loan['currency'],
    salt_id: loan.salt_id,
    borrower,
    beneficiary: borrower,
    guarantor: null,
    borrower_financial_product_id: loan.borrower_product_id,
    submitted_at: loan.submitted_at.toISOString(),
    to_pay_at: wireDay(loan.to_pay_on),
    paid_at: days.paid_at && wireDay(days.paid_at),
    to_repay_at: wireDay(days.to_repay_at),
    earliest_to_repay_at: wireDay(earliestToRepay(method, tx.now, loan.payout_cut_off)),
    contractual_repayment_date: wireDay(loan.contractual_repayment_on),
    repaid_nominal_at: days.repaid_nominal_at && wireDay(days.repaid_nominal_at),
    closed_at: loan.closed_at?.toISOString() ?? null,
    fees_estimated: toWire(estimateFees(tx, loan, steps)),
    fees_ongoing: toWire(feesTo(steps, loan, tx.today)),
    paid_interests_amount: toWire(amounts.paid_interests_amount),
    repaid_amount: toWire(amounts.repaid_amount),
    repaid_nominal_amount: toWire(amounts.repaid_nominal_amount),
    reclaimed_refunds_amount: toWire(amounts.reclaimed_refunds_amount),
    written_off_at: days.written_off_at && wireDay(days.written_off_at),
    written_off_amount: toWire(amounts.written_off_amount),
    recovered_amount: toWire(amounts.recovered_amount),
    loan_from: lightAccount(fundingAccount(lender)),
    loan_from_references: [loan.repayment_reference],
    loan_to: lightAccount(loan.loan_to),
    loan_to_references: loan.loan_to_references,
    repayment_method: method,
    repayment_from: repaymentFrom(loan),
    repayment_from_references: loan.repayment_from_references,
    repayment_to: lightAccount(repaymentAccount(tx.settings, loan.repayment_iban)),
    repayment_to_references: [loan.repayment_reference, ...loan.repayment_to_references],
    contract_url: loan.contract_document_id
      ? documentAddress(tx.settings, loan.contract_document_id)
      : null,
    transfer_contract_url: loan.transfer_contract_url,
    invoice_ids: loan.invoice_ids,
    installments: installmentsOf(loan).map(({ amount, due_on }) => ({
      amount: toWire(amount),
      date: wireDay(due_on),
    })),
    documents: (loan.papers ?? []).map(paper => viewPaper(tx, paper)),
    deposits: {},
    notification_emails: loan.notification_emails,
    metadata: loan.metadata as Loan['metadata'],
  }
}

function repaymentFrom({
  debit_iban,
  debit_bic,
  wallet_number,
}: LoanWithDetails): Loan['repayment_from'] {
  if (wallet_number) return walletAccount(wallet_number)
  return debit_iban ? lightAccount(ibanAccount(debit_iban, debit_bic)) : null
}

/** The agreed installments; empty if the loan is repaid in one amount. */
export function installmentsOf({
  installments,
}: Pick<LoanWithDetails, 'installments'>): Installment[] {
  return (installments ?? []).map(({ due_on, amount }) => ({ due_on, amount: BigInt(amount) }))
}

function viewPaper(tx: Tx, paper: Paper): Loan['documents'][number] {
  const { document_type, document_name, about_business, user_input, document_id } = paper
  return {
    document_type,
    document_name,
    about_business,
    user_input,
    document_url: documentAddress(tx.settings, document_id),
    uploaded_at: new Date(paper.uploaded_at).toISOString(),
  }
}

/** Estimated total interest in cents. Before the payout, assumes a payout on the requested day. */
function estimateFees(tx: Tx, loan: LoanWithDetails, steps: readonly PrincipalStep[]): bigint {
  const { to_pay_on, amount } = loan
  if (loan.written_off_on) return feesTo(steps, loan, tx.today)
  const done: readonly PrincipalStep[] =
    steps.length > 0 ? steps : [{ from_on: to_pay_on, principal: amount }]
  const payDay =
    steps.length > 0
      ? (part: Due) => plannedDay(tx, loan, part)
      : (part: Due) => repaymentDay(loan.repayment_method, part.due_on, to_pay_on)
  const inPlan = openInPlan(tx, loan)
  if (inPlan.length > 0) return plannedInterest(done, inPlan, loan, tx.today, part => part.due_on)
  if (loan.installments) {
    const open = openInstallments(installmentsOf(loan), loan.principal_covered)
    return plannedInterest(done, open, loan, max(tx.today, to_pay_on), payDay)
  }
  const until = loan.principal_repaid_on ?? payDay({ due_on: loan.falls_due_on, position: null })
  return feesTo(done, loan, until)
}

/** The principal that a loan's payment plan will repay, by day; empty without a plan. */
function openInPlan(tx: Tx, { planned, principal_outstanding }: LoanWithDetails) {
  const parts = (planned ?? []).map(({ due_on, debited_on, amount }) => ({
    due_on: debited_on ?? max(due_on, tx.today),
    amount: BigInt(amount),
  }))
  return principalParts(parts, principal_outstanding)
}

type Due = Pick<OpenInstallment, 'due_on' | 'position'>

/**
 * The day on which an installment of a paid-out loan, or the whole loan, will be repaid: the day of
 * its pending debit or, without one, the due date, but not before today.
 */
function plannedDay(tx: Tx, loan: LoanWithDetails, { due_on, position }: Due): Day {
  const debit = loan.debits?.find(one => one.installment === position)
  return debit?.scheduled_on ?? max(due_on, tx.today)
}
