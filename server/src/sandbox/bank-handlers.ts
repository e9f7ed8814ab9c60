/** Handlers of the simulated bank: its instructions, their outcomes and incoming transfers. */
import type { BankInstruction } from '@headroom/contract'
import { sql } from 'kysely'
import type { Call, Context, Handler, OrchestratedHandler } from '../context.ts'
import {
  isSandboxBank,
  type ManualTrigger,
  type SandboxBank,
} from '../integrations/adapters/sandbox/bank.ts'
import type { Instruction } from '../integrations/adapters/sandbox/bank-instructions.ts'
import type { ReceivedTransfer } from '../integrations/adapters/sandbox/bank-transfers.ts'
import { newestFirst, readPage, viewPage } from '../platform/db/page.ts'
import { readForPartner, type Tx } from '../platform/db/transaction.ts'
import { assert } from '../platform/kit/assert.ts'
import { type Day, readWireDay, wireDay } from '../platform/kit/dates.ts'
import { fromWire, toWire } from '../platform/kit/money.ts'
import { invalid } from '../platform/kit/problem.ts'

const listSandboxBankInstructions: Handler<'listSandboxBankInstructions'> = async (tx, call) => {
  const { status, direction, page_size, cursor } = call.query
  const found = await readPage(
    tx,
    { path: call.path, page_size, cursor },
    newestFirst(sql.ref('i.id')),
    (where, key) => sql<Instruction>`
      select i.*, ${key} from sandbox_bank_instructions i
      where i.partner_id = ${call.caller.partner_id} and ${where}
        and (${status ?? null}::text[] is null or i.state = any (${status ?? null}::text[]))
        and (${direction ?? null}::text is null or i.direction = ${direction ?? null})`,
  )
  return viewPage(found, view)
}

/** The input that the outcome operations have in common. */
type ByHandCall = Pick<Call<'settleSandboxInstruction'>, 'params' | 'body' | 'caller'>

function byHand(trigger: ManualTrigger) {
  return {
    read: async (context: Context, { body, caller }: Pick<ByHandCall, 'body' | 'caller'>) => {
      const today = await readForPartner(context, caller.partner_id, tx => tx.today)
      const day = body?.value_date ? readWireDay(body.value_date) : null
      const is_future = day !== null && day > today
      return { faults: is_future ? [{ name: 'value_date', reason: 'is in the future' }] : [] }
    },
    orchestrate: async (context: Context, { params, body, caller }: ByHandCall) => {
      const instruction = { id: params.instruction_id, partner_id: caller.partner_id }
      const after = await bankOf(context).act(instruction, trigger, {
        reason_code: body?.reason_code ?? null,
        value_on: valueDay(body?.value_date),
      })
      return view(after)
    },
  }
}

const createSandboxIncomingTransfer: OrchestratedHandler<'createSandboxIncomingTransfer'> = {
  read: async (context, { body, caller: { partner_id } }) => {
    const { to_iban, from_iban, value_date } = body
    const value_on = value_date ? readWireDay(value_date) : null
    const details = { from_iban: from_iban ?? null, value_on }
    const transfer = { partner_id, ...details, ...(to_iban && { to_iban }) }
    return { faults: await bankOf(context).inspect(transfer) }
  },
  orchestrate: async (context, { body, caller }, { keep }) => {
    const transfer = {
      partner_id: caller.partner_id,
      to_iban: body.to_iban,
      from_iban: body.from_iban ?? null,
      from_name: body.from_name ?? null,
      reference: body.reference ?? null,
      amount: fromWire(body.amount),
      value_on: valueDay(body.value_date),
    }
    // Identical transfers are distinct; only the idempotency key identifies a repeat.
    const inTheSame = (tx: Tx, received: ReceivedTransfer) => keep(tx, viewOfTransfer(received))
    return viewOfTransfer(await bankOf(context).receive(transfer, inTheSame))
  },
}

const createSandboxBankEntry: OrchestratedHandler<'createSandboxBankEntry'> = {
  orchestrate: async (context, { body }, { keep }) => {
    const { account, kind, direction, text = null } = body
    const entry = { account, kind, direction, amount: fromWire(body.amount), text }
    const viewOf = (id: string) => ({ ...entry, id, amount: body.amount, currency: 'EUR' as const })
    return viewOf(await bankOf(context).enter(entry, (tx, id) => keep(tx, viewOf(id))))
  },
}

const setSandboxStatementFault: OrchestratedHandler<'setSandboxStatementFault'> = {
  orchestrate: async (context, { body }) => {
    await bankOf(context).setStatementFault(body.account, body.fault)
    return null
  },
}

function viewOfTransfer(received: ReceivedTransfer) {
  const { id, to_iban, amount, from_iban, from_name, reference, value_on } = received
  return {
    id,
    to_iban,
    amount: toWire(amount),
    currency: 'EUR' as const,
    from_iban,
    from_name,
    reference,
    value_date: wireDay(value_on),
  }
}

export const sandboxBankHandlers = {
  listSandboxBankInstructions,
  settleSandboxInstruction: byHand('settle'),
  rejectSandboxInstruction: byHand('reject'),
  returnSandboxInstruction: byHand('return'),
  refundSandboxInstruction: byHand('refund'),
  reverseSandboxInstruction: byHand('reverse'),
  createSandboxIncomingTransfer,
  createSandboxBankEntry,
  setSandboxStatementFault,
}

function bankOf(context: Context): SandboxBank {
  const { bank } = context.ports
  assert(isSandboxBank(bank), 'a sandbox runs with the sandbox bank')
  return bank
}

function valueDay(value_date: string | null | undefined): Day | null {
  if (value_date === null || value_date === undefined) return null
  const found = readWireDay(value_date)
  if (found === null) throw invalid({ name: 'value_date', reason: 'is not a day' })
  return found
}

function view(of: Instruction): BankInstruction {
  return {
    id: of.id,
    kind: of.kind,
    direction: of.direction,
    amount: toWire(of.amount),
    currency: of.currency === 'GBP' ? 'GBP' : 'EUR',
    counterparty_iban: of.counterparty_iban,
    counterparty_name: of.counterparty_name,
    references: of.references,
    requested_date: wireDay(of.requested_on),
    status: of.state,
    loan_ids: of.loan_ids,
    payment_id: of.payment_id,
  }
}
