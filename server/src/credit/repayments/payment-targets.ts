/** Finds the targets of a transfer by its account and text, or the one that an operator chose. */

import type { Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Transfer } from '../../integrations/ports/bank.ts'
import { isCollectionIban } from '../../platform/db/collection-accounts.ts'
import { haveNames, rowsNamed } from '../../platform/db/directory.ts'
import { haveKeysIn, ofEachPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { electronicForm, findReferences } from '../../platform/kit/reference.ts'
import { type FeeReference, findFeesByReference } from '../subscriptions/index.ts'

export interface PaymentTarget {
  kind: 'installment' | 'loan' | 'bill' | 'fee'
  id: string
  /** The plan of an installment; null for other debts. */
  plan_id: string | null
  /** The plan that settles a loan or bill; null or absent if there is none. */
  settled_by?: string | null
  partner_id: string
  borrower_id: string | null
  /** The debt's own status; for an installment, its plan's. */
  status: Status<'loan' | 'bill' | 'installment_plan'> | FeeReference['status']
  /** Cents charged by a fee; for other debts, the amount owed is computed on payment. */
  asked?: bigint | null
  how?: MatchKind
  /**
   * The repayment terms the transfer used; undefined (not read) if an operator chose the target.
   */
  terms_id?: string | null
}

const LOAN = sql`select 'loan' as kind, l.id, null::uuid as plan_id, l.partner_id, l.borrower_id,
  l.status, l.installment_plan_id as settled_by, l.falls_due_on, l.contractual_repayment_on
  from loans l`

const INSTALLMENT = sql`select 'installment' as kind, i.id, i.plan_id, i.partner_id, p.borrower_id,
  p.status, null::uuid as settled_by, i.position from plan_installments i
  join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id`

/** The ways to find a transfer's targets. */
type MatchKind = 'installment' | 'fee' | 'reference' | 'account' | 'contract'

/**
 * Finds the targets of a transfer. Installments, found by their own or their plan's reference, take
 * precedence. Otherwise the targets are the bills, loans or fees whose references the text
 * contains, followed by the loan that owns the receiving account, unless there are fees. If there
 * are none, the contract number of a credit line stands for the open loans on the line.
 */
export async function findTargetsOfTransfer(tx: Tx, transfer: Transfer): Promise<PaymentTarget[]> {
  const found = await tx.all(paidBy(tx, transfer))
  const by = (how: MatchKind) => found.filter(one => one.how === how)
  if (by('installment').length > 0) return by('installment')
  const exact = by('reference')
  if (by('fee').length > 0) return [...exact, ...by('fee')]
  const own = by('account').filter(loan => exact.every(one => one.id !== loan.id))
  const named = [...exact, ...own]
  return named.length > 0 ? named : by('contract')
}

/**
 * All possible targets of a transfer, in order of payment. The reference of a replaced bill stands
 * for its replacement, even before the replacement is sent.
 */
function paidBy(
  tx: Tx,
  { to_iban, reference }: Transfer,
): RawBuilder<PaymentTarget & { how: MatchKind }> {
  const references = findReferences(reference ?? '')
  const words = (reference ?? '').toUpperCase().split(/[^A-Z0-9-]+/)
  const collects = isCollectionIban(tx.settings, to_iban)
  return sql`
    with named as materialized (${rowsNamed('reference', references)}),
    terms as (select partner_id, id from repayment_terms where ${isNamed('repayment_terms')}),
    installments as (${INSTALLMENT} where p.status <> 'DRAFT'
        and (i.partner_id, i.id) in (
        select partner_id, id from plan_installments where ${isNamed('plan_installments')}
        union
        select n.partner_id, n.id from plan_installments n
        join installment_plans o on o.partner_id = n.partner_id and o.id = n.plan_id
        where ${isNamed('o')})),
    found (how, kind, id, plan_id, partner_id, borrower_id, status, settled_by, asked, first, day)
    as (
      select 'installment', i.kind, i.id, i.plan_id, i.partner_id, i.borrower_id, i.status,
        null::uuid, null::bigint, i.position, null::date from installments i
      union all
      select 'reference', 'bill', v.id, null, v.partner_id, v.borrower_id,
        case when v.amends_bill_id is null then v.status else 'TO_PAY' end,
        v.installment_plan_id, null, 0, v.due_on
      from bills v where v.status <> 'INVALID' and exists (select from bills b
        where ${isNamed('b')} and b.partner_id = v.partner_id
          and b.payer_id = v.payer_id and b.period_from = v.period_from)
      union all
      select 'reference', n.kind, n.id, n.plan_id, n.partner_id, n.borrower_id, n.status,
        n.settled_by, null, 1, n.falls_due_on
      from (${LOAN} where (l.partner_id, l.id) in (
        select partner_id, id from loans where ${isNamed('loans')}
        union all
        select n.partner_id, n.loan_id from terms t join repayment_terms_loans n
          on n.partner_id = t.partner_id and n.terms_id = t.id)) n
      union all
      select 'fee', 'fee', f.id, null, f.partner_id, f.borrower_id, f.status, null, f.amount, 0,
        f.month from (${findFeesByReference(references)}) f
      union all
      select 'account', n.kind, n.id, n.plan_id, n.partner_id, n.borrower_id, n.status,
        n.settled_by, null, 0, null
      from (${LOAN} where ${haveNames('l', 'account', collects ? [] : [to_iban])}) n
      union all
      select 'contract', n.kind, n.id, n.plan_id, n.partner_id, n.borrower_id, n.status,
        n.settled_by, null, 0, n.contractual_repayment_on
      from (${LOAN} join credit_lines c on c.partner_id = l.partner_id and c.id = l.credit_line_id
          and c.borrower_id = l.borrower_id
        where ${haveNames('c', 'contract', words)}
          and l.status in ('TO_REPAY', 'TO_REPAY_FEES')) n)
    select how, kind, id, plan_id, partner_id, borrower_id, status, settled_by, asked,
      (select t.id from terms t where t.partner_id = found.partner_id order by t.id limit 1)
        as terms_id
    from found order by how, plan_id, first, day, id`
}

/** Matches the rows of `table` whose own reference is in the transfer's text. */
function isNamed(table: string): RawBuilder<boolean> {
  return haveKeysIn(table, sql`named`)
}

async function feesByReference(tx: Tx, name: string): Promise<PaymentTarget[]> {
  const fees = await tx.all(findFeesByReference([name, electronicForm(name)]))
  return fees.map(({ amount, month: _, ...fee }) => ({
    ...fee,
    kind: 'fee' as const,
    plan_id: null,
    asked: amount,
  }))
}

/** The loan, bill, installment or fee with this id or reference. */
export async function findTarget(tx: Tx, target: string): Promise<PaymentTarget | undefined> {
  const is = (table: string) =>
    isUuid(target)
      ? sql`${ofEachPartner(table)} and ${sql.ref(`${table}.id`)} = ${target}::uuid`
      : haveNames(table, 'reference', [electronicForm(target)])
  const found = await tx.maybe(sql<PaymentTarget>`
    select kind, id, plan_id, partner_id, borrower_id, status, settled_by
      from (${LOAN} where ${is('l')}) loan
    union all
    select 'bill', id, null, partner_id, borrower_id, status, installment_plan_id from bills
      where ${is('bills')}
    union all
    select kind, id, plan_id, partner_id, borrower_id, status, settled_by
      from (${INSTALLMENT} where ${is('i')}) installment`)
  return found ?? (await feesByReference(tx, target))[0]
}
