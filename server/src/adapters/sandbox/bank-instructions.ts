/** The sandbox bank's book of instructions: taken, carried out, taken back, undone. */
import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { assert } from '../../kit/assert.ts'
import type { Day } from '../../kit/dates.ts'
import { problem } from '../../kit/problem.ts'
import type { PaymentOrder } from '../../ports/bank.ts'
import {
  type DueTrigger,
  defaultReason,
  type InstructionState,
  type InstructionTrigger,
  type planOf,
  stateAfter,
} from './bank-rules.ts'
import { writeStatement } from './bank-statement.ts'

export interface Instruction {
  readonly id: string
  readonly partner_id: string
  readonly payment_id: string
  readonly kind: 'SCT' | 'SDD'
  readonly direction: 'OUT' | 'IN'
  readonly amount: bigint
  readonly currency: string
  readonly counterparty_iban: string
  readonly counterparty_name: string
  readonly references: string[]
  readonly requested_on: Day
  readonly settles_on: Day
  readonly due_trigger: DueTrigger
  readonly state: InstructionState
  readonly settled_on: Day | null
  readonly loan_ids: string[]
  readonly created_at: Date
}

/** One instruction taken a step further. */
export interface Step {
  readonly instruction: Instruction
  readonly trigger: InstructionTrigger
  readonly value_on: Day
  /** ISO 20022; null takes the bank's own. */
  readonly reason_code: string | null
}

/** Takes an order down once; the same payment again changes nothing. */
export async function takeDown(
  tx: Tx,
  order: PaymentOrder,
  plan: Exclude<ReturnType<typeof planOf>, { refused: true }>,
): Promise<void> {
  await tx.run(sql`
    insert into sandbox_bank_instructions (id, payment_id, kind, direction, amount, currency,
      counterparty_iban, counterparty_name, "references", requested_on, settles_on, due_trigger,
      state, loan_ids, partner_id, created_at)
    values (${tx.newId()}, ${order.payment_id}, ${order.kind}, ${order.direction}, ${order.amount},
      ${order.currency}, ${order.counterparty.iban}, ${order.counterparty.name},
      ${order.references}::text[], ${order.requested_on}, ${plan.settles_on}, ${plan.due_trigger},
      'PENDING', ${order.loan_ids}::uuid[], ${order.partner_id}, ${tx.now})
    on conflict (payment_id) do nothing`)
}

/** Locks up to `limit` instructions that fall due by themselves up to `today`, oldest first. */
export async function lockDue(tx: Tx, today: Day, limit: number): Promise<Instruction[]> {
  return await tx.all(sql<Instruction>`
    select * from sandbox_bank_instructions
    where state = 'PENDING' and settles_on <= ${today}
    order by settles_on, id limit ${limit} for update`)
}

/** Locks the instruction of a payment, if the bank has one. */
export async function lockOfPayment(tx: Tx, payment_id: string): Promise<Instruction | undefined> {
  return await tx.maybe(sql<Instruction>`
    select * from sandbox_bank_instructions where payment_id = ${payment_id} for update`)
}

/** Locks one instruction of a partner; throws `resource_unknown` when it has none of that id. */
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

/** Takes locked instructions each a step further and puts it on the statement, set-wise. */
export async function carryOut(tx: Tx, steps: readonly Step[]): Promise<InstructionState[]> {
  const states = await changeStates(tx, steps)
  await writeStatement(
    tx,
    steps.map(({ instruction, trigger, value_on, reason_code }, i) => {
      const kind = states[i]!
      assert(kind !== 'PENDING', 'no step leads back to PENDING')
      const { id, payment_id, amount, references, counterparty_iban } = instruction
      return {
        kind,
        instruction_id: id,
        payment_id,
        amount,
        value_on,
        reason_code: reason_code ?? defaultReason(instruction.kind, trigger),
        raw: { instruction_id: id, scheme: instruction.kind, references, counterparty_iban },
      }
    }),
  )
  return states
}

/** Writes the states alone. Throws `state_conflict` when one of the steps is not possible. */
export async function changeStates(
  tx: Tx,
  steps: readonly Pick<Step, 'instruction' | 'trigger' | 'value_on'>[],
): Promise<InstructionState[]> {
  const states = steps.map(({ instruction: { kind, state }, trigger }) => {
    const after = stateAfter(kind, state, trigger)
    if (after) return after
    throw problem('state_conflict', `a ${state} ${kind} instruction cannot ${trigger}`)
  })
  const changed = await tx.run(sql`
    update sandbox_bank_instructions i set state = n.state,
      settled_on = case when n.state = 'SETTLED' then n.value_on else i.settled_on end
    from unnest(${steps.map(s => s.instruction.id)}::uuid[], ${states}::text[],
      ${steps.map(s => s.value_on)}::date[]) as n (id, state, value_on)
    where i.id = n.id`)
  assert(changed === steps.length, 'every locked instruction takes its step')
  return states
}
