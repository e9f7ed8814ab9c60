/**
 * Every event that a webhook can subscribe to occurs, and its data matches the resource's GET in
 * our contract and in the public record.
 */
import {
  EVENT_NAMES_2023,
  type EventName,
  eventTypes,
  type OperationId,
  operations,
} from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { hasRecord, recordedEventNames, recordFaults } from '../support/record.ts'
import { appWithEvents } from './app-with-events.ts'

/** Operations of the record that read a single resource. */
const READ_BY: Record<string, OperationId> = {
  loan: 'getLoan',
  borrower: 'getBorrower',
  invoice: 'getInvoice',
  credit_line: 'getCreditLine',
  counterparty: 'getCounterparty',
  installment_plan: 'getInstallmentPlan',
  recollection_case: 'getRecollectionCase',
  onboarding: 'getOnboarding',
  card: 'getCard',
}

/** Resources that the record shows only in a list. */
const LISTED_BY: Record<string, OperationId> = {
  payment: 'listPayments',
  bill: 'listBills',
  installment: 'listInstallments',
  borrower_financial_product: 'listBorrowerFinancialProducts',
}

type ReceivedEvent = { type: EventName; data: unknown }

let app: TestApp
const result = new Map<EventName, ReceivedEvent[]>()

beforeAll(async () => {
  app = await appWithEvents()
  const { id } = (await app.client.listWebhooks({})).data[0]!
  await app.client.testWebhook({ webhook_id: id })
  await app.drain()
  const old = createClient({ ...app, version: '2023-09' })
  for await (const event of old.each('listWebhookEvents', { page_size: 500 })) {
    result.set(event.type, [...(result.get(event.type) ?? []), event as ReceivedEvent])
  }
}, 240_000)

test('every subscribable event has occurred', () => {
  expect(EVENT_NAMES_2023.filter(name => !result.has(name))).toEqual([])
})

test.skipIf(!hasRecord)('the events include all of the record (skipped without its file)', () => {
  expect(recordedEventNames).toHaveLength(32)
  expect(recordedEventNames.filter(name => !result.has(name as EventName))).toEqual([])
})

describe.each(Object.entries(eventTypes))('%s', (name, { resource, data }) => {
  test("has the same data as its resource's GET", () => {
    for (const event of result.get(name as EventName)!) {
      const found = data.safeParse(event.data)
      expect(found.error?.issues ?? []).toEqual([])
      expect(found.data).toEqual(event.data)
      const { [resource]: alone } = READ_BY
      if (alone) expect(recordFaults(alone, operations[alone].success, event.data)).toEqual([])
      const { [resource]: listed } = LISTED_BY
      const page = { data: [event.data], count: 1, page_size: 1, total: 1 }
      if (listed) expect(recordFaults(listed, 200, page)).toEqual([])
    }
  })
})

test('a loan is closed with the fields and the amount of its GET', async () => {
  const latest = new Map<string, unknown>()
  const all = (await app.client.listWebhookEvents({ type: ['Loan.CLOSED'] })).data
  for (const { data } of all) latest.set((data as { id: string }).id, data)
  for (const [loan_id, data] of latest) {
    const loan = await app.client.getLoan({ loan_id })
    expect(Object.keys(loan).sort()).toEqual(Object.keys(data as object).sort())
    expect(loan.amount).toBe((data as typeof loan).amount)
  }
  expect(latest.size).toBeGreaterThan(1)
  expect((await app.verify()).findings).toEqual([])
})
