/** Mails borrowers about an overdue installment or a broken plan. */
import { sql } from 'kysely'
import {
  installmentLateMail,
  lenderOf,
  type Mail,
  planBrokenMail,
  type ReopenedDebt,
} from '../../../integrations/documents/index.ts'
import { type Contact, mailBorrowers } from '../../../money/partner-terms/index.ts'
import { isPending } from '../../../money/payments/index.ts'
import { raiseAlerts } from '../../../platform/alerts/index.ts'
import { keysOf } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { type Day, max } from '../../../platform/kit/dates.ts'
import { maxAmount } from '../../../platform/kit/money.ts'
import { versionsOf } from '../../bills/index.ts'
import { recordReminded } from '../../delinquency/index.ts'
import { type DueLoan, daysLate, lateFrom } from '../../loans/dates.ts'
import { bearsInterest, type InterestStop } from '../../loans/interest.ts'
import { owedAfter } from './compute.ts'
import { readDebts } from './debts.ts'
import { readPlan } from './open-plan.ts'
import { lockDebits } from './plan-debits.ts'
import { type InstallmentRow, idsOf, OPEN_STATUSES, openIn, type Plan } from './rules.ts'
import { noteInstallmentsReminded } from './store.ts'

/** Requests the overdue amount of a plan in a single mail for all its loans. */
export async function remindOfInstallments(
  tx: Tx,
  { partner_id, installment_plan_id: id }: { partner_id: string; installment_plan_id: string },
): Promise<void> {
  const state = await readPlan(tx, { partner_id, id })
  await mailLate(tx, state, await lateInstallments(tx, state))
}

/**
 * Reminds the borrower once of each overdue installment of a non-contractual plan, because the plan
 * suspends its loans' own reminders. The caller has locked the plan.
 */
export async function remindOnce(tx: Tx, state: Plan): Promise<void> {
  if (state.plan.is_contractual) return
  const late = await lateInstallments(tx, state)
  const fresh = late.filter(one => one.reminded_on === null)
  if (fresh.length === 0) return
  await mailLate(tx, state, late)
  await noteInstallmentsReminded(tx, fresh)
}

/** Overdue installments that no pending debit will collect. */
async function lateInstallments(tx: Tx, state: Plan): Promise<InstallmentRow[]> {
  if (!OPEN_STATUSES.includes(state.plan.status)) return []
  const open = state.installments.filter(
    one => one.due_on < tx.today && openIn(state, one.id) > 0n && one.status !== 'CANCELED',
  )
  if (open.length === 0) return []
  const debited = new Set(
    (await lockDebits(tx, state)).filter(isPending).map(debit => debit.installment_id),
  )
  return open.filter(one => !debited.has(one.id))
}

async function mailLate(tx: Tx, state: Plan, late: readonly InstallmentRow[]): Promise<void> {
  const oldest = late[0]
  if (!oldest) return
  const { lender } = tx.settings
  const amount = late.reduce((sum, one) => sum + openIn(state, one.id), 0n)
  await mailBorrowerOf(tx, state, reader =>
    installmentLateMail({
      ...headOf(tx, state, reader),
      amount,
      due_on: oldest.due_on,
      days_late: daysLate(oldest.due_on, tx.today),
      iban: lender.collection_iban,
    }),
  )
}

/**
 * Mails the borrower that the plan has ended because `unpaid` was not paid, with the debts that are
 * owed now. `state` is the plan before its end. The mail replaces that day's reminders of the
 * plan's loans.
 */
export async function mailBroken(tx: Tx, state: Plan, unpaid: InstallmentRow): Promise<void> {
  // Writes pending changes first, because the new debits of the plan's debts are read below.
  await tx.flush()
  const loan_ids = idsOf(state.parts, 'loan_id')
  const bills = await reopenedBills(tx, state, loan_ids)
  const debts = [...(await reopenedLoans(tx, state, loan_ids, bills)), ...bills]
  await mailBorrowerOf(tx, state, reader =>
    planBrokenMail({
      ...headOf(tx, state, reader),
      due_on: unpaid.due_on,
      unpaid: openIn(state, unpaid.id),
      debts,
    }),
  )
  await recordReminded(tx, keysOf(state.plan.partner_id, loan_ids))
}

function headOf(tx: Tx, { plan }: Plan, reader: Contact) {
  const { lender } = tx.settings
  return {
    language: reader.preferred_language,
    lender: lenderOf(lender),
    recipient: reader.name,
    plan_reference: plan.reference,
    currency: 'EUR',
    account_holder: lender.name,
  }
}

/**
 * Mails the borrower and the loans' notification addresses. If the borrower has no address, mails
 * its partner instead and raises an alert.
 */
async function mailBorrowerOf(tx: Tx, { plan, parts }: Plan, mail: (reader: Contact) => Mail) {
  const { borrower_id, partner_id, reference } = plan
  const loan_ids = idsOf(parts, 'loan_id')
  const also = await tx.all(sql<{ email: string }>`
    select distinct unnest(notification_emails) as email from loans
    where partner_id = ${partner_id} and id = any(${loan_ids}::uuid[]) order by 1`)
  const others = also.map(one => one.email)
  const draft = (reader: Contact) => ({ ...mail(reader), document_ids: [] })
  const contacts = await mailBorrowers(tx, [{ borrower_id, partner_id, also: others, draft }])
  const { name, emails, is_own } = contacts.get(borrower_id)!
  if (is_own) return
  const recipients = [...new Set([...emails, ...others])]
  const to = recipients.length > 0 ? `sent to ${recipients.join(', ')} instead` : 'not sent'
  const detail = `${name} has no e-mail address. Mail on plan ${reference} ${to}`
  await raiseAlerts(tx, 'borrower_without_email', [
    { subject_id: borrower_id, detail: `${detail}: contact the borrower` },
  ])
}

