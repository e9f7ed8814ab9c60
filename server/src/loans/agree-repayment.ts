/** Another day or method to repay a running loan: checked first, then agreed. */
import { sql } from 'kysely'
import type { BorrowerRow } from '../borrowers/index.ts'
import { type Actor, recordAmendment } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { type Language, lenderOf, postponedMail } from '../documents/index.ts'
import { note } from '../events/record.ts'
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import { queueMails } from '../mails/index.ts'
import { cancelScheduled, type PaymentRow, setDay } from '../payments/index.ts'
import { describeChanges, type Fault, type Limits, repaymentDayFault } from './changeable.ts'
import { collectionDay, firstFreeDebitDay, type RepaymentMethod } from './dates.ts'
import { planCollection } from './plan-collection.ts'
import { readProducts } from './situation.ts'
import { type LoanRow, setAgreed } from './store.ts'

export interface RepaymentWish {
  readonly to_repay_on?: Day | null | undefined
  readonly method?: RepaymentMethod | null | undefined
  /** The account to debit; without it that of the borrower's main mandate. */
  readonly iban?: string | null | undefined
}

/** A wish that nothing stands against. */
export interface Agreement {
  readonly loan: LoanRow
  readonly to_repay_on: Day
  readonly method: RepaymentMethod
  readonly mandate_id: string | null
}

export async function limitsOf(tx: Tx, loan: LoanRow): Promise<Limits> {
  const product = (await readProducts(tx)).get(loan.loan_type)
  assert(product, `a loan was granted without a product for ${loan.loan_type}`)
  const { duration_days_max, payout_cut_off } = product
  return { now: tx.now, duration_days_max, cut_off: payout_cut_off.slice(0, 5) }
}

/** Checks a wish for a locked loan in TO_REPAY: an agreement, or why there can be none. */
export async function inspectRepayment(
  tx: Tx,
  loan: LoanRow,
  wish: RepaymentWish,
): Promise<Agreement | Fault> {
  const limits = await limitsOf(tx, loan)
  const before = loan.repayment_method as RepaymentMethod
  const method = wish.method ?? before
  const to_repay_on = wish.to_repay_on ?? loan.to_repay_on
  const fault = repaymentDayFault(loan, to_repay_on, method, limits)
  if (fault) return fault
  const chosen = await chooseMeans(tx, loan, method, wish.iban ?? null)
  if ('code' in chosen) return chosen
  const changed = to_repay_on !== loan.to_repay_on || method !== before
  if ((changed || chosen.mandate_id !== loan.mandate_id) && (await isFrozen(tx, loan, limits))) {
    const name = to_repay_on === loan.to_repay_on ? 'repayment_method' : 'to_repay_at'
    return { code: 'collection_frozen', name, reason: 'the debit is less than 3 banking days off' }
  }
  return { loan, to_repay_on, method, mandate_id: chosen.mandate_id }
}

/** A loan in installments is repaid as they say: neither its amount nor its days change alone. */
export async function installmentsFault(
  tx: Tx,
  loan: LoanRow,
  name: string,
): Promise<Fault | null> {
  const found = await tx.maybe(sql`
    select 1 from loan_installments where loan_id = ${loan.id} limit 1`)
  return found ? { code: 'change_refused', name, reason: 'its installments say otherwise' } : null
}

/** The old debit, too, must lie far enough ahead (domain.md, Debit at the due date). */
async function isFrozen(tx: Tx, loan: LoanRow, limits: Limits): Promise<boolean> {
  const free = firstFreeDebitDay(limits.now, limits.cut_off)
  const debits = await pendingDebits(tx, loan.id)
  return debits.some(debit => debit.status !== 'SCHEDULED' || debit.scheduled_on < free)
}

async function pendingDebits(tx: Tx, loan_id: string): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where loan_id = ${loan_id} and payment_method = 'DIRECT_DEBIT'
      and direction = 'IN' and status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
    order by id for no key update`)
}

/** What collects by a method: the mandate in force, or nothing for a transfer. */
export async function chooseMeans(
  tx: Tx,
  loan: LoanRow,
  method: RepaymentMethod,
  iban: string | null,
): Promise<{ mandate_id: string | null } | Fault> {
  if (method === 'SCT') return { mandate_id: null }
  const kept = method === loan.repayment_method && iban === null
  if (kept) return { mandate_id: loan.mandate_id }
  const found = await tx.maybe(sql<{ mandate_id: string | null }>`
    select m.mandate_id from repayment_methods m left join mandates d on d.id = m.mandate_id
    where m.borrower_id = ${loan.borrower_id} and m.partner_id = ${loan.partner_id}
      and m.status = 'READY' and m.payment_method = ${method}
      and (d.status = 'READY' or ${method} <> 'DIRECT_DEBIT')
      and (${iban}::text is null or d.iban = ${iban})
    order by m.is_main desc, m.id limit 1`)
  if (found) return found
  const reason = `the borrower has no ${method} in force${iban ? ' on this account' : ''}`
  return { code: 'change_refused', name: 'repayment_method', reason }
}

/** Carries an agreement out: the pending collection moves along. */
export async function agreeRepayment(
  tx: Tx,
  actor: Actor,
  { loan, to_repay_on, method, mandate_id }: Agreement,
): Promise<void> {
  const moved = to_repay_on !== loan.to_repay_on
  const other = method !== loan.repayment_method || mandate_id !== loan.mandate_id
  if (!moved && !other) return
  const postponed = to_repay_on > loan.to_repay_on
  await setAgreed(tx, loan.id, {
    ...{ to_repay_on, repayment_method: method, mandate_id },
    ...(postponed && { postponed_at: tx.now }),
  })
  if (other) await cancelScheduled(tx, actor, { loan_id: loan.id }, 'another method', 'IN')
  else {
    const day = collectionDay(to_repay_on, tx.today)
    for (const debit of await pendingDebits(tx, loan.id)) await setDay(tx, debit.id, day)
  }
  await planCollection(tx, actor, loan.id, 'agreed')
  const changes = describeChanges({
    to_repay_at: [loan.to_repay_on, to_repay_on],
    repayment_method: [loan.repayment_method, method],
    mandate: [loan.mandate_id ?? 'none', mandate_id ?? 'none'],
  })
  await amendLoan(tx, actor, loan, changes)
  if (postponed) await mailPostponed(tx, loan, to_repay_on)
}

/** A line in the loan's history, and the event that tells it. */
export async function amendLoan(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  changes: string,
): Promise<void> {
  if (changes === '') return
  await recordAmendment(tx, actor, 'loan', [loan], changes)
  note(tx, 'loan', loan.id, 'Loan.UPDATED')
}

async function mailPostponed(tx: Tx, loan: LoanRow, to_repay_on: Day): Promise<void> {
  const borrower = await tx.one(sql<BorrowerRow>`
    select * from borrowers where id = ${loan.borrower_id}`)
  const mail = postponedMail({
    language: borrower.preferred_language as Language,
    lender: lenderOf(tx.settings.lender),
    recipient: borrower.name,
    loan_reference: loan.repayment_reference,
    amount: loan.principal_outstanding,
    currency: loan.currency,
    before: loan.to_repay_on,
    to_repay_at: to_repay_on,
  })
  const recipients = [...loan.notification_emails, borrower.business_email]
  await queueMails(tx, loan.partner_id, recipients, { ...mail, document_ids: [] })
}
