/** The simulated bank: its instructions, and the outcomes to choose for each. */
import type { BankInstruction } from '@headroom/contract'
import { Group, Stack } from '@mantine/core'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Section } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { cents, day, money } from '../kit/format.ts'
import { blockedReason, statusesOf } from '../kit/machine.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('bank_instruction') },
  { kind: 'one', name: 'direction', label: 'Direction', options: ['OUT', 'IN'] },
]

export function SandboxBank({ partner }: { partner: string }) {
  const query = useListQuery(FILTERS)
  return (
    <Section
      title="Instructions"
      actions={
        <>
          <IncomingTransfer partner={partner} />
          <OwnEntry partner={partner} />
          <StatementFault partner={partner} />
        </>
      }
    >
      <Filters of={FILTERS} />
      <DataList
        name="Bank instructions"
        queryKey={['bank', partner, query]}
        first={() => call('listSandboxBankInstructions', { query: query as object, partner })}
        partner={partner}
        columns={columns(partner)}
        rowId={one => one.id}
        empty="The bank was told nothing yet. Payouts and debits appear here on their day."
      />
    </Section>
  )
}

function columns(partner: string): readonly Column<BankInstruction>[] {
  return [
    plain('kind', 'Kind', one => `${one.kind} ${one.direction}`),
    status(one => one.status),
    amount('amount', 'Amount', one => one.amount),
    plain('with', 'With', one =>
      [one.counterparty_name, one.counterparty_iban].filter(Boolean).join(', '),
    ),
    dayOf('requested', 'Asked for', one => one.requested_date),
    plain('references', 'References', one => one.references.join(', ')),
    {
      id: 'moves',
      header: 'Moves',
      text: () => '',
      acts: true,
      cell: one => <Moves of={one} partner={partner} />,
    },
  ]
}

const MOVES = {
  settle: ['Settle', 'settleSandboxInstruction', 'settles now'],
  reject: ['Reject', 'rejectSandboxInstruction', 'is rejected'],
  return: ['Return', 'returnSandboxInstruction', 'comes back'],
  refund: ['Refund', 'refundSandboxInstruction', 'is refunded to the debtor'],
  reverse: ['Reverse', 'reverseSandboxInstruction', 'is reversed'],
} as const

const DIRECT_DEBIT_ONLY: readonly string[] = ['refund', 'reverse']

/** Offers the moves that the instruction's status, kind and direction allow. */
function Moves({ of, partner }: { of: BankInstruction; partner: string }) {
  const possible = Object.entries(MOVES).filter(
    ([move]) =>
      blockedReason('bank_instruction', of.status, move as keyof typeof MOVES) === null &&
      // Transfers cannot be refunded or reversed, and incoming ones cannot be returned.
      (of.kind === 'SDD' || !DIRECT_DEBIT_ONLY.includes(move)) &&
      !(of.kind === 'SCT' && of.direction === 'IN' && move === 'return'),
  )
  return (
    <Group gap={4}>
      {possible.map(([move, [label, operation, what]]) => (
        <Action
          key={move}
          label={label}
          size="compact-xs"
          info={`${of.kind} of ${money(of.amount)}, ${day(of.requested_date)}, ${what}.`}
          fields={[
            { name: 'value_date', label: 'Value date', kind: 'day', optional: true },
            { name: 'reason_code', label: 'Reason (ISO 20022), such as AM04', optional: true },
          ]}
          run={({ value_date, reason_code }) =>
            call(operation, {
              params: { instruction_id: of.id },
              body: { value_date: value_date || null, reason_code: reason_code || null },
              partner,
            })
          }
          done={`It ${what}.`}
        />
      ))}
    </Group>
  )
}

const ACCOUNT = {
  name: 'account',
  label: 'Account',
  kind: 'choice',
  options: ['COLLECTION', 'FUNDING'],
} as const

function OwnEntry({ partner }: { partner: string }) {
  return (
    <Action
      label="Let the bank book an entry"
      info="The bank charges a fee, pays interest, or moves money between the lender’s accounts."
      fields={[
        ACCOUNT,
        {
          name: 'kind',
          label: 'Kind',
          kind: 'choice',
          options: ['CHARGE', 'BANK_INTEREST', 'TRANSFER_OWN', 'OTHER'],
        },
        { name: 'direction', label: 'Direction', kind: 'choice', options: ['OUT', 'IN'] },
        { name: 'amount', label: 'Amount', kind: 'amount' },
        { name: 'text', label: 'Text', optional: true },
      ]}
      run={({ account, kind, direction, amount: typed = '', text }) =>
        call('createSandboxBankEntry', {
          body: {
            account: account as 'FUNDING',
            kind: kind as 'CHARGE',
            direction: direction as 'OUT',
            amount: cents(typed) ?? 0,
            text: text || null,
          },
          partner,
        })
      }
      done="The bank has booked it."
    />
  )
}

function StatementFault({ partner }: { partner: string }) {
  return (
    <Action
      label="Disturb statements"
      info="The next statements are kept back or wrong, until they are sent as they should be."
      fields={[
        ACCOUNT,
        {
          name: 'fault',
          label: 'What happens',
          kind: 'choice',
          options: ['WITHHELD', 'WRONG_BALANCE', 'NONE'],
        },
      ]}
      run={({ account, fault }) =>
        call('setSandboxStatementFault', {
          body: { account: account as 'FUNDING', fault: fault as 'NONE' },
          partner,
        })
      }
      done="The bank does so."
    />
  )
}

function IncomingTransfer({ partner }: { partner: string }) {
  return (
    <Stack>
      <Action
        label="Let a transfer come in"
        variant="filled"
        info="Money arrives on an account of the lender, or in a wallet."
        fields={[
          { name: 'to_iban', label: 'To account' },
          { name: 'amount', label: 'Amount', kind: 'amount' },
          { name: 'reference', label: 'Reference', optional: true },
          { name: 'from_name', label: 'From', optional: true },
          { name: 'from_iban', label: 'From account', optional: true },
          { name: 'value_date', label: 'Value date', kind: 'day', optional: true },
        ]}
        run={({ to_iban, amount: typed, ...rest }) => {
          const details = Object.fromEntries(Object.entries(rest).filter(([, text]) => text))
          const body = { to_iban: to_iban!, amount: cents(typed ?? '') ?? 0, ...details }
          return call('createSandboxIncomingTransfer', { body, partner })
        }}
        done="The transfer has come in."
      />
    </Stack>
  )
}
