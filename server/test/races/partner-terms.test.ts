/** Concurrent changes of one partner's terms all succeed and leave one company on file. */
import { expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { testApp } from '../support/app.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'

test('terms agreed concurrently leave one company on file', async () => {
  const app = await testApp({ connections: POOL_MAX })
  const { database } = app.context
  const turns = Array.from({ length: 12 }, (_, n) => n)
  await Promise.all(turns.map(n => agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 + n })))
  const { rows } = await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.raw('select identifier from partner_companies'),
  )
  expect(rows).toEqual([{ identifier: PARTNER_COMPANY.identifier }])
  expect((await app.verify()).findings).toEqual([])
})
