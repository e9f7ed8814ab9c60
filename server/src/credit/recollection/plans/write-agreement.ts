/** Amends the agreement of each loan in a contractual plan with the plan's terms. */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { haveKeys, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { spread } from '../../../platform/kit/money.ts'
import { type Amendment, amendContract } from '../../loans/index.ts'
import { readPlan } from './open-plan.ts'
import { idsOf, OPEN_STATUSES, type Plan } from './rules.ts'

type Mandate = NonNullable<Amendment['mandate']>

/**
 * Amends the agreements of a plan's loans, as a job. Skips loans whose agreement was amended after
 * the plan was created.
 */
export async function writePlanAgreement(context: Context, plan: RowKey): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  const amendments = await transaction(context.database, all, tx => readAmendments(tx, plan))
  for (const [loan_id, amendment] of amendments) {
    const loan = { partner_id: plan.partner_id, id: loan_id }
    await amendContract(context, plan.id, loan, amendment)
  }
}

async function readAmendments(tx: Tx, key: RowKey): Promise<Map<string, Amendment>> {
  const { plan, installments, parts } = await readPlan(tx, key)
  if (!OPEN_STATUSES.includes(plan.status)) return new Map()
  const loan_ids = idsOf(parts, 'loan_id')
  // A plan of bills alone has no loan agreement to amend.
  if (loan_ids.length === 0) return new Map()
  const shares = sharesOf(installments, parts, loan_ids)
  const mandate = plan.repayment_method === 'DIRECT_DEBIT' ? await mandateOf(tx, key) : null
  const wallet = plan.repayment_method === 'P2P' ? await walletOf(tx, key) : null
  const done = await amendedAlready(tx, keysOf(plan.partner_id, loan_ids), plan.created_at)
  const made = loan_ids.map((loan_id, index): [string, Amendment] => {
    const own = shares.map(({ due_on, owed, fees }) => ({
      due_on,
      fees: fees[index]!,
      amount: owed[index]! + fees[index]!,
    }))
    return [
      loan_id,
      {
        installments: own.filter(one => one.amount > 0n),
        recollection_fees: own.reduce((total, one) => total + one.fees, 0n),
        mandate,
        wallet,
        reference: plan.reference,
      },
    ]
  })
  return new Map(made.filter(([loan_id]) => !done.has(loan_id)))
}

/**
 * Each installment's amount per loan, in the loans' order. An installment's fees are spread over
 * the loans in proportion to their parts of it, or of the whole plan if the installment pays no
 * loan.
 */
function sharesOf(
  installments: Plan['installments'],
  parts: Plan['parts'],
  loan_ids: readonly string[],
) {
  const sum = (list: Plan['parts']) => list.reduce((total, part) => total + part.amount, 0n)
  const each = (list: Plan['parts']) =>
    loan_ids.map(id => sum(list.filter(part => part.loan_id === id)))
  const whole = each(parts)
  return installments.map(({ id, due_on }) => {
    const own = parts.filter(part => part.installment_id === id)
    const owed = each(own)
    const weights = owed.some(cents => cents > 0n) ? owed : whole
    return { due_on, owed, fees: spread(sum(own.filter(p => p.kind === 'FEES')), weights) }
  })
}

async function mandateOf(tx: Tx, { partner_id, id }: RowKey): Promise<Mandate | null> {
  const found = await tx.maybe(sql<Mandate>`
    select m.reference, m.scheme, m.iban from mandates m
    join payments d on d.partner_id = m.partner_id and d.mandate_id = m.id
    join plan_installments i on i.partner_id = d.partner_id and i.id = d.installment_id
    where i.partner_id = ${partner_id} and i.plan_id = ${id} order by d.id limit 1`)
  return found ?? null
}

async function walletOf(tx: Tx, { partner_id, id }: RowKey): Promise<string | null> {
  const found = await tx.maybe(sql<{ account_number: string }>`
    select w.account_number from payments d
    join wallets w on w.partner_id = d.partner_id and w.id = d.wallet_id
    join plan_installments i on i.partner_id = d.partner_id and i.id = d.installment_id
    where i.partner_id = ${partner_id} and i.plan_id = ${id} order by d.id limit 1`)
  return found?.account_number ?? null
}

async function amendedAlready(tx: Tx, loans: readonly RowKey[], since: Date): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
    select l.id from loans l
    join documents d on d.partner_id = l.partner_id and d.id = l.contract_document_id
    where ${haveKeys(loans, 'l')} and d.created_at >= ${since}`)
  return new Set(rows.map(row => row.id))
}