/**
 * Pending debits as a JSON array. The query adds the condition on its loan or bill and closes the
 * brackets.
 */
const DEBITS = sql`coalesce((select json_agg(json_build_object('on', p.scheduled_on,
    'amount', p.amount::text) order by p.scheduled_on, p.id) from payments p
  where p.direction = 'IN' and p.payment_method <> 'SCT'
    and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')`

type ReopenedBill = ReopenedDebt & {
  /** Unpaid cents of the bill, by loan id. */
  open: Record<string, string>
}
type BillRead = Omit<ReopenedBill, 'debits' | 'bears_interest'> & {
  debits: { on: Day; amount: string }[]
}

/** The borrower's open bills that belonged to the plan or have lines of its loans. */
async function reopenedBills(
  tx: Tx,
  { plan, parts }: Plan,
  loan_ids: readonly string[],
): Promise<ReopenedBill[]> {
  const bill_ids = await versionsOf(tx, plan.partner_id, idsOf(parts, 'bill_id'))
  const rows = await tx.all(sql<BillRead>`
    select 'bill' as owed, coalesce(b.invoice_number, b.reference) as name, b.reference,
      b.amount - b.amount_paid as amount, 0::bigint as interest,
      b.due_on as due_from, b.due_on as due_until,
      ${tx.settings.lender.collection_iban} as iban,
      ${DEBITS} and p.partner_id = b.partner_id and p.bill_id = b.id), '[]') as debits,
      (select coalesce(json_object_agg(i.loan_id, (i.amount - i.paid)::text), '{}')
        from bill_lines i where i.partner_id = b.partner_id and i.bill_id = b.id) as open
    from bills b
    where b.partner_id = ${plan.partner_id} and b.borrower_id = ${plan.borrower_id}
      and b.status = 'TO_PAY' and b.amount > b.amount_paid
      and (b.id = any(${bill_ids}::uuid[]) or exists (select from bill_lines i
        where i.partner_id = b.partner_id and i.bill_id = b.id
          and i.loan_id = any(${loan_ids}::uuid[]) and i.amount > i.paid))
    order by b.due_on, b.id`)
  return rows.map(({ debits, ...bill }) => ({
    ...bill,
    bears_interest: false,
    debits: debits.map(({ on, amount }) => ({ on, amount: BigInt(amount) })),
  }))
}

interface LoanRead extends Omit<DueLoan, 'debits'> {
  readonly id: string
  readonly repayment_reference: string
  readonly repayment_iban: string
  readonly principal_outstanding: bigint
  readonly fees_payer: string
  readonly interest_stops: readonly InterestStop[]
  /** The last due date of a loan in installments; null for other loans. */
  readonly last_on: Day | null
  readonly debits: { on: Day; amount: string }[]
}

/** The loans of a plan, with the interest that is not on these bills. */
async function reopenedLoans(
  tx: Tx,
  { plan: { partner_id } }: Plan,
  loan_ids: readonly string[],
  bills: readonly ReopenedBill[],
): Promise<ReopenedDebt[]> {
  const loans = await tx.all(sql<LoanRead>`
    select l.id, l.repayment_reference, l.repayment_iban, l.principal_outstanding,
      l.repayment_method, l.paid_out_on, l.due_on, l.fees_payer, l.interest_stops,
      (select max(i.due_on) from loan_installments i
      where l.partner_id = i.partner_id and i.loan_id = l.id) as last_on,
      ${DEBITS} and p.partner_id = l.partner_id and p.loan_id = l.id), '[]') as debits
    from loans l where l.partner_id = ${partner_id} and l.id = any(${loan_ids}::uuid[])
    order by l.paid_out_on, l.id`)
  const debts = await readDebts(tx, partner_id, { loan_ids, bill_ids: [] })
  const accrued = new Map(
    debts.map(debt => [debt.id, owedAfter(debt, [], tx.today) - debt.principal]),
  )
  return loans
    .map((loan): ReopenedDebt => {
      const billed = bills.reduce((sum, bill) => sum + BigInt(bill.open[loan.id] ?? '0'), 0n)
      // Reminders and this mail state the same day.
      const due_from = lateFrom(loan)
      return {
        owed: 'loan',
        name: loan.repayment_reference,
        reference: loan.repayment_reference,
        amount: loan.principal_outstanding,
        bears_interest: loan.principal_outstanding > 0n && bearsInterest(loan, tx.today),
        interest: maxAmount((accrued.get(loan.id) ?? 0n) - billed, 0n),
        due_from,
        due_until: loan.last_on ? max(due_from, onOrAfterTargetDay(loan.last_on)) : due_from,
        debits: loan.debits.map(({ on, amount }) => ({ on, amount: BigInt(amount) })),
        iban: loan.repayment_iban,
      }
    })
    .filter(debt => debt.amount + debt.interest > 0n)
}
