/** Sends an instructed payment to the bank, then records the result. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { PaymentOrder } from '../../integrations/ports/bank.ts'
import type { Actor } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { parisDay } from '../../platform/kit/dates.ts'
import { isHeld } from './held-payments.ts'
import { publishInstructed } from './instruct-payments.ts'
import { postponePayments } from './postpone-payments.ts'
import { receiveBankNews } from './receive-bank-news.ts'
import { markSubmitted } from './store.ts'
import type { PaymentRow } from './types.ts'

const SERVICE: Actor = 'service'

interface Mandate {
  reference: string
  scheme: 'CORE' | 'B2B'
  signed_at: Date
  creditor_identifier: string
}

/** Sends one instructed payment. Safe to repeat: our id is the bank's idempotency key. */
export async function submitPayment(context: Context, payment: RowKey): Promise<void> {
  const payment_id = payment.id
  const taken = await transaction(context.database, { partners: '*' }, async tx => {
    const taken = await takeInstructed(tx, payment)
    if (!taken) return null
    const mandate = taken.mandate_id
      ? await tx.one(sql<Mandate>`select * from mandates
          where partner_id = ${taken.partner_id} and id = ${taken.mandate_id}`)
      : null
    return { key: taken, order: orderOf(taken, mandate) }
  })
  if (!taken) return
  const { key, order } = taken
  const outcome = await context.ports.bank.submit(order)
  // Throws so that the job is retried: an unknown outcome is not a failure.
  if (outcome.state === 'unknown') throw new Error(`the bank did not answer for ${payment_id}`)
  await transaction(context.database, { partners: '*' }, async tx => {
    await markSubmitted(tx, key)
    if (outcome.state === 'refused') {
      await receiveBankNews(tx, [
        {
          bank_reference: `refused-${payment_id}`,
          kind: 'REJECTED',
          payment_id,
          amount: order.amount,
          value_on: tx.today,
          reason_code: outcome.reason_code,
          raw: {},
        },
      ])
    }
  })
}

/**
 * Reads the payment to send, unless it is held: then it is sent later. If its date was missed while
 * it waited, it gets a new date and is announced again.
 */
async function takeInstructed(tx: Tx, { partner_id, id }: RowKey): Promise<PaymentRow | null> {
  const payment = await tx.maybe(sql<PaymentRow>`
    select * from payments
    where partner_id = ${partner_id} and id = ${id} and status = 'INSTRUCTED'
      and submitted_at is null and not ${isHeld()}`)
  if (!payment) return null
  const [kept] = await postponePayments(tx, [payment])
  if (kept!.scheduled_on !== payment.scheduled_on) await publishInstructed(tx, SERVICE, [kept!])
  return kept!
}

function orderOf(payment: PaymentRow, mandate: Mandate | null): PaymentOrder {
  const out = payment.direction === 'OUT'
  const account = out ? payment.to_account : payment.from_account
  assert(account, 'a payment we instruct has a counterparty')
  return {
    payment_id: payment.id,
    partner_id: payment.partner_id,
    kind: payment.payment_method === 'DIRECT_DEBIT' ? 'SDD' : 'SCT',
    direction: out ? 'OUT' : 'IN',
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
