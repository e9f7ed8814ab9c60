/** Counterparties: declaring them under any of their numbers, filtering them, and their limits. */
import { randomUUID } from 'node:crypto'
import type { Input } from '@headroom/sdk'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limitUsed } from '../../../src/companies/counterparties/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client, second } = app

const acme: Input<'createCounterparty'> = {
  identifier: '732829320',
  identifier_type: 'siren',
  relation_types: ['CLIENT'],
}

async function count(): Promise<number> {
  return (await client.listCounterparties({ page_size: 1 })).total!
}

describe('declaring a company', () => {
  test('a new one is 201, with a limit based on its data', async () => {
    const { data, status } = await client.call('createCounterparty', acme)
    expect(status).toBe(201)
    expect(data).toMatchObject({ ...acme, selected_for_financing: true })
    expect(data.name).toBeTruthy()
    expect(data.credit_limit.max_amount).toBeGreaterThanOrEqual(5_000_000)
    expect(data.credit_limit.max_amount).toBeLessThanOrEqual(50_000_000)
    expect(data.credit_limit.available_amount).toBe(data.credit_limit.max_amount)
    expect(data.credit_limit.max_amount_details).toBeNull()
    expect(await client.getCounterparty({ counterparty_id: data.id })).toEqual(data)
  })

  test('the same company under another number is 200, merged with both relations', async () => {
    const before = await count()
    const first = await client.call('createCounterparty', acme)
    const again = await client.call('createCounterparty', {
      identifier: '732 829 320 00074',
      identifier_type: 'siret',
      relation_types: ['SUPPLIER', 'CLIENT'],
      address: { city: 'Lyon' },
    })
    expect(again.status).toBe(200)
    expect(again.data.id).toBe(first.data.id)
    expect(again.data.identifier).toBe('732829320')
    expect(again.data.relation_types).toEqual(['CLIENT', 'SUPPLIER'])
    expect(again.data.address).toMatchObject({ city: 'Lyon', postal_code: null })
    expect(await count()).toBe(before)
  })

  test('concurrent declarations create one', async () => {
    const input: Input<'createCounterparty'> = {
      identifier: 'B64717838',
      identifier_type: 'nif',
      relation_types: ['DEBTOR'],
    }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.call('createCounterparty', input)),
    )
    expect(new Set(answers.map(a => a.data.id)).size).toBe(1)
    expect(answers.filter(a => a.status === 201)).toHaveLength(1)
  })

  test('known only by name, or in an unsupported country, it has no limit', async () => {
    const named = await client.createCounterparty({
      identifier: 'Dupont et Fils',
      identifier_type: 'name',
      relation_types: ['CLIENT'],
    })
    const italian = await client.createCounterparty({
      identifier: 'IT00743110157',
      identifier_type: 'vat_number',
      relation_types: ['CLIENT'],
    })
    expect(named.credit_limit).toEqual({
      available_amount: 0,
      max_amount: 0,
      max_amount_details: 'COUNTERPARTY_DATA_MISSING',
    })
    expect(italian.credit_limit.max_amount_details).toBe('COUNTRY_NOT_ELIGIBLE_COUNTERPARTY')
    expect(named.selected_for_financing).toBe(false)
  })

  test('its creation is reported once', async () => {
    const { id } = await client.createCounterparty(acme)
    const result = await transaction(
      app.context.database,
      { partners: '*', actor: 'service' },
      tx =>
        tx.all<{ data: unknown }>(sql`
        select data from told_events
        where resource_id = ${id} and type = 'CounterpartyCreditLimit.CREATED'`),
    )
    expect(result).toHaveLength(1)
    expect(result[0]!.data).toMatchObject({ id, identifier: '732829320' })
  })
})

describe('wrong requests report every fault and write nothing', () => {
  test('number, relation and field at once', async () => {
    const before = await count()
    const faults = await faultsOf(
      client.createCounterparty({
        identifier: '732829321',
        identifier_type: 'siren',
        relation_types: ['FRIEND'],
        colour: 'red',
      } as never),
    )
    expect(Object.keys(faults).sort()).toEqual(['colour', 'identifier', 'relation_types.0'])
    expect(await count()).toBe(before)
  })

  test('no relation at all', async () => {
    const faults = await faultsOf(client.createCounterparty({ ...acme, relation_types: [] }))
    expect(faults.relation_types).toBeTruthy()
  })
})

describe('reading', () => {
  test('every filter returns exactly its matches', async () => {
    const one = await client.createCounterparty({
      identifier: '12345678',
      identifier_type: 'kvk',
      name: 'Tulpen 100% BV',
      relation_types: ['MARKETPLACE_BUYER'],
    })
    const ids = async (query: Parameters<typeof client.listCounterparties>[0]) =>
      (await client.listCounterparties(query)).data.map(c => c.id)
    expect(await ids({ business_name: 'tulpen 100%' })).toEqual([one.id])
    expect(await ids({ business_name: 'tulpen_100' })).toEqual([])
    expect(await ids({ identifier: '12345678' })).toEqual([one.id])
    expect(await ids({ identifier_type: 'kvk' })).toEqual([one.id])
    const vat_number = one.vat_number!
    expect(await ids({ identifier: vat_number })).toEqual([one.id])
    expect(await ids({ identifier: vat_number, identifier_type: 'vat_number' })).toEqual([one.id])
    expect(await ids({ identifier: '12345678', identifier_type: 'kvk' })).toEqual([one.id])
    expect(await ids({ identifier: '12345678', identifier_type: 'siren' })).toEqual([])
    expect(await ids({ identifier: 'TULPEN 100% bv', identifier_type: 'name' })).toEqual([one.id])
    expect(await ids({ relation_types: ['MARKETPLACE_BUYER', 'SELF'] })).toEqual([one.id])
    expect(await ids({ selected_for_financing: true })).toContain(one.id)
    expect(await ids({ selected_for_financing: false })).not.toContain(one.id)
  })

  test('paging returns each one once', async () => {
    const seen: string[] = []
    for await (const item of client.each('listCounterparties', { page_size: 1 })) seen.push(item.id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(await count())
  })

  test("another partner's is not found", async () => {
    const { id } = await client.createCounterparty(acme)
    const result = await refusal(second.getCounterparty({ counterparty_id: id }))
    expect(result.code).toBe('resource_unknown')
    expect((await second.listCounterparties({})).data).toEqual([])
  })
})

describe('the used part of a limit', () => {
  test('is joined by keys on a new database, before its first statistics', async () => {
    const used = sql<Record<string, string>>`
      explain (costs off) select ${limitUsed()} from counterparties c
      where c.partner_id = ${randomUUID()}`
    const { database } = (await testApp({ work: false, new: true })).context
    const rows = await transaction(database, { partners: '*', actor: 'service' }, tx =>
      tx.all(used),
    )
    const plan = rows.map(row => row['QUERY PLAN']!).join('\n')
    // A condition on the partner alone would join all its loans with all its invoices.
    expect(plan).toMatch(/Index Cond: .*invoice_id = i\.id/)
    expect(plan).toMatch(/Index Cond: .*\bid = f\.loan_id/)
  })
})
