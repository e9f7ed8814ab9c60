/**
 * A bank that is reached by files. Orders wait in an outbox until they are due; one process at a
 * time puts them into files and exchanges files with the bank. The process keeps no state but the
 * sizes of incoming files that may still be growing.
 */
import { clearAlert } from '../../../platform/alerts/index.ts'
import { lockNames } from '../../../platform/db/locks.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { endToEndIdOf, type SequenceType } from '../../bank-files/index.ts'
import { accountOf, type Bank, type OrderOutcome, type PaymentOrder } from '../../ports/bank.ts'
import { writeOrder } from '../../ports/order-text.ts'
import { exchangeFiles, type FileBankParts } from './exchange.ts'
import type { OrderFileWriter } from './order-file.ts'
import { OWN_TABLES } from './received-store.ts'
import { datesOf, payoutDay } from './rules.ts'
import { hasDebit, insertOrder, readTaken, recallOrder } from './store.ts'
import type { VirtualIbans } from './virtual-ibans.ts'

/** How many banking days the bank may be silent. */
const STATEMENT_DAYS_MAX = 2

/** ISO 20022: transactions of this type are not possible on this account. */
const FORBIDDEN = 'AG01'

export function fileBank(parts: FileBankParts, accounts: VirtualIbans): Required<Bank> {
  const { database, cutOffs } = parts
  return {
    submit: order => transaction(database, OWN_TABLES, tx => submit(tx, order, parts)),
    recall: payment_id => transaction(database, OWN_TABLES, tx => recall(tx, payment_id)),
    payoutDay: (_iban, requested, now, cutOff) => payoutDay(requested, now, cutOff, cutOffs),
    // The bank compares names once it has the file, and reports the result then.
    verifyPayee: async () => 'match',
    ownAccount: number => accounts.ibanOf(number),
    openWallet: async () => ({ state: 'refused', reason: 'This bank keeps no wallets.' }),
    walletBalances: async () => new Map(),
    // The clock of a sandbox passes days in a moment; each must have its files. Failures are
    // alerts, and end no business day.
    tick: async () => (isSandbox(parts) ? exchangeFiles(parts).catch(() => 0) : 0),
    exchange: async () => {
      await accounts.alertIfUsedUp(database)
      return exchangeFiles(parts)
    },
    statement_days_max: STATEMENT_DAYS_MAX,
  }
}

function isSandbox({ database }: FileBankParts): boolean {
  return database.settings.mode === 'sandbox'
}

async function submit(
  tx: Tx,
  order: PaymentOrder,
  { writer }: FileBankParts,
): Promise<OrderOutcome> {
  const content = writeOrder(order)
  const { payment_id, kind, amount } = order
  const mandate = kind === 'SDD' ? order.mandate : null
  assert(kind === 'SCT' || mandate, 'a direct debit has a mandate')
  const scheme = mandate?.scheme ?? null
  const dates = datesOf(scheme, order.requested_on, writer.profile.debit_lead_days)
  const group = {
    account: accountOf(order),
    kind,
    scheme,
    sequence_type: await sequenceTypeOf(tx, mandate, writer),
    creditor_identifier: mandate?.creditor_identifier ?? null,
    execute_on: dates.execute_on,
  }
  const refused_for = isWalletDebit(order)
    ? FORBIDDEN
    : writer.reasonAgainst(order, group, tx.settings.lender, tx.today)
  const isNew = await insertOrder(tx, {
    payment_id,
    content,
    ...group,
    mandate_reference: mandate?.reference ?? null,
    amount,
    end_to_end_id: endToEndIdOf(payment_id),
    hand_over_on: dates.hand_over_on,
    refused_for,
  })
  const taken = isNew ? { content, refused_for } : await readTaken(tx, payment_id)
  if (taken.content !== content) return { state: 'conflict' }
  return taken.refused_for === null
    ? { state: 'accepted' }
    : { state: 'refused', reason_code: taken.refused_for }
}

/** Some banks want the first debit under a mandate to say that it is the first. */
async function sequenceTypeOf(
  tx: Tx,
  mandate: PaymentOrder['mandate'],
  { profile }: OrderFileWriter,
): Promise<SequenceType | null> {
  if (!mandate) return null
  const first = profile.first_sequence_type[mandate.scheme]
  if (first === 'RCUR') return first
  await lockNames(tx, 'first debit', [mandate.reference])
  return (await hasDebit(tx, mandate.reference)) ? 'RCUR' : first
}

function isWalletDebit({ kind, direction }: PaymentOrder): boolean {
  return kind === 'SCT' && direction === 'IN'
}

async function recall(tx: Tx, payment_id: string): Promise<'recalled' | 'too_late' | 'unknown'> {
  const order = await recallOrder(tx, payment_id)
  if (!order) return 'unknown'
  if (order.is_recalled) await clearAlert(tx, 'orders_unwritten', payment_id)
  return order.is_recalled ? 'recalled' : 'too_late'
}
