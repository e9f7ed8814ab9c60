/** Back office: loans, their postings, failed payouts and write-offs. */
import type { LoanPosting, WriteOff } from '@headroom/contract'
import { sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import {
  approveWriteOff,
  cancelFailedPayout,
  deleteLoan,
  findLoan,
  payAgain,
  proposeWriteOff,
  readWriteOffsOf,
  rejectWriteOff,
  writeOffFaults,
} from '../../credit/loans/index.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { ACCOUNT_OF_POSTING, type AccountCode, chart } from '../../platform/ledger/index.ts'

type Served =
  | 'getLoanBooks'
  | 'payLoanAgain'
  | 'cancelLoanPayout'
  | 'deleteLoan'
  | 'proposeWriteOff'
  | 'approveWriteOff'
  | 'rejectWriteOff'

export const loanWork: Pick<AdminHandlers, Served> = {
  getLoanBooks: async (tx, { params: { loan_id } }) => {
    const loan = await findLoan(tx, loan_id)
    if (!loan) throw problem('resource_unknown', `There is no loan ${loan_id}.`)
    return {
      postings: await readPostings(tx, loan),
      write_offs: await readWriteOffs(tx, loan),
    }
  },

  payLoanAgain: async (tx, { params }, { ports }) => {
    await payAgain(tx, params.loan_id, ports.bank)
    return null
  },

  cancelLoanPayout: async (tx, { params }) => {
    await cancelFailedPayout(tx, params.loan_id)
    return null
  },

  deleteLoan: async (tx, { params, body }) => {
    await deleteLoan(tx, params.loan_id, body.reason)
    return null
  },

  proposeWriteOff: {
    check: async (tx, { params: { loan_id }, body: { written_off_on, reason } }) => ({
      faults: await writeOffFaults(tx, {
        loan_id,
        written_off_on: (written_off_on && readWireDay(written_off_on)) || undefined,
        reason,
      }),
    }),
    handle: async (tx, { params, body }) => {
      const id = await proposeWriteOff(tx, {
        loan_id: params.loan_id,
        written_off_on: readWireDay(body.written_off_on)!,
        reason: body.reason,
      })
      return { id }
    },
  },

  approveWriteOff: async (tx, { params }) => {
    await approveWriteOff(tx, params.write_off_id)
    return null
  },

  rejectWriteOff: async (tx, { params, body }) => {
    await rejectWriteOff(tx, params.write_off_id, body.reason)
    return null
  },
}

interface Posted {
  entry_id: string
  line: number
  kind: string
  booked_at: Date
  value_on: Day
  account: AccountCode
  amount: bigint
}

async function readPostings(tx: Tx, { partner_id, id }: RowKey): Promise<LoanPosting[]> {
  const rows = await tx.all(sql<Posted>`
    select e.id as entry_id, p.line, e.kind, e.booked_at, e.value_on, a.code as account, p.amount
    from ledger_entries e
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on ${ACCOUNT_OF_POSTING}
    where e.partner_id = ${partner_id} and e.loan_id = ${id} order by e.booked_at, e.id, p.line`)
  return rows.map(({ entry_id, line, kind, booked_at, value_on, account, amount }) => ({
    entry_id,
    line,
    kind,
    account,
    title: chart[account].title,
    amount: toWire(amount),
    booked_at: booked_at.toISOString(),
    value_at: wireDay(value_on),
  }))
}

async function readWriteOffs(tx: Tx, loan: RowKey): Promise<WriteOff[]> {
  const rows = await readWriteOffsOf(tx, loan)
  return rows.map(({ id, status, written_off_on, reason, proposer, proposed_at, approver }) => ({
    id,
    reason,
    proposed_by: proposer,
    approved_by: approver,
    status,
    written_off_at: wireDay(written_off_on),
    proposed_at: proposed_at.toISOString(),
  }))
}
