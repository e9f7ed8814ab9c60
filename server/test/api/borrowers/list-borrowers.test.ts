/** Listing borrowers: filters, pages, and isolation between partners. */
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app

const SIGNED = [null, '2026-02-28T23:30:00Z', '2026-03-10T12:00:00Z', '2026-03-31T22:30:00Z']
const ids: string[] = []

beforeAll(async () => {
  for (const [i, identifier] of ['552100554', '542107651', '652014051', '383474814'].entries()) {
    const { id } = await client.createBorrower({ identifier, signed_at: SIGNED[i] })
    ids.push(id)
  }
  await app.second.createBorrower({ identifier: '552100554' })
})

type Query = Parameters<typeof client.listBorrowers>[0]

async function found(query: Query): Promise<string[]> {
  return (await client.listBorrowers(query)).data.map(borrower => borrower.id)
}

test('newest first, page by page, forward and back', async () => {
  const first = await client.listBorrowers({ page_size: 3 })
  expect(first).toMatchObject({ count: 3, page_size: 3, total: 4, previous_page: null })
  expect(first.data.map(borrower => borrower.id)).toEqual([ids[3], ids[2], ids[1]])
  const cursor = new URL(first.next_page!, app.base_url).searchParams.get('cursor')!
  const second = await client.listBorrowers({ page_size: 3, cursor })
  expect(second).toMatchObject({ count: 1, next_page: null, data: [{ id: ids[0] }] })
  const back = new URL(second.previous_page!, app.base_url).searchParams.get('cursor')!
  expect(await found({ page_size: 3, cursor: back })).toEqual([ids[3], ids[2], ids[1]])
})

describe('filters', () => {
  test('by id, one or several', async () => {
    expect(await found({ borrower_id: [ids[0]!] })).toEqual([ids[0]])
    expect(await found({ borrower_id: [ids[0]!, ids[2]!, newId()] })).toEqual([ids[2], ids[0]])
  })

  test('by any number of the company, under either parameter name', async () => {
    for (const number of ['552100554', '552 100 554', 'FR96552100554']) {
      expect(await found({ identifier: number })).toEqual([ids[0]])
      expect(await found({ borrower_identifier: number })).toEqual([ids[0]])
    }
    expect(await found({ identifier: '404833048' })).toEqual([])
    expect(await found({ identifier: 'nothing' })).toEqual([])
  })

  test('by signing day in Paris, from inclusive and to exclusive', async () => {
    expect(await found({ from_signed_at: '2026-03-01' })).toEqual([ids[3], ids[2], ids[1]])
    expect(await found({ from_signed_at: '2026-03-01', to_signed_at: '2026-04-01' })).toEqual([
      ids[2],
      ids[1],
    ])
    expect(await found({ to_signed_at: '2026-03-01' })).toEqual([])
  })

  test('by time of signing', async () => {
    expect(await found({ from_signed_at: '2026-03-10T12:00:00Z' })).toEqual([ids[3], ids[2]])
    expect(await found({ from_signed_at: '2026-03-10T13:00:01+01:00' })).toEqual([ids[3]])
    expect(await found({ to_signed_at: '2026-03-10T12:00:00Z' })).toEqual([ids[1]])
  })
})

test('a wrong cursor, id or day is reported by name', async () => {
  const faults = await faultsOf(
    client.listBorrowers({ borrower_id: ['x'], from_signed_at: '2026-02-30' }),
  )
  expect(Object.keys(faults).sort()).toEqual(['borrower_id.0', 'from_signed_at'])
  expect(await faultsOf(client.listBorrowers({ cursor: 'x' }))).toHaveProperty('cursor')
})

test('a partner sees only its own borrowers', async () => {
  const { data, total } = await app.second.listBorrowers()
  expect(total).toBe(1)
  expect(ids).not.toContain(data[0]!.id)
  expect((await app.second.listBorrowers({ borrower_id: ids })).total).toBe(0)
})
