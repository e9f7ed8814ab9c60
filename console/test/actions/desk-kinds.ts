/** Subjects in each status for the actions on the back office's and the sandbox's pages. */
import { machines } from '@headroom/contract'
import type { TestApp } from '../../../server/test/support/app.ts'
import { activeCard, authorize, spend } from '../../../server/test/support/cards.ts'
import type { Person } from '../../../server/test/support/console.ts'
import { lend, lineOf, runSql } from '../../../server/test/support/money.ts'
import { readyBorrower } from '../../../server/test/support/story.ts'
import { rowOf, statusIn } from './other-kinds.ts'
import type { Kind, Sent, Tried } from './try-actions.ts'

let made = 0

/** Unmatched payments in each status, and variants to which other actions apply. */
export async function suspenseKind(
  app: TestApp,
  { own, other }: { own: Person; other: Person },
): Promise<Kind> {
  const { client } = app
  const { statusOf } = statusIn(app, 'suspense_items')
  const loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 900_000 })
  const references = new Map<string, string>()
  const suffixes = new Map<string, string>()
  const statuses = [
    ...machines.suspense.statuses,
    'OPEN from an unknown account',
    'OPEN without money',
    'OPEN paid out',
    'LOSS_PROPOSED by another',
  ]
  const make = async (input: string) => {
    const [status = '', ...more] = input.split(' ')
    const suffix = more.join(' ')
    const reference = `unclear ${++made}`
    await client.createSandboxIncomingTransfer({
      to_iban: loan.repayment_to.account_number,
      amount: 1_000 + made,
      reference,
      ...(suffix !== 'from an unknown account' && { from_iban: loan.loan_to.account_number }),
      from_name: `Payer ${made}`,
    })
    await app.drain()
    const read = `select s.id from suspense_items s where s.amount = $1`
    const id = (await rowOf(app, read, 1_000 + made)).id!
    references.set(id, reference)
    suffixes.set(id, suffix)
    const set = (change: string) =>
      runSql(app, `update suspense_items set ${change} where id = $1`, [id])
    if (suffix === 'without money') await set('cash = 0')
    if (suffix === 'paid out') await set('cash = -amount')
    if (status === 'MATCHED') {
      const body = { target: loan.id }
      await other.admin('matchSuspense', { params: { suspense_id: id }, body })
    } else if (status === 'LOSS_PROPOSED' || status === 'LOST') {
      await set('cash = -amount')
      await (suffix === 'by another' ? other : own).admin('loseSuspense', {
        params: { suspense_id: id },
        body: { reason: 'Lost.' },
      })
      if (status === 'LOST') await other.admin('approveLoss', { params: { suspense_id: id } })
    } else if (status !== 'OPEN') {
      await runSql(app, 'update suspense_items set status = $2 where id = $1', [id, status])
    }
    return id
  }
  return {
    beside: true,
    file: 'suspense-actions.tsx',
    statuses,
    make,
    at: () => `/desk/suspense?${machines.suspense.statuses.map(one => `status=${one}`).join('&')}`,
    within: (page, id) =>
      page.getByRole('row').filter({ has: page.getByText(references.get(id)!, { exact: true }) }),
    statusOf: async id => [await statusOf(id), suffixes.get(id)].filter(Boolean).join(' '),
    actions: suspenseActions(loan.id),
  }
}

function suspenseActions(loan_id: string): Tried[] {
  const to =
    (operation: Sent[0], body?: object) =>
    (suspense_id: string): Sent => [operation, { suspense_id }, body]
  return [
    {
      label: 'Match',
      fill: { Search: loan_id },
      choose: /of principal owed|interest alone/,
      sends: to('matchSuspense', { target: loan_id }),
    },
    { label: 'Send back', sends: to('sendBackSuspense') },
    { label: 'Dismiss', sends: to('dismissSuspense') },
    { label: 'Give up', fill: { Reason: 'Lost.' }, sends: to('loseSuspense', WHY) },
    { label: 'Undo the match', sends: to('unmatchSuspense') },
    { label: 'Approve the loss', sends: to('approveLoss') },
    { label: 'Reject the loss', alias: 'reject', fill: NO, sends: to('rejectLoss', WHY) },
    { label: 'Take the loss back', alias: 'reject', fill: NO, sends: to('rejectLoss', WHY) },
  ]
}

