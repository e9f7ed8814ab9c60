/** Names are unique across partners. If two partners enter the same name, one succeeds. */
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { enterNames } from '../../src/platform/db/directory.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { testApp } from '../support/app.ts'
import { readyBorrower } from '../support/story.ts'

const app = await testApp({ work: false })
const partners = [app.partner_id, app.second_partner_id] as const

test("a wallet with the number of another partner's wallet is not stored", async () => {
  const clients = [app.client, app.second]
  const borrowers = [await readyBorrower(app), await readyBorrower({ client: app.second })]
  const { bank } = app.context.ports
  const opened = { state: 'opened', account_number: 'WALLET-OF-BOTH' } as const
  const opening = vi.spyOn(bank, 'openWallet').mockResolvedValue(opened)
  const answers = await Promise.allSettled(
    clients.map((client, n) => client.openWallet({ borrower_id: borrowers[n]!.id })),
  )
  opening.mockRestore()
  const refused = answers.flatMap(answer => (answer.status === 'rejected' ? answer.reason : []))
  expect(refused).toEqual([expect.objectContaining({ status: 500, code: 'internal_error' })])
  const lists = clients.map((client, n) => client.listWallets({ borrower_id: borrowers[n]!.id }))
  const stored = (await Promise.all(lists)).flatMap(({ data }) => data)
  expect(stored).toMatchObject([{ account_number: 'WALLET-OF-BOTH' }])
  expect((await app.verify()).findings).toEqual([])
})

test('two partners that enter the same names in opposite order do not deadlock', async () => {
  const values = ['MANDATE-A', 'MANDATE-B']
  const enter = (partner_id: string, order: readonly string[]) =>
    transaction(app.context.database, { partners: [partner_id], actor: 'service' }, async tx => {
      const rows = order.map(value => ({ partner_id, id: newId(), value }))
      enterNames(tx, 'mandate', rows, row => row.value)
    })
  const [one, other] = partners
  const ended = await Promise.allSettled([enter(one, values), enter(other, values.toReversed())])
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const failed = ended.find(answer => answer.status === 'rejected')
  expect(failed).toMatchObject({ reason: { code: '23505', constraint: 'directory_pkey' } })
  const entered = await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<{ partner_id: string }>`
      select distinct partner_id from directory where value = any(${values}::text[])`),
  )
  expect(entered).toHaveLength(1)
})
