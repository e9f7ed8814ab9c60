/**
 * The sandbox bank, with its own tables and transactions. It executes each instruction
 * automatically on its day, following the scenario of the IBAN. Users and tests can also settle,
 * reject and return instructions manually, and send transfers.
 */
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { type Day, max, parisDay } from '../../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import type { AccountRole, Bank, OrderOutcome, PaymentOrder } from '../../ports/bank.ts'
import type { BankAdapterContext } from '../../ports/bank-adapter.ts'
import { receiveCapital } from './bank-capital.ts'
import {
  closeStatements,
  deliverStatements,
  type StatementFault,
  setFault,
} from './bank-closings.ts'
import {
  changeStates,
  executeInstructions,
  type Instruction,
  type InstructionStep,
  lockDue,
  lockInstruction,
  lockOfPayment,
  recordInstruction,
} from './bank-instructions.ts'
import { answerAgain, insertOfOrder } from './bank-orders.ts'
import { type InstructionTrigger, instructionTypeOf, planOf } from './bank-rules.ts'
import {
  deliverNews,
  isOnStatement,
  OWN_BOOKS,
  readUndelivered,
  writeStatement,
} from './bank-statement.ts'
import {
  type IncomingTransfer,
  type ReceivedTransfer,
  readTransfer,
  receiveTransfer,
} from './bank-transfers.ts'
import { isWallet, openWallet, readBalances } from './bank-wallets.ts'
import { generateVirtualIban, ibanScenario } from './ibans.ts'
import { reasonFault, returnFault } from './return-windows.ts'

export type ManualTrigger = Exclude<InstructionTrigger, 'recall' | 'transmit'>

export interface ManualAction {
  /** ISO 20022; null means the default. */
  readonly reason_code: string | null
  /** Null means today. */
  readonly value_on: Day | null
}

export interface SandboxBank extends Bank {
  /**
   * Makes a partner's instruction take a step that a bank or debtor could cause. Throws
   * `resource_unknown`; `state_conflict` if the step is impossible or too late; or
   * `request_invalid` for a reason code that does not fit, or for a value date in the future,
   * before the instruction was submitted, or before the settlement it undoes.
   */
  act(
    instruction: { id: string; partner_id: string },
    trigger: ManualTrigger,
    details: ManualAction,
  ): Promise<Instruction>
  /**
   * Receives a transfer; `also` runs in the same transaction. Two identical transfers are two
   * separate payments. Throws `request_invalid`.
   */
  receive(
    incoming: IncomingTransfer,
    also?: (tx: Tx, received: ReceivedTransfer) => void,
  ): Promise<ReceivedTransfer>
  /** Books an entry that no order or transfer caused, such as a charge. */
  enter(entry: OwnEntry, also?: (tx: Tx, id: string) => void): Promise<string>
  /** Keeps an account's next statements back, makes them wrong, or sends all as they should be. */
  setStatementFault(account: AccountRole, fault: StatementFault): Promise<void>
  /** The faults of a possibly incomplete transfer. */
  inspect(
    incoming: Pick<IncomingTransfer, 'partner_id'> & Partial<IncomingTransfer>,
  ): Promise<readonly InvalidParam[]>
}

/** An entry of the bank's own on one of our accounts. */
export interface OwnEntry {
  readonly account: AccountRole
  readonly kind: 'CHARGE' | 'BANK_INTEREST' | 'OTHER' | 'TRANSFER_OWN'
  readonly direction: 'IN' | 'OUT'
  /** In cents. */
  readonly amount: bigint
  readonly text: string | null
}

const BATCH = 500
/**
 * Virtual accounts are numbered from here. Lower numbers are accounts of the lender (lender.ts) and
 * of the card processor (card-issuer.ts).
 */
const OWN_ACCOUNTS_FROM = 1_000
/** ISO 20022: incorrect account number. */
const UNKNOWN_ACCOUNT = { refused: true, reason_code: 'AC01' } as const
/** How many banking days the simulated bank may be silent, for example because it was told to. */
const STATEMENT_DAYS_MAX = 3

