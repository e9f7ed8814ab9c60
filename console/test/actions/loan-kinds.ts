/** Loans in every status, with the actions on their page. */
import { machines } from '@headroom/contract'
import type { TestApp } from '../../../server/test/support/app.ts'
import type { Person } from '../../../server/test/support/console.ts'
import { type Loan, lend, loanOf, payIn, runSql } from '../../../server/test/support/money.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../../../server/test/support/story.ts'
import type { Kind, Tried } from './try-actions.ts'

const AMOUNT = 10_000
/** The number of loans lent before the clock moves, so that they owe interest. */
const RUNNING = 6

const WHY = { Reason: 'It was tried.' }

export async function loanKind(app: TestApp): Promise<Kind> {
  const borrower = await readyBorrower(app, 'SCT')
  const waiting = await readyBorrower(app, 'SCT')
  await app.client.setSandboxKyb({ borrower_id: waiting.id, status: 'REVIEWING' })
  const running: Loan[] = []
  for (let n = 0; n < RUNNING; n++) running.push(await lend(app, borrower, { amount: AMOUNT }))
  await app.client.advanceSandboxClock({ days: 2 })
  const set = async (id: string, status: string) => {
    await runSql(app, 'update loans set status = $2 where id = $1', [id, status])
    return id
  }
  const send = (of: ReadyBorrower, more: object = {}) =>
    requestLoan(app, of, { amount: AMOUNT, pay_in: 10, ...more })
  const makers: Record<string, () => Promise<string>> = {
    SUBMITTED: async () => set((await send(waiting)).id, 'SUBMITTED'),
    PENDING_VALIDATION: async () => (await send(waiting)).id,
    TO_VALIDATE: async () => (await send(borrower, { auto_validate: false })).id,
    VALIDATED: async () => (await send(borrower)).id,
    SCHEDULED: async () => {
      const { id } = await send(borrower)
      await app.drain()
      return id
    },
    ISSUE_DETECTED: () => failed(app, borrower),
    TO_REPAY: async () => (await lend(app, borrower, { amount: AMOUNT })).id,
    TO_REPAY_FEES: async () => {
      const loan = running.pop()!
      await payIn(app, { to: loan, amount: AMOUNT })
      return loan.id
    },
  }
  const make = async (status: string) => {
    const found = makers[status]
    // Statuses without actions need no history.
    if (!found) return set((await send(borrower)).id, status)
    return found()
  }
  const day = await today(app)
  return {
    file: 'loan-actions.tsx',
    statuses: machines.loan.statuses,
    make,
    at: id => `/p/${app.partner_id}/loan/${id}`,
    statusOf: async id => (await loanOf(app, id)).status,
    actions: loanActions(app, day),
  }
}

function loanActions(app: TestApp, day: string): Tried[] {
  const of = (loan_id: string) => ({ loan_id })
  return [
    { label: 'Validate', sends: id => ['validateLoan', of(id)] },
    {
      label: 'Change the day',
      fill: { 'Due date': plusDays(day, 25) },
      sends: id => ['changeLoan', of(id), { to_repay_at: plusDays(day, 25) }],
    },
    {
      label: 'Change the method',
      fill: { 'Repayment method': { pick: 'Bank transfer' } },
      sends: id => ['changeLoan', of(id), { repayment_method: 'SCT' }],
    },
    { label: 'Cancel', sends: id => ['cancelLoan', of(id)] },
    { label: 'Pay again', sends: id => ['payLoanAgain', of(id)] },
    { label: 'Cancel payout', sends: id => ['cancelLoanPayout', of(id)] },
    { label: 'Delete', fill: WHY, sends: id => ['deleteLoan', of(id), { reason: 'Tried.' }] },
    {
      label: 'Open a case',
      file: 'loan-case.tsx',
      sends: async id => {
        const { identifier, identifier_type } = (await loanOf(app, id)).borrower
        const next_action = { action_name: 'Call', due_at: '2030-01-02' }
        const debtor_business = { identifier, identifier_type }
        return [
          'createRecollectionCase',
          {},
          { agent: 'Ada', debtor_business, loan_ids: [id], next_action },
        ]
      },
    },
    {
      label: 'Write off',
      file: 'loan-write-off.tsx',
      fill: WHY,
      sends: id => ['proposeWriteOff', of(id), { written_off_on: day, reason: 'Tried.' }],
    },
  ]
}

export async function writeOffProposalKind(
  app: TestApp,
  loans: Kind,
  { own, other }: { own: Person; other: Person },
): Promise<Kind> {
  const people = { 'proposed by another': other, 'proposed by oneself': own }
  const written_off_on = await today(app)
  const openOf = async (loan_id: string) => {
    const { write_offs } = await people['proposed by another'].admin('getLoanBooks', {
      params: { loan_id },
    })
    return write_offs[0]!
  }
  const proposal = async (id: string) => ({ write_off_id: (await openOf(id)).id })
  return {
    ...loans,
    file: 'loan-write-off.tsx',
    statuses: Object.keys(people),
    make: async status => {
      // A borrower with a loss cannot draw again, so each write-off needs a new borrower.
      const { id: loan_id } = await lend(app, await readyBorrower(app, 'SCT'), {
        amount: AMOUNT,
      })
      await people[status as keyof typeof people].admin('proposeWriteOff', {
        params: { loan_id },
        body: { written_off_on, reason: 'Gone.' },
      })
      return loan_id
    },
    statusOf: async id => (await openOf(id)).status,
    actions: [
      ...['Reject the write-off', 'Take the write-off back'].map(
        (label): Tried => ({
          label,
          alias: 'reject',
          fill: WHY,
          sends: async id => ['rejectWriteOff', await proposal(id), { reason: 'Tried.' }],
        }),
      ),
      {
        label: 'Approve the write-off',
        sends: async id => ['approveWriteOff', await proposal(id)],
      },
    ],
  }
}

async function failed(app: TestApp, borrower: ReadyBorrower): Promise<string> {
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const paid = { ...borrower, account_number: iban }
  const { id } = await requestLoan(app, paid, { amount: AMOUNT })
  await app.drain()
  return id
}
