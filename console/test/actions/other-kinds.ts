/** Subjects in each status for the actions on a partner's pages. */
import { machines } from '@headroom/contract'
import { transaction } from '../../../server/src/platform/db/transaction.ts'
import type { TestApp } from '../../../server/test/support/app.ts'
import { activeCard } from '../../../server/test/support/cards.ts'
import type { Person } from '../../../server/test/support/console.ts'
import { declareInvoice } from '../../../server/test/support/invoice-loans.ts'
import { billsOf, lend, payIn, paymentsOfType, runSql } from '../../../server/test/support/money.ts'
import { openCase } from '../../../server/test/support/recollection.ts'
import { readyBorrower, today } from '../../../server/test/support/story.ts'
import type { Kind } from './try-actions.ts'

export const at =
  ({ partner_id }: TestApp, page: string) =>
  (id: string) =>
    `/p/${partner_id}/${page}/${id}`

/** Runs a query with one parameter and returns its first row. */
export function rowOf(app: TestApp, read: string, id: unknown) {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(read, [id])
    return rows[0] as Record<string, string>
  })
}

/** Reads a row's status, or sets it directly in the database. */
export function statusIn(app: TestApp, table: string, key = 'id') {
  return {
    statusOf: async (id: string): Promise<string> =>
      (await rowOf(app, `select status from ${table} where ${key} = $1`, id)).status!,
    set: async (id: string, status: string) => {
      await runSql(app, `update ${table} set status = $2 where ${key} = $1`, [id, status])
      return id
    },
  }
}

export function borrowerKind(app: TestApp): Kind {
  const { client } = app
  const { statusOf, set } = statusIn(app, 'borrowers')
  const created = async () => {
    const { identifier, identifier_type } = await client.generateSandboxBusiness({
      is_borrower: true,
    })
    return (await client.createBorrower({ identifier, identifier_type })).id
  }
  const signed = async () => {
    const borrower_id = await created()
    await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
    return borrower_id
  }
  const ready = async () => (await readyBorrower(app, 'SCT')).id
  const past: Record<string, () => Promise<string>> = { TO_SIGN: created, SIGNED: signed }
  const of = (borrower_id: string) => ({ borrower_id })
  const fill = { Reason: { pick: /Aml extreme risk/i } }
  const reason = { reason: 'BUSINESS_AML_EXTREME_RISK' }
  return {
    file: 'borrower-actions.tsx',
    statuses: machines.borrower.statuses,
    statusOf,
    at: at(app, 'borrower'),
    make: async status => set(await (past[status] ?? ready)(), status),
    actions: [
      { label: 'Block', fill, sends: id => ['blockBorrower', of(id), reason] },
      { label: 'Unblock', sends: id => ['unblockBorrower', of(id)] },
      { label: 'Prohibit', fill, sends: id => ['prohibitBorrower', of(id), reason] },
    ],
  }
}

export function reviewKind(app: TestApp): Kind {
  const { statusOf, set } = statusIn(app, 'compliance_checks', 'borrower_id')
  const to = (status: string) => (borrower_id: string) =>
    ['reviewKyb', { borrower_id }, { status }] as const
  return {
    file: 'borrower-actions.tsx',
    statuses: machines.compliance.statuses,
    statusOf,
    at: at(app, 'borrower'),
    within: page => page.getByRole('region', { name: 'KYB review' }),
    make: async status => set((await readyBorrower(app, 'SCT')).id, status),
    actions: [
      { label: 'Approve', sends: to('APPROVED') },
      { label: 'Ask the company', sends: to('PENDING_USER_ACTION') },
      { label: 'Reject', sends: to('REJECTED') },
      { label: 'Review', sends: to('REVIEWING') },
    ],
  }
}

export function cardKind(app: TestApp): Kind {
  const { client } = app
  const to = (status: string) => (card_id: string) =>
    ['updateCardStatus', { card_id }, { status }] as const
  return {
    file: 'card.tsx',
    statuses: machines.card.statuses,
    at: at(app, 'card'),
    make: async status => {
      const { id: card_id } = await activeCard(app)
      if (status !== 'active') {
        await client.updateCardStatus({ card_id, status: status as 'inactive' })
      }
      return card_id
    },
    statusOf: async card_id => (await client.getCard({ card_id })).status,
    actions: [
      { label: 'Unblock', sends: to('active') },
      { label: 'Block', sends: to('inactive') },
      { label: 'Cancel', sends: to('canceled') },
    ],
  }
}

export async function invoiceKind(app: TestApp): Promise<Kind> {
  const { statusOf, set } = statusIn(app, 'invoices')
  const seller = await readyBorrower(app, 'SCT')
  const of = (invoice_id: string) => ({ invoice_id })
  const edit = { to_edit: [{ name: 'due_at', reason: 'It is another day.' }] }
  const reason = 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA'
  return {
    file: 'invoice.tsx',
    statuses: machines.invoice.statuses,
    statusOf,
    at: at(app, 'invoice'),
    make: async status => set((await declareInvoice(app, seller, 'Something else')).id, status),
    actions: [
      { label: 'Verify', sends: id => ['verifyInvoice', of(id)] },
      {
        label: 'Ask for an edit',
        fill: { Field: { pick: 'Due at' }, 'What is wrong with it': 'It is another day.' },
        sends: id => ['askInvoiceEdit', of(id), edit],
      },
      {
        label: 'Decline',
        fill: { Reason: { pick: 'Invoice does not match eligibility criteria' } },
        sends: id => ['declineInvoice', of(id), { reason }],
      },
    ],
  }
}