export function isSandboxBank(bank: Bank): bank is SandboxBank {
  return 'act' in bank && 'receive' in bank
}

/** Opens the bank. It keeps no state in memory, so processes sharing a database share the bank. */
export function sandboxBank({ database, inbox, isOurIban }: BankAdapterContext): SandboxBank {
  /** Commits first, then delivers the statement, so a rolled-back change is never reported. */
  const commitAndDeliver = async <T>(
    work: (tx: Tx) => Promise<T>,
  ): Promise<{ done: T; delivered: number }> => {
    const { done, undelivered } = await transaction(database, OWN_BOOKS, async tx => ({
      done: await work(tx),
      undelivered: await readUndelivered(tx),
    }))
    return { done, delivered: await deliverNews(database, inbox, undelivered) }
  }
  const andDeliver = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    (await commitAndDeliver(work)).done
  return {
    submit: order => andDeliver(tx => submit(tx, order)),
    recall: payment_id => transaction(database, OWN_BOOKS, tx => recall(tx, payment_id)),
    // Payouts have no cut-off time and leave on any day.
    payoutDay: (_iban, requested, now) => max(requested, parisDay(now)),
    ownAccount: number => generateVirtualIban(OWN_ACCOUNTS_FROM + number),
    verifyPayee: async ({ iban }) => (ibanScenario(iban) === 'REJECT' ? 'refused' : 'match'),
    openWallet: async wallet => {
      const open = (tx: Tx) => openWallet(tx, wallet)
      return { state: 'opened', account_number: await transaction(database, OWN_BOOKS, open) }
    },
    walletBalances: (partner_id, account_numbers) =>
      transaction(database, { ...OWN_BOOKS, read_only: true }, tx =>
        readBalances(tx, partner_id, account_numbers),
      ),
    tick: async today => {
      let count = 0
      for (;;) {
        const { done, delivered } = await commitAndDeliver(tx => carryOutDue(tx, today))
        count += done + delivered
        // Instructions just transmitted may be due to settle already, so look again.
        if (done === 0) break
      }
      count += await transaction(database, OWN_BOOKS, closeStatements)
      return count + (await deliverStatements(database, inbox))
    },
    statement_days_max: STATEMENT_DAYS_MAX,
    act: (instruction, trigger, details) =>
      andDeliver(tx => actManually(tx, instruction, trigger, details)),
    inspect: incoming =>
      transaction(database, { ...OWN_BOOKS, read_only: true }, async tx => {
        const { faults } = await readTransfer(tx, incoming, isOurIban)
        return faults
      }),
    receive: (incoming, also) =>
      andDeliver(async tx => {
        const received = await receiveTransfer(tx, incoming, isOurIban)
        also?.(tx, received)
        return received
      }),
    enter: (entry, also) =>
      andDeliver(async tx => {
        const id = await enterOwn(tx, entry)
        also?.(tx, id)
        return id
      }),
    setStatementFault: async (account, fault) => {
      await transaction(database, OWN_BOOKS, tx => setFault(tx, account, fault))
      await deliverStatements(database, inbox)
    },
  }
}

async function submit(tx: Tx, order: PaymentOrder): Promise<OrderOutcome> {
  const plan = (await isOfNoWallet(tx, order)) ? UNKNOWN_ACCOUNT : planOf(order, tx.today)
  if (plan.refused) {
    const is_new = (await tx.run(insertOfOrder(tx, order, plan.reason_code))) === 1
    if (!is_new) return answerAgain(tx, order)
    return { state: 'refused', reason_code: plan.reason_code }
  }
  const recorded = await recordInstruction(tx, order, plan)
  if (!recorded) return answerAgain(tx, order)
  if (order.direction === 'OUT' && !recorded.has_capital) await receiveCapital(tx)
  const instruction = await lockOfPayment(tx, order.payment_id)
  if (instruction?.state === 'PENDING' && instruction.due_on <= tx.today) {
    await executeInstructions(tx, [dueStep(instruction)])
  }
  return { state: 'accepted' }
}

