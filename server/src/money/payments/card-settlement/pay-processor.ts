/**
 * On every banking day, pays the card processor what is owed for card spending. A balance in our
 * favor is offset against later spending.
 */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { CardIssuer } from '../../../integrations/ports/card-issuer.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { initialStatus, move, recordCreation } from '../../../platform/db/move.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { isTargetDay } from '../../../platform/kit/calendar.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { lenderBalance } from '../../../platform/ledger/index.ts'
import { availableCash } from '../funding.ts'
import { allStopped, areStopped } from '../held-payments.ts'
import { type LenderOrder, submitLenderOrder } from '../orders/submit-lender-order.ts'
import {
  insertProcessorPayment,
  isProcessorPaymentPlanned,
  lockOpenProcessorPayment,
  markProcessorSubmitted,
  PROCESSOR_PAYMENT_COLUMNS,
  type ProcessorPayment,
  setProcessorAmount,
} from './store.ts'

const RESOURCE = 'processor_payment'

/** Whether money is owed, or a planned payment may have become unnecessary. */
export async function hasProcessorToPay(tx: Tx): Promise<boolean> {
  return (await isProcessorPaymentPlanned(tx)) || (await owedToProcessor(tx)) > 0n
}

/** Pays what is owed today. Returns the number of payments instructed, 0 or 1. Safe to repeat. */
export async function payProcessor({ database, ports }: Context): Promise<number> {
  return transaction(database, { partners: '*', actor: 'service' }, tx => payOwed(tx, ports.cards))
}

async function payOwed(tx: Tx, issuer: CardIssuer): Promise<number> {
  const open = await lockOpenProcessorPayment(tx)
  if (
    open?.status === 'INSTRUCTED' ||
    !isTargetDay(tx.today) ||
    (await areStopped(tx, 'payouts'))
  ) {
    return 0
  }
  const owed = await owedToProcessor(tx)
  if (owed <= 0n) {
    if (!open) return 0
    await move(tx, RESOURCE, [open], 'cancel', 'nothing is owed')
    await clearAlert(tx, 'funding_short', open.id)
    return 0
  }
  const planned = await plan(tx, issuer, open, owed)
  const short = owed - (await availableCash(tx))
  if (short > 0n) {
    await raiseAlert(
      tx,
      'funding_short',
      planned.id,
      `${euros(short)} for the processor are missing`,
    )
    return 0
  }
  await clearAlert(tx, 'funding_short', planned.id)
  await move(tx, RESOURCE, [planned], 'instruct')
  enqueue(tx, 'submit_processor_payment', { processor_payment_id: planned.id })
  return 1
}

async function owedToProcessor(tx: Tx): Promise<bigint> {
  const { owed } = await tx.one(sql<{ owed: bigint }>`
    select -${lenderBalance(['card_settlement'])} as owed`)
  return owed
}

/** Plans the payment, or sets the one that waits for cash to the amount owed now. */
async function plan(
  tx: Tx,
  { processor, settlement_account }: CardIssuer,
  open: ProcessorPayment | undefined,
  amount: bigint,
) {
  const due = { amount, scheduled_on: tx.today }
  if (open) {
    await setProcessorAmount(tx, open.id, due)
    return open
  }
  assert(settlement_account, 'a deployment that issues no cards owes nothing for them')
  const initial = initialStatus(RESOURCE, [])
  const { iban: to_iban, name: to_name } = settlement_account
  const row = { id: tx.newId(), processor, to_iban, to_name, ...due, status: initial.status }
  await insertProcessorPayment(tx, { ...row, created_at: tx.now })
  recordCreation(tx, [{ id: row.id, partner_id: LENDER_ID, initial }])
  return { ...row, partner_id: LENDER_ID }
}

/**
 * Sends the order to the bank, unless payouts are stopped, in which case the order is sent once
 * they resume. Safe to repeat.
 */
export async function submitProcessorPayment(context: Context, id: string): Promise<void> {
  const read = async (tx: Tx): Promise<LenderOrder | null> => {
    const payment = await tx.maybe(sql<ProcessorPayment>`
      select ${PROCESSOR_PAYMENT_COLUMNS} from processor_payments
      where id = ${id} and status = 'INSTRUCTED' and submitted_at is null
        and not ${allStopped('payouts')}`)
    if (!payment) return null
    const { amount, to_iban: iban, to_name: name } = payment
    return {
      payment_id: id,
      account: 'FUNDING',
      amount,
      references: [`HEADROOM ${id}`],
      to: { iban, name },
    }
  }
  await submitLenderOrder(context, read, tx => markProcessorSubmitted(tx, id))
}
