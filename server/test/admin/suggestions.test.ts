/** What the back office suggests for money in suspense, and why. */
import type { Loan } from '@headroom/contract'
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperators, type Person } from '../support/console.ts'
import { lend, loanOf } from '../support/money.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const STRANGER = 'FR7630006000011234567890189'

let app: TestApp
let ana: Person
let viewer: Person
let borrower: ReadyBorrower
let other: ReadyBorrower
let loan: Loan
let loan_of_other: Loan
beforeAll(async () => {
  app = await testApp()
  ;({ ana, viewer } = await createOperators(app))
  borrower = await readyBorrower(app, 'SCT')
  other = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 70_000 })
  loan_of_other = await lend(app, other, { amount: 80_000 })
})

interface Stray {
  readonly amount: number
  readonly from_iban?: string
  readonly from_name?: string
  readonly reference?: string
}

/** Receives money that names no debt for certain; returns its item's id. */
async function receive(stray: Stray): Promise<string> {
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    reference: 'for the money',
    ...stray,
  })
  await app.drain()
  const { data } = await viewer.admin('listSuspense', { query: { status: 'OPEN' } })
  return data.find(item => item.amount === stray.amount)!.id
}

async function suggestionsFor(suspense_id: string) {
  const { data } = await viewer.admin('suggestTargets', { params: { suspense_id } })
  return data
}

test.each<[string, () => Stray, string[]]>([
  [
    'account',
    () => ({ amount: 101, from_iban: borrower.account_number, from_name: 'Somebody' }),
    ['sender_account'],
  ],
  [
    'name',
    () => ({ amount: 102, from_name: `${borrower.name!.toUpperCase()} SA` }),
    ['sender_name'],
  ],
  [
    'company number in the text',
    () => ({ amount: 103, reference: `for ${borrower.identifier}` }),
    ['text'],
  ],
  ['name in the text', () => ({ amount: 104, reference: `paid for ${borrower.name}` }), ['text']],
  ['amount', () => ({ amount: 70_000 }), ['amount']],
])(
  'a debt is suggested for its payer by the %s, and nothing is booked',
  async (_, stray, clues) => {
    const id = await receive(stray())
    expect(await suggestionsFor(id)).toMatchObject([
      { id: loan.id, kind: 'loan', payer: borrower.name, owed: 70_000, clues },
    ])
    expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
  },
)

test('what the same account paid before comes first, but for undone matches', async () => {
  const id = await receive({ amount: 201, from_iban: STRANGER, from_name: other.name! })
  expect(await suggestionsFor(id)).toMatchObject([{ id: loan_of_other.id, clues: ['sender_name'] }])
  await ana.admin('matchSuspense', { params: { suspense_id: id }, body: { target: loan.id } })
  expect(await suggestionsFor(id)).toEqual([])

  const next = await receive({ amount: 202, from_iban: STRANGER, from_name: other.name! })
  expect(await suggestionsFor(next)).toMatchObject([
    { id: loan.id, clues: ['earlier_match'] },
    { id: loan_of_other.id, clues: ['sender_name'] },
  ])
  await ana.admin('unmatchSuspense', { params: { suspense_id: id } })
  expect(await suggestionsFor(next)).toMatchObject([
    { id: loan_of_other.id, clues: ['sender_name'] },
  ])
})

test('money of which nothing is known has no suggestions', async () => {
  expect(await suggestionsFor(await receive({ amount: 301 }))).toEqual([])
  const unknown = await viewer.call('GET', `/admin/suspense/${crypto.randomUUID()}/suggestions`)
  expect(unknown).toMatchObject({ status: 404, body: { code: 'resource_unknown' } })
})