async function enterOwn(tx: Tx, entry: OwnEntry): Promise<string> {
  const { text, ...of } = entry
  const line = {
    ...of,
    instruction_id: null,
    payment_id: null,
    value_on: tx.today,
    reason_code: null,
    raw: { reference: text },
  }
  const other = entry.account === 'FUNDING' ? 'COLLECTION' : 'FUNDING'
  const back = entry.direction === 'IN' ? 'OUT' : 'IN'
  // A transfer between our accounts leaves one and arrives at the other on the same day.
  const lines =
    entry.kind === 'TRANSFER_OWN'
      ? [line, { ...line, account: other, direction: back } as const]
      : [line]
  const [id] = await writeStatement(tx, lines)
  return id!
}

async function isOfNoWallet(tx: Tx, order: PaymentOrder): Promise<boolean> {
  const { counterparty, partner_id } = order
  return (
    instructionTypeOf(order) === 'WALLET' && !(await isWallet(tx, counterparty.iban, partner_id))
  )
}

async function recall(tx: Tx, payment_id: string): Promise<'recalled' | 'too_late' | 'unknown'> {
  const instruction = await lockOfPayment(tx, payment_id)
  if (!instruction) return 'unknown'
  if (instruction.state === 'CANCELED') {
    // A cancellation by the bank is on the statement. Without a line there, this is our own recall,
    // repeated after a crash.
    return (await isOnStatement(tx, instruction.id)) ? 'too_late' : 'recalled'
  }
  if (instruction.state !== 'PENDING' || instruction.due_on <= tx.today) return 'too_late'
  await changeStates(tx, [{ instruction, trigger: 'recall', value_on: tx.today }])
  return 'recalled'
}

async function carryOutDue(tx: Tx, today: Day): Promise<number> {
  const due = await lockDue(tx, today, BATCH)
  if (due.length > 0) await executeInstructions(tx, due.map(dueStep))
  return due.length
}

function dueStep(instruction: Instruction) {
  const { due_trigger: trigger, due_on: value_on } = instruction
  return { instruction, trigger, value_on, reason_code: null }
}

async function actManually(
  tx: Tx,
  { id, partner_id }: { id: string; partner_id: string },
  trigger: ManualTrigger,
  details: ManualAction,
): Promise<Instruction> {
  const value_on = details.value_on ?? tx.today
  if (value_on > tx.today) throw invalid({ name: 'value_date', reason: 'is in the future' })
  const instruction = await lockInstruction(tx, id, partner_id)
  const { settled_on } = instruction
  const taken_on = parisDay(instruction.created_at)
  if (value_on < taken_on) {
    throw invalid({ name: 'value_date', reason: `is before the day it was taken, ${taken_on}` })
  }
  if (settled_on !== null && value_on < settled_on) {
    throw invalid({ name: 'value_date', reason: `is before the settlement on ${settled_on}` })
  }
  const step = { instruction, trigger, value_on, reason_code: details.reason_code }
  checkReturn(step)
  const [state] = await executeInstructions(tx, [step], true)
  return { ...instruction, state: state! }
}

/** Throws if a settled debit cannot be returned for that reason or on that day. */
function checkReturn({ instruction, trigger, value_on, reason_code }: InstructionStep): void {
  const { scheme, settled_on, state } = instruction
  if (scheme === null || settled_on === null || state !== 'SETTLED') return
  const reason = reason_code && reasonFault(trigger, reason_code)
  if (reason) throw invalid({ name: 'reason_code', reason })
  const fault = returnFault({ scheme, settled_on }, trigger, { value_on, reason_code })
  if (fault) throw problem('state_conflict', fault)
}
