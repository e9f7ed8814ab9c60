/** What a transfer pays by its account and its text, and what one of the lender's people names. */
import { sql } from 'kysely'
import type { Transfer } from '../../outside/ports/bank.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { collectionAccount } from '../../platform/kit/payment-account.ts'
import { findReferences } from '../../platform/kit/reference.ts'
import { findFees } from '../subscriptions/index.ts'
import { loansOfTerms } from './store.ts'

export interface Named {
  kind: 'installment' | 'loan' | 'bill' | 'fee'
  id: string
  /** Of an installment. */
  plan_id: string | null
  partner_id: string
  borrower_id: string | null
  /** Its own; of an installment its plan's. */
  status: string
  /** What a fee asks for; of anything else it is worked out when it is paid. */
  asked?: bigint
}

const LOAN = sql`select 'loan' as kind, l.id, null::uuid as plan_id, l.partner_id, l.borrower_id,
  l.status from loans l`

const INSTALLMENT = sql`select 'installment' as kind, i.id, i.plan_id, i.partner_id, p.borrower_id,
  p.status from plan_installments i join installment_plans p on p.id = i.plan_id`

/**
 * Installments that the text names come first, by their own reference or that of their plan. Else
 * bills, loans or fees that it names, bills and loans before the loan that has the account paid to
 * for its own; this one alone where the text names nothing.
 */
export async function findPaid(tx: Tx, { to_iban, reference }: Transfer): Promise<Named[]> {
  const references = findReferences(reference ?? '')
  const installments = await findInstallments(tx, references)
  if (installments.length > 0) return installments
  const exact = await findExact(tx, references)
  const fees = await namedFees(tx, references)
  if (fees.length > 0) return [...exact, ...fees]
  const own = await findByAccount(tx, to_iban)
  const named = [...exact, ...own.filter(loan => exact.every(one => one.id !== loan.id))]
  return named.length > 0 ? named : findByContract(tx, reference ?? '')
}

async function findByAccount(tx: Tx, to_iban: string): Promise<Named[]> {
  if (to_iban === collectionAccount(tx.settings.lender).account_number) return []
  return tx.all(sql<Named>`
    ${LOAN} where l.loan_type = 'INVOICE_BASED_FINANCING' and l.repayment_iban = ${to_iban}
    order by l.id`)
}

async function findInstallments(tx: Tx, references: readonly string[]): Promise<Named[]> {
  if (references.length === 0) return []
  return tx.all(sql<Named>`
    ${INSTALLMENT} where p.status <> 'DRAFT' and i.id in (
      select id from plan_installments where reference = any(${references}::text[])
      union
      select n.id from plan_installments n join installment_plans o on o.id = n.plan_id
      where o.reference = any(${references}::text[]))
    order by i.plan_id, i.position`)
}

/**
 * Bills and loans by their references (that of a bill which was replaced means what replaces it,
 * also before that is sent), loans by the reference of repayment terms.
 */
async function findExact(tx: Tx, references: readonly string[]): Promise<Named[]> {
  const by_terms = await loansOfTerms(tx, references)
  return tx.all(sql<Named>`
    select kind, id, plan_id, partner_id, borrower_id, status from (
      select 'bill' as kind, v.id, null::uuid as plan_id, v.partner_id, v.borrower_id,
        case when v.amends_bill_id is null then v.status else 'TO_PAY' end as status, v.due_on
      from bills v where v.status <> 'INVALID' and exists (select from bills b
        where b.reference = any(${references}::text[])
          and b.payer_id = v.payer_id and b.period_from = v.period_from)
      union all
      select n.*, l.falls_due_on from (${LOAN} where l.id in (select id from loans
          where repayment_reference = any(${references}::text[])
          union all select unnest(${by_terms}::uuid[]))) n join loans l on l.id = n.id) named
    order by kind = 'loan', due_on, id`)
}

async function namedFees(tx: Tx, names: readonly string[]): Promise<Named[]> {
  const fees = await findFees(tx, names)
  return fees.map(({ amount, ...fee }) => ({
    ...fee,
    kind: 'fee' as const,
    plan_id: null,
    asked: amount,
  }))
}

/** By a line's contract number all open loans of that borrower, earliest contractual day first. */
async function findByContract(tx: Tx, text: string): Promise<Named[]> {
  const words = text.toUpperCase().split(/[^A-Z0-9-]+/)
  return tx.all(sql<Named>`
    ${LOAN} join credit_lines c on c.id = l.credit_line_id and c.borrower_id = l.borrower_id
    where c.contract_number = any(${words}::text[]) and l.status in ('TO_REPAY', 'TO_REPAY_FEES')
    order by l.contractual_repayment_on, l.id`)
}

/** The loan, bill, installment or fee that has this id or reference. */
export async function findTarget(tx: Tx, target: string): Promise<Named | undefined> {
  const is = (id: string, reference: string) =>
    isUuid(target) ? sql`${sql.ref(id)} = ${target}::uuid` : sql`${sql.ref(reference)} = ${target}`
  const found = await tx.maybe(sql<Named>`
    ${LOAN} where ${is('l.id', 'l.repayment_reference')}
    union all
    select 'bill', id, null::uuid, partner_id, borrower_id, status from bills
      where ${is('id', 'reference')}
    union all
    ${INSTALLMENT} where ${is('i.id', 'i.reference')}`)
  return found ?? (await namedFees(tx, [target]))[0]
}
