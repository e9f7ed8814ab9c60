/** Stores the sandbox bank's instructions and applies their transitions. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { type AccountRole, accountOf, type PaymentOrder } from '../../ports/bank.ts'
import { HAS_CAPITAL } from './bank-capital.ts'
import { insertOfOrder } from './bank-orders.ts'
import {
  arrivesOn,
  type DueTrigger,
  defaultReason,
  type InstructionState,
  type InstructionTrigger,
  instructionTypeOf,
  type planOf,
  stateAfter,
} from './bank-rules.ts'
import { writeStatement } from './bank-statement.ts'
import { moveWallets } from './bank-wallets.ts'
import type { Scheme } from './return-windows.ts'

export interface Instruction {
  readonly id: string
  readonly partner_id: string
  readonly payment_id: string
  readonly kind: 'SCT' | 'SDD'
  /** Null unless the instruction is a direct debit. */
  readonly scheme: Scheme | null
  readonly direction: 'OUT' | 'IN'
  readonly account: AccountRole
  readonly amount: bigint
  readonly currency: string
  readonly counterparty_iban: string
  readonly counterparty_name: string
  readonly references: string[]
  readonly requested_on: Day
  /** When `due_trigger` happens automatically. */
  readonly due_on: Day
  readonly due_trigger: DueTrigger
  readonly state: InstructionState
  readonly settled_on: Day | null
  readonly loan_ids: string[]
  readonly created_at: Date
}

export interface InstructionStep {
  readonly instruction: Instruction
  readonly trigger: InstructionTrigger
  readonly value_on: Day
  /** ISO 20022; null means the bank's default. */
  readonly reason_code: string | null
}

/** Stores an accepted order, unless the bank has one for that payment already. */
export async function recordInstruction(
  tx: Tx,
  order: PaymentOrder,
  plan: Exclude<ReturnType<typeof planOf>, { refused: true }>,
): Promise<{ has_capital: boolean } | undefined> {
  return tx.maybe(sql<{ has_capital: boolean }>`
    with stored as (${insertOfOrder(tx, order, null)})
    insert into sandbox_bank_instructions (id, payment_id, kind, scheme, direction,
      account, amount,
      currency, counterparty_iban, counterparty_name, "references", requested_on, due_on,
      due_trigger, state, loan_ids, partner_id, created_at)
    select ${tx.newId()}, payment_id, ${order.kind}, ${schemeOf(order)},
      ${order.direction}, ${accountOf(order)}, ${order.amount}, ${order.currency},
      ${order.counterparty.iban}, ${order.counterparty.name},
      ${order.references}::text[], ${order.requested_on}, ${plan.due_on}, ${plan.due_trigger},
      'PENDING', ${order.loan_ids}::uuid[], ${order.partner_id}, ${tx.now}
    from stored on conflict (payment_id) do nothing returning ${HAS_CAPITAL} as has_capital`)
}

function schemeOf({ kind, mandate }: PaymentOrder): Scheme | null {
  return kind === 'SDD' ? (mandate?.scheme ?? 'CORE') : null
}

/** Locks up to `limit` instructions whose automatic step is due by `today`, earliest due first. */
export async function lockDue(tx: Tx, today: Day, limit: number): Promise<Instruction[]> {
  return await tx.all(sql<Instruction>`
    select * from sandbox_bank_instructions
    where state in ('PENDING', 'IN_TRANSIT') and due_on <= ${today}
    order by due_on, id limit ${limit} for update`)
}

export async function lockOfPayment(tx: Tx, payment_id: string): Promise<Instruction | undefined> {
  return await tx.maybe(sql<Instruction>`
    select * from sandbox_bank_instructions where payment_id = ${payment_id} for update`)
}

/** Locks a partner's instruction. Throws `resource_unknown` if the partner has none by that id. */
export async function lockInstruction(
  tx: Tx,
  instruction_id: string,
  partner_id: string,
): Promise<Instruction> {
  const found = await tx.maybe(sql<Instruction>`
    select * from sandbox_bank_instructions
    where id = ${instruction_id} and partner_id = ${partner_id} for update`)
  if (!found) throw problem('resource_unknown', `no bank instruction ${instruction_id}`)
  return found
}

/**
 * Applies a transition to each locked instruction, writes it to the statement and returns the new
 * states. A debit for which the wallet lacks funds is rejected. Throws `state_conflict` if a
 * transition is not possible and, with `manual`, if the wallet lacks funds.
 */
export async function executeInstructions(
  tx: Tx,
  asked: readonly InstructionStep[],
  manual = false,
): Promise<InstructionState[]> {
  const steps = await moveWallets(tx, asked, manual)
  const states = await changeStates(tx, steps)
  await writeStatement(
    tx,
    steps.map(({ instruction, trigger, value_on, reason_code }, i) => {
      const kind = states[i]!
      assert(kind !== 'PENDING', 'no step leads back to PENDING')
      const { id, payment_id, account, amount, references, counterparty_iban } = instruction
      return {
        kind,
        instruction_id: id,
        payment_id,
        account,
        direction: directionOf(instruction, kind),
        amount,
        value_on,
        reason_code: reason_code ?? defaultReason(instructionTypeOf(instruction), trigger),
        raw: { instruction_id: id, scheme: instruction.kind, references, counterparty_iban },
      }
    }),
  )
  return states
}

/** Which way a step moves the amount on our account: a return moves it back. */
function directionOf(
  { direction }: Instruction,
  state: Exclude<InstructionState, 'PENDING'>,
): 'OUT' | 'IN' | null {
  if (['IN_TRANSIT', 'REJECTED', 'CANCELED'].includes(state)) return null
  return (direction === 'IN') === (state === 'SETTLED') ? 'IN' : 'OUT'
}

/**
 * Writes the new states without a statement line. Transmitted instructions settle automatically on
 * the next TARGET day. Throws `state_conflict` if a transition is not possible.
 */
export async function changeStates(
  tx: Tx,
  steps: readonly Pick<InstructionStep, 'instruction' | 'trigger' | 'value_on'>[],
): Promise<InstructionState[]> {
  const states = steps.map(({ instruction, trigger }) => {
    const { kind, direction, state } = instruction
    const after = stateAfter(instructionTypeOf(instruction), state, trigger)
    if (after) return after
    throw problem('state_conflict', `a ${state} ${kind} ${direction} instruction cannot ${trigger}`)
  })
  const due = steps.map(({ instruction, value_on }, i) =>
    states[i] === 'IN_TRANSIT' ? arrivesOn(value_on) : instruction.due_on,
  )
  const changed = await tx.run(sql`
    update sandbox_bank_instructions i set state = n.state, due_on = n.due_on,
      due_trigger = case when n.state = 'IN_TRANSIT' then 'settle' else i.due_trigger end,
      settled_on = case when n.state = 'SETTLED' then n.value_on else i.settled_on end
    from unnest(${steps.map(s => s.instruction.partner_id)}::uuid[],
      ${steps.map(s => s.instruction.id)}::uuid[], ${states}::text[],
      ${steps.map(s => s.value_on)}::date[], ${due}::date[])
      as n (partner_id, id, state, value_on, due_on)
    where i.partner_id = n.partner_id and i.id = n.id`)
  assert(changed === steps.length, 'every locked instruction takes its step')
  return states
}
