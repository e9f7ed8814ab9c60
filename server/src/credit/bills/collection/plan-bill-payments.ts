/** Plans the payments of bills: by the borrower's main repayment method, or else by transfer. */
import { sql } from 'kysely'
import { type ActiveMethod, activeMethods } from '../../../companies/borrowers/index.ts'
import {
  type Collection,
  firstDayOfOther,
  lockCollections,
  type PaymentFor,
  syncCollections,
} from '../../../money/payments/index.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import {
  collectionAccount,
  ibanAccount,
  type PaymentAccount,
} from '../../../platform/kit/payment-account.ts'
import { repaymentDay } from '../../loans/index.ts'
import { type BillRow, lockBills } from '../store.ts'

/** Statuses in which debits are held, because the payer does not have the bill yet. */
const UNSENT = ['GENERATED', 'VALIDATED']

interface BillTerms {
  /** The earliest day for debits that are planned because the repayment method has changed. */
  readonly free_from?: Day
  /** The recalled debit that the new plan replaces. */
  readonly recalled_payment_id?: string | null
}

/** Keeps the planned payments of bills in step with the unpaid amounts. */
export async function planBillPayments(
  tx: Tx,
  keys: readonly RowKey[],
  { free_from, recalled_payment_id = null }: BillTerms = {},
): Promise<void> {
  if (keys.length === 0) return
  const bills = await lockBills(tx, keys)
  if (bills.length === 0) return
  const payments = await lockCollections(tx, 'bill_id', bills)
  const planned = Map.groupBy(payments, payment => payment.bill_id!)
  const payerOf = await readPayers(tx, bills)
  const settled = await settledByPlans(tx, bills)
  await syncCollections(
    tx,
    bills.map(bill => {
      const own = planned.get(bill.id) ?? []
      const payer = payerOf(bill)
      const first_on = free_from ?? firstDayOfOther(own, payer, tx.today)
      return {
        owed: settled.get(bill.id) ?? bill.amount - bill.amount_paid,
        planned: own,
        plan: paymentOf(tx, bill, payer, first_on),
        held: UNSENT.includes(bill.status),
        recalled_payment_id,
      }
    }),
  )
}

/**
 * Cents to collect outside payment plans, by bill id, for bills that a plan settles entirely or
 * through some of their loans.
 */
async function settledByPlans(tx: Tx, bills: readonly BillRow[]): Promise<Map<string, bigint>> {
  const touched = await billsTouchedByPlans(tx, bills)
  if (touched.length === 0) return new Map()
  const rows = await tx.all(sql<{ id: string; owed: bigint }>`
    select b.id, greatest(0, coalesce(case when b.installment_plan_id is null then
        sum(i.amount - i.paid) filter (where l.installment_plan_id is null) end, 0))::bigint as owed
    from bills b join bill_lines i on i.partner_id = b.partner_id and i.bill_id = b.id
    join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    where ${haveKeys(touched, 'b')} and b.borrower_id is not null
    group by b.partner_id, b.id order by b.id`)
  return new Map(rows.map(row => [row.id, row.owed]))
}

/**
 * The bills that a plan settles entirely or through their loans. The query starts from the loans in
 * plans, which are few and indexed, so it does not read every bill line.
 */
async function billsTouchedByPlans(tx: Tx, bills: readonly BillRow[]): Promise<RowKey[]> {
  const [settled, others] = [
    bills.filter(bill => bill.installment_plan_id !== null),
    bills.filter(bill => bill.installment_plan_id === null),
  ]
  const rows = await tx.all(sql<RowKey>`
    select distinct i.partner_id, i.bill_id as id from loans l
    join bill_lines i on i.partner_id = l.partner_id and i.loan_id = l.id
    where l.installment_plan_id is not null
      and l.borrower_id = any(${others.flatMap(bill => bill.borrower_id ?? [])}::uuid[])
      and ${haveKeys(others, 'i', 'bill_id')}
    order by i.bill_id`)
  return [...settled, ...rows]
}

/** Plans the unpaid amount again after a bill's debit has been canceled. */
export async function followCanceledBillDebit(
  tx: Tx,
  { payment, recalled }: { payment: PaymentFor<'bill_payment'>; recalled: boolean },
): Promise<void> {
  const { partner_id, bill_id: id } = payment
  await planBillPayments(tx, [{ partner_id, id }], {
    recalled_payment_id: recalled ? payment.id : null,
  })
}

type Payer = Pick<ActiveMethod, 'payment_method' | 'mandate_id' | 'wallet_id' | 'account'>

const TRANSFER: Payer = { payment_method: 'SCT', mandate_id: null, wallet_id: null, account: null }

/**
 * A borrower pays by its main method, or by transfer if it has none; a partner pays by transfer
 * from its company's account.
 */
async function readPayers(tx: Tx, bills: readonly BillRow[]): Promise<(bill: BillRow) => Payer> {
  const methods = await activeMethods(tx, keysBy(bills, 'borrower_id'))
  const partners = bills.filter(bill => !bill.borrower_id).map(bill => bill.partner_id)
  const companies = await tx.all(
    sql<{ partner_id: string; iban: string | null; bic: string | null; name: string }>`
    select partner_id, iban, bic, name from partner_companies
    where partner_id = any(${partners}::uuid[])`,
  )
  const accounts = new Map(
    companies.map(({ partner_id, iban, bic, name }): [string, PaymentAccount | null] => [
      partner_id,
      iban ? ibanAccount(iban, bic, name) : null,
    ]),
  )
  return ({ borrower_id, partner_id }) =>
    borrower_id
      ? (methods.get(borrower_id)?.find(method => method.is_main) ?? TRANSFER)
      : { ...TRANSFER, account: accounts.get(partner_id) ?? null }
}

function paymentOf(tx: Tx, bill: BillRow, payer: Payer, free_from: Day | null): Collection['plan'] {
  const { payment_method, mandate_id, wallet_id, account } = payer
  return {
    partner_id: bill.partner_id,
    borrower_id: bill.borrower_id,
    bill_id: bill.id,
    payment_type: 'REPAYMENT_FEES',
    payment_method,
    mandate_id,
    wallet_id,
    scheduled_on: repaymentDay(payment_method, bill.due_on, tx.today, free_from),
    from_account: account,
    to_account: collectionAccount(tx.settings.lender),
    from_references: [bill.reference],
    to_references: [bill.reference],
  }
}
