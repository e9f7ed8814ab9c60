/**
 * Tries the console's actions in each status of their subjects. An enabled action succeeds. A
 * disabled one gives its reason, and its request is refused or changes nothing.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession, type Person, signIn } from '../../server/test/support/console.ts'
import {
  decisionKind,
  entryKind,
  instructionKind,
  limitKind,
  suspenseKind,
} from './actions/desk-kinds.ts'
import { actionLabels, type Label } from './actions/labels.ts'
import { loanKind, writeOffProposalKind } from './actions/loan-kinds.ts'
import {
  billKind,
  borrowerKind,
  cardKind,
  caseKind,
  interestKind,
  invoiceKind,
  nextActionKind,
  refundOf,
  reviewKind,
  someBill,
} from './actions/other-kinds.ts'
import { deliveryKind, keyKind, webhookKind } from './actions/program-kinds.ts'
import {
  type Kind,
  load,
  press,
  type Tried,
  tryAll,
  waitingOf,
  worked,
} from './actions/try-actions.ts'
import { inBrowser, openedPages, people } from './browser.ts'

const open = openedPages()
const WHO = 'ana@lender.example'
const OTHER = 'bob@lender.example'
let app: TestApp
let person: Person
const kinds = new Map<string, Kind>()
let refund_id: string
let waiting: (() => number) | undefined

beforeAll(async () => {
  // Without background work, the subjects under test keep the status they were given.
  app = await testApp({ work: false })
  await createOperatorSession(app, { email: WHO, role: 'admin' })
  const refund = await refundOf(app)
  const bill_id = await someBill(app)
  refund_id = await refund()
  person = await signIn(app, WHO)
  const loans = await loanKind(app)
  kinds.set('a loan', loans)
  await createOperatorSession(app, { email: OTHER, role: 'reviewer' })
  const other = await signIn(app, OTHER)
  kinds.set('a write-off', await writeOffProposalKind(app, loans, { own: person, other }))
  kinds.set('money in suspense', await suspenseKind(app, { own: person, other }))
  kinds.set('a limit by hand', limitKind(app, { own: person, other }))
  kinds.set('a decision', decisionKind(app))
  kinds.set('a use of a card', await entryKind(app))
  kinds.set('a payout at the bank', await instructionKind(app, 'SCT'))
  kinds.set('a debit at the bank', await instructionKind(app, 'SDD'))
  kinds.set('a borrower', borrowerKind(app))
  kinds.set('a review', reviewKind(app))
  kinds.set('a card', cardKind(app))
  kinds.set('an invoice', await invoiceKind(app))
  kinds.set('a bill', billKind(app, bill_id))
  kinds.set('a case', caseKind(app))
  kinds.set('the interest of a case', interestKind(app, person))
  kinds.set('the next action of a case', nextActionKind(app))
  kinds.set('a key', keyKind(app))
  kinds.set('a delivery', deliveryKind(app))
  kinds.set('a webhook', webhookKind(app))
}, 300_000)

const signedIn = people(
  () => open(),
  () => app.base_url,
)

const TRIED = [
  'a loan',
  'a write-off',
  'a borrower',
  'a review',
  'a card',
  'an invoice',
  'a bill',
  'a case',
  'the interest of a case',
  'the next action of a case',
  'a key',
  'money in suspense',
  'a limit by hand',
  'a decision',
  'a payout at the bank',
  'a use of a card',
  'a delivery',
  'a webhook',
  'a debit at the bank',
]

describe('available actions', () => {
  for (const name of TRIED) {
    inBrowser(
      name,
      async () => {
        const kind = kinds.get(name)!
        const page = await signedIn(WHO, '/account')
        waiting ??= waitingOf(page)
        const { partner_id, base_url } = app
        await tryAll(kind, { page, person, partner_id, base_url, waiting })
      },
      600_000,
    )
  }
})

inBrowser(
  'actions available in every state work',
  async () => {
    const page = await signedIn(WHO, '/account')
    const world = `/p/${app.partner_id}`
    const act = async (at: string, file: string, action: Omit<Tried, 'sends'>, row?: string) => {
      const { partner_id, base_url } = app
      waiting ??= waitingOf(page)
      await load({ page, person, partner_id, base_url, waiting }, at)
      const within = row ? page.getByRole('row').filter({ hasText: row }).first() : page
      await press(within, page, file, action)
    }
    const { data } = await app.client.listLoans({ status: ['TO_REPAY'] })
    const account = data[0]!.repayment_to.account_number
    const incoming = { 'To account': account, Amount: '9.87' }
    const bank = `${world}/sandbox?part=bank`
    const label = 'Let a transfer come in'
    await act(bank, 'sandbox-bank.tsx', { label, fill: incoming })
    const charge = { Kind: { pick: 'Charge' }, Direction: { pick: 'Out' }, Amount: '0.10' }
    const of = { Account: { pick: 'Collection' } }
    const entry = { label: 'Let the bank book an entry', fill: { ...of, ...charge } }
    await act(bank, 'sandbox-bank.tsx', entry)
    const fault = { label: 'Disturb statements', fill: { ...of, 'What happens': { pick: 'None' } } }
    await act(bank, 'sandbox-bank.tsx', fault)
    const cards = `${world}/sandbox?part=cards`
    for (const label of ['Authorize', 'Force-post', 'Refund']) {
      await act(cards, 'sandbox-cards.tsx', { label, fill: { Amount: '1.23' } })
    }
    await act(
      `${world}/sandbox?part=reviews`,
      'sandbox-reviews.tsx',
      { label: 'Decide' },
      'Approved',
    )
    const again = { label: 'Send again', fill: { Reason: 'It was asked for.' } }
    await act(`${world}/payment/${refund_id}`, 'payment.tsx', again)
    await page.goto(`${app.base_url}/console${world}/onboardings`)
    await page.getByRole('button', { name: 'Invite a company' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a company' })
    await dialog.locator('button[type=submit]').click()
    await page.getByText('Whoever has it can go on with this onboarding').waitFor()
    worked.add('onboardings.tsx Invite a company')
    const stop = { What: { pick: 'Payouts' }, Reason: 'Tried.' }
    await act('/desk/alarms', 'alerts.tsx', { label: 'Stop', fill: stop })
    const lift = page.getByRole('button', { name: 'Let it go on' })
    await expect.poll(() => lift.getAttribute('aria-disabled')).toBe('true')
    const body = { kind: 'payouts', partner_id: null }
    expect((await person.call('POST', '/admin/switches/lift', { body })).status).toBe(409)
    const other = await people(
      () => open(),
      () => app.base_url,
    )(OTHER, '/desk/alarms')
    await press(other, other, 'alerts.tsx', { label: 'Let it go on' })
    const alert = other.getByRole('row').nth(1)
    await press(alert, other, 'alerts.tsx', { label: 'Resolve' })
  },
  240_000,
)

/** Actions that other test files cover, by file name. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'bank-accounts.test.ts': ['bank-account.tsx Enter opening balance'],
  'companies.test.ts': [
    'company-entry.tsx Enter a company',
    'company-actions.tsx Propose approval',
    'company-actions.tsx Propose rejection',
    'company-actions.tsx Review again',
    'company-actions.tsx Record screening',
    'company-actions.tsx False match',
    'company-actions.tsx True match',
    'company-actions.tsx Confirm',
    'company-actions.tsx Take it back',
    'company-actions.tsx Reject',
  ],
  'decisions.test.ts': ['decision-own.tsx Withdraw'],
  'pages.test.ts': ['plan-builder.tsx Create the plan', 'products.tsx Change'],
  'roles.test.ts': [
    'decision-own.tsx Carry out',
    'decisions-gate.tsx People need them too',
    'keys.tsx Create a key',
    'webhooks.tsx Subscribe',
  ],
}

const keyOf = ({ file, text }: Label) => `${file} ${text}`

inBrowser('every action is covered', () => {
  const tests = Object.entries(ELSEWHERE).flatMap(([test, keys]) => {
    const path = fileURLToPath(new URL(test, import.meta.url))
    const source = readFileSync(path, 'utf8')
    return keys.filter(key => source.includes(key.slice(key.indexOf(' ') + 1)))
  })
  const known = new Set([...worked, ...tests])
  const found = actionLabels()
  const tried = (label: Label) =>
    [...known].some(key => (label.goesOn ? key.startsWith(keyOf(label)) : key === keyOf(label)))
  expect(found.filter(label => !tried(label)).map(keyOf)).toEqual([])
})
