/** Test data with records of many kinds, and requests about it. */
import type { PoolClient } from 'pg'
import type { TestApp } from '../support/app.ts'
import { activeCard, authorize, spend } from '../support/cards.ts'
import { validInvoice } from '../support/invoices.ts'
import { openCase, planFor } from '../support/recollection.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'
import type { GeneratedRequest } from './generated-requests.ts'
import type { World } from './schema-values.ts'
import { send } from './sending.ts'

/** Creates resources of many kinds. Returns values for fields that may refer to them, by name. */
export async function makeWorld(app: TestApp): Promise<World> {
  const { client } = app
  const borrowers = [await readyBorrower(app), await readyBorrower(app, 'SCT', 'DEU')]
  const loans = []
  for (const borrower of borrowers) {
    loans.push(await requestLoan(app, borrower, { amount: 50_000 }))
    loans.push(await requestLoan(app, borrower, { amount: 40_000, auto_validate: false }))
    await client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  }
  // A country's terms are generated on first use, which must precede any comparison of rows.
  for (const country of ['ESP', 'NLD', 'BEL'] as const) {
    await client.createBorrower(await client.generateSandboxBusiness({ country }))
  }
  const wallet = await client.openWallet({ borrower_id: borrowers[0]!.id })
  const invoice = await client.createInvoice(await validInvoice())
  const onboarding = await client.createOnboarding({ preferred_language: 'fr' })
  await app.drain()
  await client.advanceSandboxClock({ days: 33 })
  const webhook = await client.createWebhook({
    name: 'all',
    to_url: `${app.base_url}/nowhere`,
    event_types: ['Loan.CLOSED'],
  })
  const delivery = await client.testWebhook({ webhook_id: webhook.id! })
  const key = await client.createKey({ name: 'other', actor: 'human' })
  const batch = await client.createDataBatch({
    business_identifier: { identifier: borrowers[0]!.identifier, identifier_type: 'siren' },
    context: 'DATA_REFRESH',
    content: {},
  })
  const decision = await app.agent.proposeDecision({
    title: 'Another key',
    rationale: 'To have one.',
    operations: [{ method: 'POST', path: '/keys', body: { name: 'x', actor: 'agent' } }],
  })
  const card = await activeCard(app, borrowers[0])
  const held = await authorize(app, card, 1_000)
  const spent = await spend(app, card, 2_000)
  await app.drain()
  const day = await today(app)
  const [first] = borrowers
  const recollected = await recollect(app, first!, loans[0]!.id, plusDays(day, 10))
  const ids = (page: { data: { id?: string | null }[] }) => page.data.map(row => row.id)
  return {
    borrower_id: borrowers.map(b => b.id),
    business_id: borrowers.map(b => b.id),
    batch_id: [batch.id],
    identifier: borrowers.map(b => b.identifier),
    account_number: [...borrowers.map(b => b.account_number), wallet.account_number],
    loan_id: loans.map(l => l.id),
    invoice_id: [invoice.id],
    counterparty_id: ids(await client.listCounterparties({})),
    onboarding_id: [onboarding.id],
    decision_id: [decision.id],
    webhook_id: [webhook.id],
    delivery_id: [delivery.id],
    key_id: [key.id],
    credit_line_id: ids(await client.listCreditLines({})),
    ...recollected,
    bill_id: ids(await client.listBills({})),
    payment_id: ids(await client.listPayments({})),
    instruction_id: ids(await client.listSandboxBankInstructions({})),
    card_id: [card.id],
    authorization_id: [held.authorization_id],
    entry_id: [spent.id],
    currency: ['EUR'],
    to_pay_at: [day, plusDays(day, 1)],
    to_repay_at: [plusDays(day, 20), plusDays(day, 200)],
  }
}

async function recollect(
  app: TestApp,
  borrower: ReadyBorrower,
  loan_id: string,
  start_date: string,
) {
  const found = await openCase(app, borrower, { loan_ids: [loan_id] })
  const { plan } = await planFor(app, found.id, { number_of_installment: 2, start_date })
  return {
    recollection_case_id: [found.id],
    action_id: [found.next_action.id],
    installment_plan_id: [plan.id],
  }
}

export async function fire(
  { base_url }: TestApp,
  key: string,
  { method, address, body }: GeneratedRequest,
): Promise<{ status: number; text: string }> {
  return send(`${base_url}${address}`, { method, key, body })
}

/** The fingerprint statement per database, whose tables do not change. */
const fingerprints = new WeakMap<TestApp, Map<string | undefined, string>>()

/** Fingerprints of each table's rows. With `partner_id`, only of the rows of that partner. */
export async function rowsOf(app: TestApp, partner_id?: string): Promise<Record<string, string>> {
  const client = await app.context.database.pool.connect()
  try {
    await client.query(`begin read only; select set_config('headroom.partners', '*', true)`)
    const known = fingerprints.get(app) ?? new Map<string | undefined, string>()
    fingerprints.set(app, known)
    const text = known.get(partner_id) ?? (await fingerprintOf(client, partner_id))
    known.set(partner_id, text)
    const { rows } = await client.query<{ name: string; rows: string }>(text)
    return Object.fromEntries(rows.map(row => [row.name, row.rows]))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function fingerprintOf(client: PoolClient, partner_id?: string): Promise<string> {
  // Leaves out `keys`, because using a key updates its row.
  const { rows: tables } = await client.query<{ name: string; owned: boolean }>(
    `select t.tablename as name, exists (select from information_schema.columns c
       where c.table_name = t.tablename and c.column_name = 'partner_id') as owned
     from pg_tables t where t.schemaname = 'public' and t.tablename <> 'keys'`,
  )
  const counts = tables
    .filter(({ owned }) => owned || !partner_id)
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) as rows
         from "${name}" ${partner_id ? `where partner_id = '${partner_id}'` : ''}`,
    )
  return counts.join(' union all ')
}