const NO = { Reason: 'No.' }
const WHY = { reason: 'It was tried.' }
/** Above the scorecard's threshold, so a second operator must approve. */
const LARGE = 19_000_000

export function limitKind(
  app: TestApp,
  { own: ana, other: bob }: { own: Person; other: Person },
): Kind {
  const limits = async (borrower_id: string) => {
    const { data } = await bob.admin('listLimits', { params: { borrower_id } })
    return data
  }
  const first = async (borrower_id: string) => ({
    limit_id: (await limits(borrower_id))[0]?.id ?? crypto.randomUUID(),
  })
  const statuses = ['none', 'proposed by another', 'proposed by oneself', 'in force', 'closed']
  const wished = new Map<string, string>()
  const states = new Map<string, string | undefined>()
  return {
    file: 'borrower-limit.tsx',
    statuses,
    at: id => `/p/${app.partner_id}/borrower/${id}?tab=limit`,
    make: async status => {
      const borrower = await readyBorrower(app, 'SCT')
      const { id: credit_line_id } = await lineOf(app, borrower)
      const set = (by: Person, pool_amount: number) =>
        by.admin('setLimit', { body: { credit_line_id, pool_amount, reason: 'Tried.' } })
      if (status === 'proposed by another') await set(bob, LARGE)
      if (status === 'proposed by oneself') await set(ana, LARGE)
      if (status === 'in force') await set(bob, 1_000)
      if (status === 'closed') {
        await app.client.deactivateBorrower({ borrower_id: borrower.id })
      }
      wished.set(borrower.id, status)
      states.set(borrower.id, (await limits(borrower.id))[0]?.status)
      return borrower.id
    },
    statusOf: async id => {
      const now = (await limits(id))[0]?.status
      return now === states.get(id) ? wished.get(id)! : `${wished.get(id)}, then ${now}`
    },
    actions: [
      {
        label: 'Set limit',
        fill: { Limit: '1234.00', Reason: 'Tried.' },
        sends: async id => {
          const { data } = await app.client.listCreditLines({ borrower: [id] })
          const body = { credit_line_id: data[0]!.id, pool_amount: 123_400, reason: 'Tried.' }
          return ['setLimit', {}, body]
        },
      },
      { label: 'Approve €190,000.00', sends: async id => ['approveLimit', await first(id)] },
      {
        label: 'Reject',
        alias: 'reject',
        fill: { Reason: 'Tried.' },
        sends: async id => ['rejectLimit', await first(id), WHY],
      },
      {
        label: 'Take it back',
        alias: 'reject',
        fill: { Reason: 'Tried.' },
        sends: async id => ['rejectLimit', await first(id), WHY],
      },
      {
        label: 'End the limit by hand',
        fill: { Reason: 'Tried.' },
        sends: async id => ['endLimit', await first(id), WHY],
      },
    ],
  }
}

export function decisionKind(app: TestApp): Kind {
  const { statusOf, set } = statusIn(app, 'decisions')
  const of = (decision_id: string) => ({ decision_id })
  return {
    file: 'decision.tsx',
    statuses: machines.decision.statuses,
    at: id => `/p/${app.partner_id}/decision/${id}`,
    make: async status => {
      const { id } = await app.agent.proposeDecision({
        title: 'A language',
        rationale: 'It was asked for.',
        operations: [{ method: 'POST', path: '/onboardings', body: { preferred_language: 'de' } }],
      })
      return set(id, status)
    },
    statusOf,
    actions: [
      { label: 'Approve', sends: id => ['approveForLender', of(id), { comment: null }] },
      { label: 'Reject', sends: id => ['rejectForLender', of(id), { comment: null }] },
    ],
  }
}

