/** The run of monthly fees: charged on the 1st, debited once there is a mandate; in slices. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { nthTargetDayOfMonth } from '../kit/calendar.ts'
import { type Day, firstOfMonth } from '../kit/dates.ts'
import { post, transferPostings } from '../ledger/index.ts'
import { collectionAccount, collectionDay, ibanAccount } from '../loans/index.ts'
import { schedulePayments } from '../payments/index.ts'
import { insertFees, setPayments } from './store.ts'

const SERVICE: Actor = 'service'
const SLICE = 200

/** The banking day of the month on which fees are debited, as bills are. */
const DEBIT_BANKING_DAY = 3

/** Answers how many fees were charged and debits planned. A repeat finds them there. */
export async function chargeFees(database: Database, today: Day): Promise<number> {
  const charged =
    firstOfMonth(today) === today ? await inSlices(database, tx => chargeSlice(tx, today)) : 0
  return charged + (await inSlices(database, planSlice))
}

async function inSlices(database: Database, slice: (tx: Tx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const done = await transaction(database, { partners: '*' }, slice)
    if (done === 0) return total
    total += done
  }
}

interface DueFee {
  subscription_id: string
  partner_id: string
  borrower_id: string
  amount: bigint
}

/** The first fee is that of the month after the activation. */
async function chargeSlice(tx: Tx, month: Day): Promise<number> {
  const due = await tx.all(sql<DueFee>`
    select s.id as subscription_id, s.partner_id, s.borrower_id, p.monthly_fee as amount
    from subscriptions s
    join borrower_products bp on bp.id = s.borrower_product_id
    join products p on p.id = bp.product_id
    join borrowers b on b.id = s.borrower_id and b.status not in ('DEACTIVATED', 'PROHIBITED')
    where s.status = 'ACTIVE' and s.activated_on < ${month} and p.monthly_fee > 0
      and not exists (select from subscription_fees f
        where f.subscription_id = s.id and f.month = ${month})
    order by s.id limit ${SLICE} for no key update of s`)
  const fees = due.map(({ borrower_id: _, ...fee }) => ({
    ...fee,
    id: tx.newId(),
    month,
    created_at: tx.now,
  }))
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
  return due.length
}

interface Unplanned {
  id: string
  partner_id: string
  borrower_id: string
  month: Day
  amount: bigint
  mandate_id: string
  reference: string
  iban: string
  bic: string
  debtor_name: string
}

/** A fee whose borrower has no mandate now waits; one that failed is not presented again. */
async function planSlice(tx: Tx): Promise<number> {
  const fees = await tx.all(sql<Unplanned>`
    select f.id, f.partner_id, s.borrower_id, f.month, f.amount, d.id as mandate_id,
      d.reference, d.iban, d.bic, d.debtor_name
    from subscription_fees f
    join subscriptions s on s.id = f.subscription_id
    join lateral (select m.mandate_id from repayment_methods m
      where m.borrower_id = s.borrower_id and m.status = 'READY' and m.mandate_id is not null
      order by m.is_main desc, m.id limit 1) m on true
    join mandates d on d.id = m.mandate_id and d.status = 'READY'
    where f.payment_id is null order by f.id limit ${SLICE} for no key update of f`)
  if (fees.length === 0) return 0
  const payments = await schedulePayments(
    tx,
    SERVICE,
    fees.map(fee => debitOf(tx, fee)),
  )
  await setPayments(
    tx,
    fees.map((fee, i) => ({ fee_id: fee.id, payment_id: payments[i]! })),
  )
  return fees.length
}

function debitOf(tx: Tx, fee: Unplanned) {
  const due_on = nthTargetDayOfMonth(fee.month, DEBIT_BANKING_DAY)
  const reference = `FEE ${fee.month.slice(0, 7)} ${fee.reference}`
  return {
    partner_id: fee.partner_id,
    borrower_id: fee.borrower_id,
    payment_type: 'SUBSCRIPTION',
    payment_method: 'DIRECT_DEBIT' as const,
    direction: 'IN' as const,
    amount: fee.amount,
    scheduled_on: collectionDay(due_on, tx.today),
    from_account: ibanAccount(fee.iban, fee.bic, fee.debtor_name),
    to_account: collectionAccount(tx.settings.lender),
    from_references: [reference],
    to_references: [reference],
    mandate_id: fee.mandate_id,
  }
}
