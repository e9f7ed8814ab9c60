/** The sandbox bank: its instructions, actions on them, and incoming transfers. */
import { z } from 'zod'
import { machine, operations } from './define.ts'
import {
  Currency,
  DayAnswer,
  Id,
  PositiveCents,
  page,
  pageQuery,
  repeatable,
  text,
  WireDay,
} from './shared.ts'

export const INSTRUCTION_STATUSES = [
  'PENDING',
  'IN_TRANSIT',
  'SETTLED',
  'REJECTED',
  'RETURNED',
  'REFUNDED',
  'REVERSED',
  'CANCELED',
] as const
const InstructionStatus = z.enum(INSTRUCTION_STATUSES)
const Direction = z.enum(['OUT', 'IN'])

/**
 * A return, refund or reversal undoes a settlement. We `recall` an order that has not left the
 * bank. `transmit` marks an order that has left and arrives on a later day.
 */
export const bankInstructionMachine = machine({
  name: 'bank_instruction',
  about: 'An order at the simulated bank of the sandbox.',
  initial: 'PENDING',
  statuses: INSTRUCTION_STATUSES,
  transitions: [
    { from: 'PENDING', trigger: 'transmit', to: 'IN_TRANSIT' },
    { from: 'PENDING', trigger: 'settle', to: 'SETTLED' },
    { from: 'PENDING', trigger: 'reject', to: 'REJECTED' },
    { from: 'PENDING', trigger: 'recall', to: 'CANCELED' },
    { from: 'IN_TRANSIT', trigger: 'settle', to: 'SETTLED' },
    { from: 'IN_TRANSIT', trigger: 'reject', to: 'REJECTED' },
    { from: 'SETTLED', trigger: 'return', to: 'RETURNED' },
    { from: 'SETTLED', trigger: 'refund', to: 'REFUNDED' },
    { from: 'SETTLED', trigger: 'reverse', to: 'REVERSED' },
  ],
})

export const BankInstruction = z
  .object({
    id: Id,
    kind: z.enum(['SCT', 'SDD']),
    direction: Direction,
    amount: z.int(),
    currency: Currency,
    counterparty_iban: z.string(),
    counterparty_name: z.string().nullable(),
    references: z.array(z.string()),
    requested_date: DayAnswer,
    status: InstructionStatus,
    loan_ids: z.array(Id),
    payment_id: Id.nullable(),
  })
  .meta({ id: 'BankInstruction' })
export type BankInstruction = z.infer<typeof BankInstruction>

export const IncomingTransfer = z
  .object({
    id: Id,
    to_iban: z.string(),
    amount: z.int(),
    currency: Currency,
    from_iban: z.string().nullable(),
    from_name: z.string().nullable(),
    reference: z.string().nullable(),
    value_date: DayAnswer,
  })
  .meta({ id: 'IncomingTransfer' })
export type IncomingTransfer = z.infer<typeof IncomingTransfer>

const OwnAccount = z.enum(['COLLECTION', 'FUNDING'])
const OwnEntryKind = z.enum(['CHARGE', 'BANK_INTEREST', 'TRANSFER_OWN', 'OTHER'])

export const BankOwnEntry = z
  .object({
    id: Id,
    account: OwnAccount,
    kind: OwnEntryKind,
    direction: Direction,
    amount: z.int(),
    currency: Currency,
    text: z.string().nullable(),
  })
  .meta({ id: 'BankOwnEntry' })
export type BankOwnEntry = z.infer<typeof BankOwnEntry>

const outcome = {
  method: 'POST',
  scope: 'sandbox',
  gated: false,
  sandbox: true,
  success: 200,
  params: z.object({ instruction_id: Id }),
  body: z.strictObject({
    reason_code: z
      .string()
      .regex(/^[A-Z0-9]{4}$/, 'is not an ISO 20022 reason code such as AM04')
      .nullish(),
    value_date: WireDay.nullish(),
  }),
  body_optional: true,
  description:
    'The value date is neither in the future nor before the day on which the bank took the ' +
    'instruction; without one it is today. A settled debit comes back only as SEPA has it: ' +
    'returned within five TARGET days (B2B three), refunded within eight weeks (`MD06`) or, when ' +
    'there is no mandate, thirteen months (`MD01`), a B2B debit never. Later is a ' +
    '`state_conflict`.',
  answer: BankInstruction,
  problems: ['state_conflict'],
} as const

