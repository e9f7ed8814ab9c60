/** Correcting, submitting, deleting, reading and listing invoices. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { addDays } from '../../../src/platform/kit/dates.ts'
import { FIRST_DAY, testApp } from '../../support/app.ts'
import { validInvoice } from '../../support/invoices.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client, second } = app
const today = FIRST_DAY

describe('correcting', () => {
  test('a draft is completed, submitted and verified', async () => {
    const { document, ...rest } = await validInvoice()
    const { id } = await client.createInvoice({ document, is_draft: true })
    const filled = await client.updateInvoice({ invoice_id: id, ...rest, metadata: { a: 1 } })
    expect(filled).toMatchObject({ status: 'TO_SUBMIT', total_amount: 120_000, metadata: { a: 1 } })
    const submitted = await client.submitInvoice({ invoice_id: id })
    expect(submitted).toMatchObject({ status: 'VERIFIED', is_draft: false })
    const result = await refusal(client.submitInvoice({ invoice_id: id }))
    expect(result.code).toBe('state_conflict')
  })

  test('missing fields are listed until given', async () => {
    const made = await client.createInvoice(await validInvoice({ seller: null, due_at: null }))
    const half = await client.updateInvoice({ invoice_id: made.id, due_at: addDays(today, 9) })
    expect(half.status).toBe('TO_EDIT')
    expect(half.to_edit.map(e => e.name)).toEqual(['seller'])
    const refused = await client.submitInvoice({ invoice_id: made.id })
    expect(refused).toMatchObject({ status: 'TO_EDIT' })
    await client.updateInvoice({ invoice_id: made.id, seller: { identifier: '732829320' } })
    expect((await client.submitInvoice({ invoice_id: made.id })).status).toBe('VERIFIED')
  })

  test('a verified invoice is checked again; null clears a field', async () => {
    const { id } = await client.createInvoice(await validInvoice())
    const late = await client.updateInvoice({ invoice_id: id, due_at: null })
    expect(late).toMatchObject({ status: 'TO_EDIT', due_at: null })
    const other = await client.createInvoice(await validInvoice())
    const gone = await client.updateInvoice({ invoice_id: other.id, due_at: addDays(today, -1) })
    expect(gone).toMatchObject({ status: 'DECLINED', status_reason: 'INVOICE_OVERDUE' })
    const result = await refusal(client.updateInvoice({ invoice_id: gone.id, net_amount: 1 }))
    expect(result.code).toBe('state_conflict')
    const noted = await client.updateInvoice({ invoice_id: gone.id, metadata: { why: 'late' } })
    expect(noted).toMatchObject({ status: 'DECLINED', metadata: { why: 'late' } })
  })

  test('wrong fields are reported and nothing changes', async () => {
    const made = await client.createInvoice(await validInvoice())
    const faults = await faultsOf(
      client.updateInvoice({ invoice_id: made.id, buyer: { identifier: '1' }, due_at: 'x' }),
    )
    expect(Object.keys(faults).sort()).toEqual(['buyer.identifier', 'due_at'])
    const now = await client.getInvoice({ invoice_id: made.id })
    expect({ ...now, document_url: null }).toEqual({ ...made, document_url: null })
  })
})

test('a deleted invoice is returned, stays readable, and is final', async () => {
  const { id } = await client.createInvoice(await validInvoice())
  expect((await client.deleteInvoice({ invoice_id: id })).status).toBe('DELETED')
  expect((await client.getInvoice({ invoice_id: id })).status).toBe('DELETED')
  const result = await Promise.all([
    refusal(client.deleteInvoice({ invoice_id: id })),
    refusal(client.submitInvoice({ invoice_id: id })),
    refusal(client.updateInvoice({ invoice_id: id, metadata: {} })),
  ])
  expect(result.map(problem => problem.code)).toEqual(Array(3).fill('state_conflict'))
})

test('every filter returns exactly its matches', async () => {
  const buyer = {
    identifier: 'B64717838',
    identifier_type: 'nif',
    name: 'Ladrillos 50% SL',
  } as const
  const one = await client.createInvoice(await validInvoice({ buyer, invoice_number: 'FIND/1' }))
  const ids = async (query: Parameters<typeof client.listInvoices>[0]) =>
    (await client.listInvoices(query)).data.map(invoice => invoice.id)
  expect(await ids({ buyer: ['ESB64717838'] })).toEqual([one.id])
  expect(await ids({ buyer: [one.buyer!.id!] })).toEqual([one.id])
  expect(await ids({ seller: ['B64717838'] })).toEqual([])
  const borrower = await client.createBorrower({ identifier: '732829320' })
  expect(await ids({ seller: [borrower.id] })).toContain(one.id)
  expect(await ids({ buyer: [borrower.id] })).toEqual([])
  expect(await ids({ seller: ['73282932000074'] })).toContain(one.id)
  expect(await ids({ query: 'find/1' })).toEqual([one.id])
  expect(await ids({ query: 'ladrillos 50%' })).toEqual([one.id])
  expect(await ids({ query: 'ladrillos_50' })).toEqual([])
  expect(await ids({ invoice_id: [one.id] })).toEqual([one.id])
  expect(await ids({ invoice_id: [one.id], status: ['DELETED'] })).toEqual([])
  expect(await ids({ linked_to_loan: true })).toEqual([])
  expect(await ids({ linked_to_loan: false })).toContain(one.id)
  expect(await ids({ linked_to_loan_paid_after: today })).toEqual([])
  const seen: string[] = []
  for await (const item of client.each('listInvoices', { page_size: 2 })) seen.push(item.id)
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toHaveLength((await client.listInvoices({})).total!)
})

test("another partner's is not found, by any operation", async () => {
  const { id: invoice_id } = await client.createInvoice(await validInvoice())
  const result = await Promise.all([
    refusal(second.getInvoice({ invoice_id })),
    refusal(second.updateInvoice({ invoice_id, metadata: {} })),
    refusal(second.submitInvoice({ invoice_id })),
    refusal(second.deleteInvoice({ invoice_id })),
  ])
  expect(result.map(problem => problem.code)).toEqual(Array(4).fill('resource_unknown'))
  expect((await second.listInvoices({})).data).toEqual([])
})

test('every step emits an event', async () => {
  const { document, ...rest } = await validInvoice()
  const { id } = await client.createInvoice({ document, is_draft: true })
  await client.submitInvoice({ invoice_id: id })
  await client.updateInvoice({ invoice_id: id, ...rest })
  await client.submitInvoice({ invoice_id: id })
  await client.deleteInvoice({ invoice_id: id })
  const result = await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    tx.all<{ type: string; data: { status: string } }>(sql`
      select type, data from told_events where resource_id = ${id} order by id`),
  )
  const steps = ['SUBMITTED', 'TO_EDIT', 'SUBMITTED', 'VERIFIED', 'DELETED']
  expect(result.map(event => event.type)).toEqual(steps.map(step => `Invoice.${step}`))
  expect(result.map(event => event.data.status)).toEqual(steps)
})