/** The actions on one existing bill, whose status is written directly to its row. */
export function billKind(app: TestApp, bill_id: string): Kind {
  const { statusOf, set } = statusIn(app, 'bills')
  return {
    file: 'bill.tsx',
    statuses: machines.bill.statuses,
    statusOf,
    at: at(app, 'bill'),
    make: status => set(bill_id, status),
    actions: [
      {
        label: 'Mark as sent',
        fill: { 'To these e-mail addresses': 'books@company.example' },
        sends: async id => [
          'noteBillSent',
          { bill_id: id },
          { sent_on: await today(app), to_email_addresses: ['books@company.example'] },
        ],
      },
      {
        label: 'Release bill',
        fill: { 'How the payer was told': 'By post.' },
        sends: id => ['releaseBill', { bill_id: id }, { reason: 'By post.' }],
      },
    ],
  }
}

/**
 * Lends, and moves the clock into the next month, which bills the interest. Returns the bill's id.
 */
export async function someBill(app: TestApp): Promise<string> {
  const borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 1_000_000, days: 44 })
  const [year, month] = (await today(app)).split('-').map(Number)
  const to = new Date(Date.UTC(year!, month!, 2)).toISOString().slice(0, 10)
  await app.client.advanceSandboxClock({ to })
  return (await billsOf(app, borrower))[0]!.id
}

const DUE_AT = '2030-01-02'

export function caseKind(app: TestApp): Kind {
  const { statusOf } = statusIn(app, 'recollection_cases')
  const of = (recollection_case_id: string) => ({ recollection_case_id })
  return {
    file: 'case.tsx',
    statuses: machines.recollection_case.statuses,
    statusOf,
    at: at(app, 'case'),
    make: status => aCase(app, status),
    actions: [
      {
        label: 'Plan an action',
        fill: { Action: 'Write a letter', 'Due on': DUE_AT },
        sends: id => ['addRecollectionAction', of(id), { action_name: 'Call', due_at: DUE_AT }],
      },
      {
        label: 'Close',
        fill: { Reason: 'It was tried.' },
        sends: id => ['closeRecollectionCase', of(id), { reason: 'It was tried.' }],
      },
      {
        label: 'Add a note',
        fill: { About: 'Call', Note: 'Nobody there.' },
        sends: id => ['updateRecollectionCase', of(id), { recollection_notes: { Call: 'Nobody' } }],
      },
    ],
  }
}

async function aCase(app: TestApp, status: string): Promise<string> {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 10_000 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  if (status === 'CLOSED') {
    await app.client.closeRecollectionCase({ recollection_case_id: id, reason: 'Tried.' })
  }
  return id
}

const STOPPED = 'OPEN, its interest stopped'

export function interestKind(app: TestApp, person: Person): Kind {
  const on = () => today(app)
  const of = (recollection_case_id: string) => ({ recollection_case_id })
  const fill = { Reason: 'It was tried.' }
  const cases = caseKind(app)
  return {
    ...cases,
    file: 'case-interest.tsx',
    statuses: [...cases.statuses, STOPPED],
    make: async status => {
      const id = await aCase(app, status)
      const body = { on: await on(), reason: 'By law.' }
      if (status === STOPPED) await person.admin('stopCaseInterest', { params: of(id), body })
      return id
    },
    statusOf: async id => {
      const { interest_stop } = await app.client.getRecollectionCase(of(id))
      return interest_stop && !interest_stop.resumed_at ? STOPPED : cases.statusOf(id)
    },
    actions: [
      {
        label: 'Stop interest',
        fill,
        sends: async id => ['stopCaseInterest', of(id), { on: await on(), reason: 'Tried.' }],
      },
      {
        label: 'Let interest run again',
        fill,
        sends: async id => ['resumeCaseInterest', of(id), { on: await on(), reason: 'Tried.' }],
      },
    ],
  }
}

export function nextActionKind(app: TestApp): Kind {
  const { statusOf, set } = statusIn(app, 'recollection_actions', 'case_id')
  const change = (body: object) => async (case_id: string) => {
    const read = 'select id from recollection_actions where case_id = $1'
    const { id: action_id } = await rowOf(app, read, case_id)
    const params = { recollection_case_id: case_id, action_id: action_id! }
    return ['updateRecollectionAction', params, body] as const
  }
  return {
    file: 'case.tsx',
    statuses: machines.recollection_action.statuses,
    statusOf,
    at: at(app, 'case'),
    make: async status => set(await aCase(app, 'OPEN'), status),
    actions: [
      { label: 'Done', sends: change({ action_status: 'DONE' }) },
      { label: 'Put off', fill: { 'New day': DUE_AT }, sends: change({ due_at: DUE_AT }) },
      { label: 'Drop', sends: change({ action_status: 'CANCELED' }) },
    ],
  }
}

/**
 * Overpays a loan from an account that rejects the refund. Call the returned function some days
 * later for the refund's ID.
 */
export async function refundOf(app: TestApp): Promise<() => Promise<string>> {
  const loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 50_000 })
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  await payIn(app, { to: loan, amount: 50_700, from_iban: iban })
  return async () => (await paymentsOfType(app, loan, 'REFUND'))[0]!.id
}
