/** Writes the contract of an approved loan and mails it. */

import { sql } from 'kysely'
import { type BorrowerRow, findBorrower, partyOf } from '../../../companies/borrowers/index.ts'
import {
  type ContractInput,
  contractAmendedMail,
  contractDocument,
  contractReadyMail,
  type DocumentFacts,
  lenderOf,
  type Mail,
  type PaperDocument,
  storeDocuments,
} from '../../../integrations/documents/index.ts'
import { mailBorrowers } from '../../../money/partner-terms/index.ts'
import { repaymentAccount } from '../../../platform/db/collection-accounts.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { daysBetween, parisDay } from '../../../platform/kit/dates.ts'
import { collectionDay } from '../dates.ts'
import { type Installment, openInstallments, plannedInterest } from '../installments.ts'
import { installmentsOf, type LoanWithDetails } from '../queries.ts'
import { type LoanRow, setContract } from '../store.ts'

interface Accepted {
  version: string
  accepted_at: Date
}

export interface Mandate {
  reference: string
  scheme: 'CORE' | 'B2B'
  iban: string
}

/** The content of a contract whose PDF is not rendered yet, and the mail that delivers it. */
export interface ContractDraft {
  readonly key: RowKey
  readonly paper: PaperDocument
  readonly document: DocumentFacts
  readonly mail: Mail
}

/**
 * The terms that a plan changes: the installments, how they are paid, and the loan's share of the
 * collection fees.
 */
export interface Amendment {
  readonly installments: readonly Installment[]
  readonly recollection_fees: bigint
  /** The mandate or wallet to debit; without either, a transfer with `reference` pays. */
  readonly mandate: Mandate | null
  readonly wallet: string | null
  readonly reference: string
}

/** Writes the contract of a loan, or its amendment by a plan, in the borrower's language. */
export async function draftContract(
  tx: Tx,
  loan: LoanWithDetails,
  amendment: Amendment | null = null,
): Promise<ContractDraft> {
  const borrower = await findBorrower(tx, loan.partner_id, loan.borrower_id)
  assert(borrower, 'every loan has a borrower')
  const agreed = await contractInput(tx, loan, borrower)
  const input = amendment ? { ...agreed, ...(await amended(tx, loan, amendment)) } : agreed
  const { document_id: id, language } = input
  const paper = contractDocument(input)
  const about = {
    language,
    lender: input.lender,
    recipient: borrower.name,
    loan_reference: loan.repayment_reference,
    currency: loan.currency,
  }
  const mail = amendment
    ? contractAmendedMail({ ...about, ...scheduleOf(amendment) })
    : contractReadyMail({
        ...about,
        amount: loan.amount,
        to_pay_at: loan.to_pay_on,
        to_repay_at: loan.to_repay_on,
        interest_estimated: input.loan.interest_estimated,
      })
  const document = {
    id,
    kind: 'CONTRACT' as const,
    partner_id: loan.partner_id,
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    country: borrower.country,
    language,
    title: paper.title,
  }
  return { key: loan, paper, document, mail }
}

function scheduleOf({ installments }: Amendment) {
  return {
    amount: installments.reduce((sum, { amount }) => sum + amount, 0n),
    installments: installments.length,
    first_due_on: installments[0]!.due_on,
    last_due_on: installments.at(-1)!.due_on,
  }
}

/** Stores the rendered contract and mails it to `notification_emails` and the borrower. */
export async function issueContract(
  tx: Tx,
  loan: LoanRow,
  draft: ContractDraft,
  content: Buffer,
): Promise<void> {
  const { document, mail } = draft
  await storeDocuments(tx, [{ ...document, content }])
  await setContract(tx, loan, document.id)
  const { borrower_id, partner_id, notification_emails: also } = loan
  const complete = { ...mail, document_ids: [document.id] }
  await mailBorrowers(tx, [{ borrower_id, partner_id, also, draft: () => complete }])
}

