/**
 * Charges monthly fees on the 1st, and plans their debits once the borrower can be debited. Runs
 * daily, in pages.
 */
import { type RawBuilder, sql } from 'kysely'
import { type ActiveMethod, activeMethods } from '../../companies/borrowers/index.ts'
import { schedulePayments } from '../../money/payments/index.ts'
import { followKey, haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, firstOfMonth } from '../../platform/kit/dates.ts'
import { collectionAccount } from '../../platform/kit/payment-account.ts'
import { rfReference } from '../../platform/kit/reference.ts'
import { post, transferPostings } from '../../platform/ledger/index.ts'
import { repaymentDay } from '../loans/index.ts'
import { feeDueOn } from './due-day.ts'
import { mailFees } from './mail-fees.ts'
import { insertFees, setPayments } from './store.ts'

const SLICE = 200

/**
 * The jobs that plan the debits of fees and, on the 1st, charge the month's fees first. Safe to
 * repeat.
 */
export function chargeFees(today: Day): readonly Paged[] {
  const charged = keyedJob('fees to charge', readActive, (tx, keys) => chargeBatch(tx, today, keys))
  const debited = keyedJob('fees to debit', readUnplanned, (tx, keys) =>
    planWhere(tx, haveKeys(keys, 'f')),
  )
  return firstOfMonth(today) === today ? [charged, debited] : [debited]
}

/** Plans new debits for fees whose debit was canceled. Safe to repeat. */
export function debitFeesAgain(): Paged {
  return keyedJob('fees to debit again', readCanceled, (tx, payments) =>
    planWhere(tx, haveKeys(payments, 'f', 'payment_id')),
  )
}

interface DueFee {
  subscription_id: string
  partner_id: string
  borrower_id: string
  amount: bigint
}

function readActive(tx: Tx, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, id from subscriptions
    where status = 'ACTIVE' and ${followKey(after, 'subscriptions')}
    order by partner_id, id limit ${SLICE}`)
}

/**
 * Charges the month's fee of these subscriptions, from the month after their activation. If a
 * borrower cannot be debited, a mail asks it to transfer the fee.
 */
async function chargeBatch(tx: Tx, month: Day, keys: readonly RowKey[]): Promise<number> {
  const due = await tx.all(sql<DueFee>`
    select s.id as subscription_id, s.partner_id, s.borrower_id, s.monthly_fee as amount
    from subscriptions s
    join borrowers b on b.partner_id = s.partner_id and b.id = s.borrower_id
      and b.status not in ('DEACTIVATED', 'PROHIBITED')
    where ${haveKeys(keys, 's')} and s.status = 'ACTIVE' and s.activated_on < ${month}
      and s.monthly_fee > 0
      and not exists (select from subscription_fees f
        where f.partner_id = s.partner_id and f.subscription_id = s.id and f.month = ${month})
    order by s.id for no key update of s`)
  const fees = due.map(({ borrower_id: _, ...fee }) => {
    const id = tx.newId()
    return { ...fee, id, reference: rfReference(id), month, created_at: tx.now }
  })
  const inserted = await insertFees(tx, fees)
  await post(
    tx,
    due
      .filter((_, i) => inserted.has(fees[i]!.id))
      .map(({ partner_id, borrower_id, amount }) => ({
        kind: 'subscription_fee' as const,
        partner_id,
        value_on: month,
        postings: transferPostings(
          { code: 'subscription_receivable', owner_id: borrower_id },
          { code: 'subscription_income', owner_id: null },
          amount,
        ),
      })),
  )
  const fresh = Map.groupBy(
    fees.filter(fee => inserted.has(fee.id)),
    fee => fee.partner_id,
  )
  for (const [partner_id, own] of fresh) await mailFees(tx, { partner_id }, own)
  return inserted.size
}

interface Unplanned {
  id: string
  partner_id: string
  borrower_id: string
  month: Day
  amount: bigint
  reference: string | null
}

/**
 * Plans the debits of a borrower's fees with its main method, or else another that can be debited.
 * Direct debits are dated `free_from` at the earliest.
 */
export async function planFees(tx: Tx, borrower: RowKey, free_from: Day): Promise<void> {
  const own = haveKeys([borrower], 's', 'borrower_id')
  await planUnplanned(tx, await lockUnplanned(tx, own), free_from)
}

async function planWhere(tx: Tx, which: RawBuilder<unknown>): Promise<number> {
  const fees = await lockUnplanned(tx, which)
  await planUnplanned(tx, fees, null)
  return fees.length
}

function readUnplanned(tx: Tx, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, id from subscription_fees
    where payment_id is null and ${followKey(after, 'subscription_fees')}
    order by partner_id, id limit ${SLICE}`)
}

/** Canceled debits that no other payment of their fee has replaced. */
function readCanceled(tx: Tx, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select p.partner_id, p.id from payments p
    where p.payment_type = 'SUBSCRIPTION' and p.status = 'CANCELED' and ${followKey(after, 'p')}
      and exists (select from subscription_fees f
        where f.partner_id = p.partner_id and f.payment_id = p.id)
    order by p.partner_id, p.id limit ${SLICE}`)
}

/**
 * Locks the fees that match `which` and have no debit or a canceled one. A failed or returned debit
 * is not presented again. Fees wait while their borrower cannot be debited.
 */
async function lockUnplanned(tx: Tx, which: RawBuilder<unknown>): Promise<Unplanned[]> {
  return tx.all(sql<Unplanned>`
    select f.id, f.partner_id, s.borrower_id, f.month, f.amount, f.reference
    from subscription_fees f
    join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
    left join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    where ${which} and (f.payment_id is null or p.status = 'CANCELED')
      and exists (select from repayment_methods m
        left join mandates d on d.partner_id = m.partner_id and d.id = m.mandate_id
        where m.partner_id = s.partner_id and m.borrower_id = s.borrower_id
          and m.status = 'READY'
          and (m.wallet_id is not null or d.status = 'READY'))
    order by f.id limit ${SLICE} for no key update of f`)
}

async function planUnplanned(
  tx: Tx,
  fees: readonly Unplanned[],
  free_from: Day | null,
): Promise<void> {
  if (fees.length === 0) return
  const methods = await activeMethods(tx, keysBy(fees, 'borrower_id'))
  const payments = await schedulePayments(
    tx,
    fees.map(fee => {
      const source = methods.get(fee.borrower_id)!.find(m => m.account)!
      return debitOf(tx, fee, source, free_from)
    }),
  )
  await setPayments(
    tx,
    fees.map(({ partner_id, id: fee_id }, i) => ({ partner_id, fee_id, payment_id: payments[i]! })),
  )
}

function debitOf(tx: Tx, fee: Unplanned, source: ActiveMethod, free_from: Day | null) {
  const { payment_method, mandate_id, wallet_id, account } = source
  const due_on = feeDueOn(fee.month)
  // With this reference, the fee can be paid by transfer if the debit fails.
  const own = fee.reference ?? source.reference ?? account!.account_number
  const reference = `FEE ${fee.month.slice(0, 7)} ${own}`
  return {
    partner_id: fee.partner_id,
    borrower_id: fee.borrower_id,
    payment_type: 'SUBSCRIPTION',
    payment_method,
    direction: 'IN' as const,
    amount: fee.amount,
    scheduled_on: repaymentDay(payment_method, due_on, tx.today, free_from),
    from_account: account,
    to_account: collectionAccount(tx.settings.lender),
    from_references: [reference],
    to_references: [reference],
    mandate_id,
    wallet_id,
  }
}