export const sandboxBankOperations = operations({
  listSandboxBankInstructions: {
    method: 'GET',
    path: '/sandbox/bank/instructions',
    summary: 'List what the sandbox bank was told to do',
    scope: 'sandbox',
    gated: false,
    sandbox: true,
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      status: repeatable(InstructionStatus),
      direction: Direction.optional(),
    }),
    answer: page(BankInstruction),
    problems: [],
  },
  settleSandboxInstruction: {
    ...outcome,
    path: '/sandbox/bank/instruction/{instruction_id}/settle',
    summary: 'Settle an instruction now',
  },
  rejectSandboxInstruction: {
    ...outcome,
    path: '/sandbox/bank/instruction/{instruction_id}/reject',
    summary: 'Reject an instruction before settlement',
  },
  returnSandboxInstruction: {
    ...outcome,
    path: '/sandbox/bank/instruction/{instruction_id}/return',
    summary: 'Return a settled instruction',
  },
  refundSandboxInstruction: {
    ...outcome,
    path: '/sandbox/bank/instruction/{instruction_id}/refund',
    summary: 'Refund a direct debit at the request of the debtor',
  },
  reverseSandboxInstruction: {
    ...outcome,
    path: '/sandbox/bank/instruction/{instruction_id}/reverse',
    summary: 'Reverse a direct debit',
  },
  createSandboxIncomingTransfer: {
    method: 'POST',
    path: '/sandbox/bank/incoming-transfer',
    summary: 'Let a transfer come in',
    description:
      'To an account of the lender, or into a wallet by its account_number. Its value date is at ' +
      'most 13 months ago; without one it is today. Without `from_iban`, a transfer to the ' +
      "account that payouts leave from comes from the lender's own account and is its capital, " +
      'unless it carries the reference of a loan, bill, fee or installment.',
    scope: 'sandbox',
    gated: false,
    sandbox: true,
    success: 201,
    body: z.strictObject({
      to_iban: text(64),
      amount: PositiveCents,
      from_iban: text(34).nullish(),
      from_name: text(140).nullish(),
      reference: text(140).nullish(),
      value_date: WireDay.nullish(),
    }),
    answer: IncomingTransfer,
    problems: [],
  },
  createSandboxBankEntry: {
    method: 'POST',
    path: '/sandbox/bank/entry',
    summary: 'Let the bank book an entry of its own',
    description:
      "A charge, interest, a transfer between the lender's two accounts, or something that the " +
      'bank does not explain. A transfer leaves the account with direction `OUT` and arrives at ' +
      'the other one; with `IN` the other way round.',
    scope: 'sandbox',
    gated: false,
    sandbox: true,
    success: 201,
    body: z.strictObject({
      account: OwnAccount,
      kind: OwnEntryKind,
      direction: Direction,
      amount: PositiveCents,
      text: text(140).nullish(),
    }),
    answer: BankOwnEntry,
    problems: [],
  },
  setSandboxStatementFault: {
    method: 'POST',
    path: '/sandbox/bank/statement-fault',
    summary: 'Let statements be missing or wrong',
    description:
      'The bank sends a statement of each account for every banking day, when the next day ' +
      'begins. `WITHHELD` keeps the next ones back and `WRONG_BALANCE` gives them a wrong ' +
      'closing balance. `NONE` ends that, and sends all of them again as they should have been.',
    scope: 'sandbox',
    gated: false,
    sandbox: true,
    success: 204,
    body: z.strictObject({
      account: OwnAccount,
      fault: z.enum(['NONE', 'WITHHELD', 'WRONG_BALANCE']),
    }),
    answer: z.null(),
    problems: [],
  },
})
