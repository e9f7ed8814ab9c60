/** Sends an instructed payment to the bank, then records the bank's answer. */

import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { AccountRole, PaymentOrder } from '../../../integrations/ports/bank.ts'
import { isCollectionIban } from '../../../platform/db/collection-accounts.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Settings } from '../../../platform/db/settings.ts'
import { type Statement, statement, type Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import { isHeld } from '../held-payments.ts'
import { publishInstructed } from '../instruct-payments.ts'
import { postponePayments } from '../postpone-payments.ts'
import { markSubmitted } from '../store.ts'
import type { PaymentRow } from '../types.ts'
import { sendOrder } from './send-order.ts'
import { type StoredOrder, storedOrderOf, storeOrder } from './store.ts'

interface Mandate {
  reference: string
  scheme: 'CORE' | 'B2B'
  signed_at: Date
  creditor_identifier: string
}

/** Sends one instructed payment. Safe to repeat: our id is the bank's idempotency key. */
export async function submitPayment(context: Context, payment: RowKey): Promise<void> {
  await sendOrder(context, {
    take: tx => takeInstructed(tx, payment),
    isAwaited: async tx => (await tx.inOrder([lockUnsent(payment)]))[0] !== undefined,
    mark: tx => markSubmitted(tx, payment),
  })
}

/**
 * Returns the order to send; null if the payment is held or no longer needs sending. The first
 * attempt stores the order; the bank may have it, so later attempts send the same one. If the
 * payment's date was missed before the first attempt, it gets a new date and is announced again.
 */
async function takeInstructed(tx: Tx, key: RowKey): Promise<StoredOrder | null> {
  // Read under the lock: while this attempt waited for it, another may have stored the order, or an
  // operator may have stopped the payment.
  const [unsent, stored, held] = await tx.inOrder([
    lockUnsent(key),
    storedOrderOf(key),
    readHeld(tx, key),
  ])
  if (!unsent || held) return null
  if (stored) return stored
  const [dated] = await postponePayments(tx, [unsent])
  if (dated!.scheduled_on !== unsent.scheduled_on) await publishInstructed(tx, [dated!])
  return storeOrder(tx, key, orderOf(dated!, await readMandate(tx, dated!), tx.settings))
}

/** Locks the payment if it is still instructed and the bank has not answered. */
function lockUnsent({ partner_id, id }: RowKey): Statement<PaymentRow | undefined> {
  return statement(
    sql<PaymentRow>`
      select * from payments
      where partner_id = ${partner_id} and id = ${id} and status = 'INSTRUCTED'
        and submitted_at is null for no key update`,
    ([payment]) => payment,
  )
}

function readHeld(tx: Tx, { partner_id, id }: RowKey): Statement<boolean> {
  return statement(
    sql<{ is_held: boolean }>`
      select ${isHeld(tx.today)} as is_held from payments
      where partner_id = ${partner_id} and id = ${id}`,
    ([payment]) => payment?.is_held ?? false,
  )
}

async function readMandate(tx: Tx, { partner_id, mandate_id }: PaymentRow) {
  if (!mandate_id) return null
  return tx.one(sql<Mandate>`
    select * from mandates where partner_id = ${partner_id} and id = ${mandate_id}`)
}

/** Refunds leave from the account that payments come in on, other payments from the funding one. */
function roleOf(settings: Settings, { direction, from_account }: PaymentRow): AccountRole {
  const is_refund = from_account !== null && isCollectionIban(settings, from_account.account_number)
  return direction === 'IN' || is_refund ? 'COLLECTION' : 'FUNDING'
}

function orderOf(payment: PaymentRow, mandate: Mandate | null, settings: Settings): PaymentOrder {
  const out = payment.direction === 'OUT'
  const account = out ? payment.to_account : payment.from_account
  assert(account, 'a payment we instruct has a counterparty')
  return {
    payment_id: payment.id,
    partner_id: payment.partner_id,
    kind: payment.payment_method === 'DIRECT_DEBIT' ? 'SDD' : 'SCT',
    direction: out ? 'OUT' : 'IN',
    account: roleOf(settings, payment),
    amount: payment.amount,
    currency: payment.currency,
    counterparty: {
      iban: account.account_number,
      bic: account.bank_identifier,
      name: account.name ?? '',
    },
    references: out ? payment.to_references : payment.from_references,
    requested_on: payment.scheduled_on,
    loan_ids: payment.loan_id ? [payment.loan_id] : [],
    mandate: mandate && {
      reference: mandate.reference,
      scheme: mandate.scheme,
      signed_on: parisDay(mandate.signed_at),
      creditor_identifier: mandate.creditor_identifier,
    },
  }
}