async function contractInput(
  tx: Tx,
  loan: LoanWithDetails,
  borrower: BorrowerRow,
): Promise<ContractInput> {
  const accepted = await tx.one(sql<Accepted>`
    select version, accepted_at from terms_acceptances
    where partner_id = ${borrower.partner_id} and borrower_id = ${borrower.id}
    order by accepted_at desc limit 1`)
  const mandate = loan.mandate_id
    ? await tx.one(sql<Mandate>`
        select reference, scheme, iban from mandates
        where partner_id = ${loan.partner_id} and id = ${loan.mandate_id}`)
    : null
  const days = daysBetween(loan.to_pay_on, loan.to_repay_on)
  const invoice_number = await invoiceNumbers(tx, loan)
  const installments = installmentsOf(loan)
  const whole = [{ due_on: loan.to_repay_on, amount: loan.amount }]
  const parts = openInstallments(installments.length > 0 ? installments : whole, 0n)
  const steps = [{ from_on: loan.to_pay_on, principal: loan.amount }]
  const { to_pay_on } = loan
  // The rates that the borrower pays: interest and mark-up, or zero if the partner pays them.
  const free = loan.fees_payer === 'PARTNER'
  const rates = free ? { rate_ppm: 0, mark_up_ppm: 0 } : loan
  return {
    document_id: tx.newId(),
    issued_on: tx.today,
    language: borrower.preferred_language,
    lender: lenderOf(tx.settings.lender),
    country: borrower.country as ContractInput['country'],
    borrower: partyOf(borrower),
    terms: { version: accepted.version, accepted_on: parisDay(accepted.accepted_at) },
    loan: {
      reference: loan.repayment_reference,
      loan_type: loan.loan_type as ContractInput['loan']['loan_type'],
      amount: loan.amount,
      currency: loan.currency,
      to_pay_at: loan.to_pay_on,
      to_repay_at: loan.to_repay_on,
      days,
      rate_ppm: rates.rate_ppm + rates.mark_up_ppm,
      interest_estimated: plannedInterest(steps, parts, rates, to_pay_on, part => part.due_on),
      payout_iban: loan.loan_to.account_number,
      payout_holder: borrower.name,
      ...(invoice_number && { invoice_number }),
    },
    repayment: mandate
      ? debitRoute(tx, loan, mandate)
      : (walletRoute(loan) ?? transferRoute(tx, loan)),
    early_repayment: { iban: loan.repayment_iban, reference: loan.repayment_reference },
    ...(installments.length > 0 && { plan: { installments } }),
  }
}

async function amended(
  tx: Tx,
  loan: LoanWithDetails,
  { installments, recollection_fees, mandate, wallet, reference }: Amendment,
): Promise<Pick<ContractInput, 'plan' | 'repayment'>> {
  const before = await tx.maybe(sql<{ id: string; created_at: Date }>`
    select id, created_at from documents
    where partner_id = ${loan.partner_id} and id = ${loan.contract_document_id}`)
  const first = installments[0]!.due_on
  return {
    plan: {
      installments: [...installments],
      ...(before && { amends: { document_id: before.id, issued_on: parisDay(before.created_at) } }),
      ...(recollection_fees > 0n && { recollection_fees }),
    },
    repayment: mandate
      ? debitRoute(tx, loan, mandate, first)
      : wallet
        ? { method: 'P2P', wallet, debit_on: first }
        : transferRoute(tx, loan, reference),
  }
}

async function invoiceNumbers(tx: Tx, loan: LoanWithDetails): Promise<string> {
  if (loan.invoice_ids.length === 0) return ''
  const rows = await tx.all(sql<{ invoice_number: string }>`
    select i.invoice_number from invoice_loans f
    join invoices i on i.partner_id = f.partner_id and i.id = f.invoice_id
    where f.partner_id = ${loan.partner_id} and f.loan_id = ${loan.id}
      and i.invoice_number is not null order by f.position`)
  return rows.map(row => row.invoice_number).join(', ')
}

function debitRoute(
  tx: Tx,
  loan: LoanRow,
  mandate: Mandate,
  due_on = loan.to_repay_on,
): ContractInput['repayment'] {
  return {
    method: 'DIRECT_DEBIT',
    scheme: mandate.scheme,
    mandate_reference: mandate.reference,
    debtor_iban: mandate.iban,
    debit_on: collectionDay(due_on, tx.today),
  }
}

function walletRoute(loan: LoanWithDetails): ContractInput['repayment'] | null {
  const { wallet_number: wallet, to_repay_on: debit_on } = loan
  return wallet ? { method: 'P2P', wallet, debit_on } : null
}

function transferRoute(
  tx: Tx,
  loan: LoanRow,
  reference = loan.repayment_reference,
): ContractInput['repayment'] {
  const { bank_identifier: bic, name } = repaymentAccount(tx.settings, loan.repayment_iban)
  return { method: 'SCT', iban: loan.repayment_iban, bic, account_holder: name, reference }
}
