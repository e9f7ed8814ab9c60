/** Transfers that somebody sends to the lender's account at the sandbox bank. */
import type { Tx } from '../../db/transaction.ts'
import { addMonths, type Day } from '../../kit/dates.ts'
import { parseIban } from '../../kit/iban.ts'
import { type InvalidParam, invalid } from '../../kit/problem.ts'
import type { Transfer } from '../../ports/bank.ts'
import { writeStatement } from './bank-statement.ts'

export interface IncomingTransfer extends Transfer {
  /** Cents, above 0. */
  readonly amount: bigint
  /** Null is today. */
  readonly value_on: Day | null
}

export interface ReceivedTransfer extends Transfer {
  readonly id: string
  readonly amount: bigint
  readonly value_on: Day
}

/** No bank corrects a value day further back than the longest claim of SEPA reaches. */
const VALUE_MONTHS_MAX = 13

/** Is that IBAN, in its canonical form, an account of the lender? */
export type IsOurIban = (tx: Tx, iban: string) => Promise<boolean>

/**
 * Puts a transfer on the statement. Throws `request_invalid` with every fault: an IBAN that is
 * none, a receiver that is not the lender, a value day that is still to come or too long ago.
 */
export async function receiveTransfer(
  tx: Tx,
  incoming: IncomingTransfer,
  isOurIban: IsOurIban,
): Promise<ReceivedTransfer> {
  const { transfer, value_on } = await checked(tx, incoming, isOurIban)
  const [id] = await writeStatement(tx, [
    {
      kind: 'TRANSFER_IN',
      instruction_id: null,
      payment_id: null,
      amount: incoming.amount,
      value_on,
      reason_code: null,
      raw: { ...transfer },
    },
  ])
  return { ...transfer, id: id!, amount: incoming.amount, value_on }
}

async function checked(tx: Tx, incoming: IncomingTransfer, isOurIban: IsOurIban) {
  const faults: InvalidParam[] = []
  const read = (name: string, text: string) => {
    const parsed = parseIban(text)
    if (parsed.ok) return parsed.iban
    faults.push({ name, reason: parsed.reason })
    return null
  }
  const to_iban = read('to_iban', incoming.to_iban)
  const from_iban = incoming.from_iban === null ? null : read('from_iban', incoming.from_iban)
  if (to_iban !== null && !(await isOurIban(tx, to_iban))) {
    faults.push({ name: 'to_iban', reason: 'is not an account of the lender' })
  }
  const value_on = incoming.value_on ?? tx.today
  if (value_on > tx.today) faults.push({ name: 'value_date', reason: 'is in the future' })
  if (value_on < addMonths(tx.today, -VALUE_MONTHS_MAX)) {
    const reason = `is more than ${VALUE_MONTHS_MAX} months ago`
    faults.push({ name: 'value_date', reason })
  }
  if (to_iban === null || faults.length > 0) throw invalid(...faults)
  const { from_name, reference } = incoming
  const transfer: Transfer = { to_iban, from_iban, from_name, reference }
  return { transfer, value_on }
}

/** The account that every borrower pays to. */
export async function isCollectionIban(tx: Tx, iban: string): Promise<boolean> {
  return iban === tx.settings.lender.collection_iban.replace(/\s/g, '')
}
