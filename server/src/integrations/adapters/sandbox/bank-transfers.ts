/** Incoming transfers at the sandbox bank, to the lender or into a wallet. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { addMonths, type Day } from '../../../platform/kit/dates.ts'
import { parseIban } from '../../../platform/kit/iban.ts'
import { type InvalidParam, invalid } from '../../../platform/kit/problem.ts'
import type { Transfer } from '../../ports/bank.ts'
import type { BankAdapterContext } from '../../ports/bank-adapter.ts'
import { isCapital, noteCapital } from './bank-capital.ts'
import { writeStatement } from './bank-statement.ts'
import { isWallet, payInto } from './bank-wallets.ts'

export interface IncomingTransfer extends Transfer {
  /**
   * The partner for whom the transfer is simulated. A receiving wallet must belong to this partner.
   */
  readonly partner_id: string
  /** In cents, above 0. */
  readonly amount: bigint
  /** Null means today. */
  readonly value_on: Day | null
}

export interface ReceivedTransfer extends Transfer {
  readonly id: string
  readonly amount: bigint
  readonly value_on: Day
}

/** The oldest value date accepted, in months: SEPA's longest claim period. */
const VALUE_MONTHS_MAX = 13

/**
 * Puts a transfer on the statement, or credits the wallet that it is sent to. Throws
 * `request_invalid` with every fault of its accounts and its value date.
 */
export async function receiveTransfer(
  tx: Tx,
  incoming: IncomingTransfer,
  isOurIban: BankAdapterContext['isOurIban'],
): Promise<ReceivedTransfer> {
  const { amount, partner_id } = incoming
  const { transfer, value_on } = await checked(tx, incoming, isOurIban)
  const wallet = { account_number: transfer.to_iban, partner_id }
  // The money is the borrower's, so the lender's statement does not show it.
  if (await payInto(tx, wallet, amount)) return { ...transfer, id: tx.newId(), amount, value_on }
  const is_funding = transfer.to_iban === tx.settings.bank_accounts.FUNDING.iban
  if (is_funding && isCapital(tx, transfer)) await noteCapital(tx)
  const [id] = await writeStatement(tx, [
    {
      kind: 'TRANSFER_IN',
      instruction_id: null,
      payment_id: null,
      account: is_funding ? 'FUNDING' : 'COLLECTION',
      direction: 'IN',
      amount,
      value_on,
      reason_code: null,
      raw: { ...transfer },
    },
  ])
  return { ...transfer, id: id!, amount, value_on }
}

async function checked(
  tx: Tx,
  incoming: IncomingTransfer,
  isOurIban: BankAdapterContext['isOurIban'],
) {
  const { transfer, value_on, faults } = await readTransfer(tx, incoming, isOurIban)
  const { to_iban } = transfer
  if (to_iban === null || faults.length > 0) throw invalid(faults)
  return { transfer: { ...transfer, to_iban }, value_on }
}

export async function readTransfer(
  tx: Tx,
  incoming: Pick<IncomingTransfer, 'partner_id'> & Partial<IncomingTransfer>,
  isOurIban: BankAdapterContext['isOurIban'],
) {
  const faults: InvalidParam[] = []
  const read = (name: string, text: string | null | undefined) => {
    if (!text) return null
    const parsed = parseIban(text)
    if (parsed.ok) return parsed.iban
    faults.push({ name, reason: parsed.reason })
    return null
  }
  const to = incoming.to_iban ?? ''
  const in_wallet = await isWallet(tx, to, incoming.partner_id)
  const to_iban = in_wallet ? to : read('to_iban', to)
  const from_iban = read('from_iban', incoming.from_iban) ?? ownSource(tx, to_iban)
  if (to_iban !== null && !in_wallet && !(await isOurIban(tx, to_iban))) {
    faults.push({ name: 'to_iban', reason: 'is not an account of the lender' })
  }
  const value_on = incoming.value_on ?? tx.today
  if (value_on > tx.today) faults.push({ name: 'value_date', reason: 'is in the future' })
  if (value_on < addMonths(tx.today, -VALUE_MONTHS_MAX)) {
    const reason = `is more than ${VALUE_MONTHS_MAX} months ago`
    faults.push({ name: 'value_date', reason })
  }
  const { from_name = null, reference = null } = incoming
  return { transfer: { to_iban, from_iban, from_name, reference }, value_on, faults }
}

/** A transfer to the funding account without a sender counts as the lender's own capital. */
function ownSource(tx: Tx, to_iban: string | null): string | null {
  const { lender, bank_accounts } = tx.settings
  return to_iban === bank_accounts.FUNDING.iban ? (lender.capital_ibans[0] ?? null) : null
}