const SET_INSTRUCTION = `update sandbox_bank_instructions
  set state = $2, kind = $3, direction = $4 where id = $1`
const MOVES = {
  Settle: 'settleSandboxInstruction',
  Reject: 'rejectSandboxInstruction',
  Return: 'returnSandboxInstruction',
  Refund: 'refundSandboxInstruction',
  Reverse: 'reverseSandboxInstruction',
} as const

/** Instructions at the sandbox bank in every status: payouts, or payouts changed into debits. */
export async function instructionKind(app: TestApp, as: 'SCT' | 'SDD'): Promise<Kind> {
  const { client } = app
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
  const references = new Map<string, string>()
  const find = async (id: string) => {
    const { data } = await client.listSandboxBankInstructions({ page_size: 500 })
    return data.find(one => one.id === id)!
  }
  return {
    beside: true,
    file: 'sandbox-bank.tsx',
    statuses: machines.bank_instruction.statuses,
    at: () => `/p/${app.partner_id}/sandbox?part=bank`,
    within: (page, id) => page.getByRole('row').filter({ hasText: references.get(id)! }),
    make: async status => {
      const loan = await lend(app, borrower, { amount: 10_000 + ++made })
      const { data } = await client.listPayments({ loan_id: [loan.id] })
      const payout = data.find(one => one.payment_type === 'LOAN_PAYMENT')!
      const { data: all } = await client.listSandboxBankInstructions({ page_size: 500 })
      const { id } = all.find(one => one.payment_id === payout.id)!
      references.set(id, `€${(100 + made / 100).toFixed(2)}`)
      await runSql(app, SET_INSTRUCTION, [id, status, as, as === 'SCT' ? 'OUT' : 'IN'])
      return id
    },
    statusOf: async id => (await find(id)).status,
    actions: Object.entries(MOVES).map(([label, operation]) => ({
      label,
      sends: (instruction_id: string) => [operation, { instruction_id }, {}] as Sent,
    })),
  }
}

const EUROS = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })

export async function entryKind(app: TestApp): Promise<Kind> {
  const { client } = app
  const card = await activeCard(app)
  const amounts = new Map<string, number>()
  const entryOf = async (id: string) =>
    (await client.listCardEntries({ card_id: card.id })).find(entry => entry.id === id)!
  const to =
    (operation: Sent[0], name: string) =>
    (id: string): Sent => [operation, { [name]: id }, { amount: 100 }]
  const fill = { Amount: '1.00' }
  return {
    beside: true,
    file: 'sandbox-cards.tsx',
    statuses: machines.card_entry.statuses,
    at: () => `/p/${app.partner_id}/sandbox?part=cards&card=${card.id}`,
    within: (page, id) =>
      page.getByRole('row').filter({ hasText: EUROS.format(amounts.get(id)! / 100) }),
    make: async status => {
      const amount = (status === 'declined' ? 900_000_000 : 1_000) + ++made
      if (status === 'completed') {
        const { id } = await spend(app, card, amount)
        amounts.set(id, amount)
        return id
      }
      const { authorization_id } = await authorize(app, card, amount)
      if (status === 'reversed') await client.reverseSandboxAuthorization({ authorization_id })
      amounts.set(authorization_id, amount)
      return authorization_id
    },
    statusOf: async id => (await entryOf(id)).status,
    actions: [
      { label: 'Clear', fill, sends: to('clearSandboxAuthorization', 'authorization_id') },
      { label: 'Increment', fill, sends: to('incrementSandboxAuthorization', 'authorization_id') },
      { label: 'Reverse', fill, sends: to('reverseSandboxAuthorization', 'authorization_id') },
      { label: 'Dispute', fill, sends: to('disputeSandboxCardEntry', 'entry_id') },
    ],
  }
}
