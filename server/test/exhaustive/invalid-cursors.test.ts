/** An invalid cursor is rejected or answered with a page: no key can make a query fail. */
import { type AdminOperation, adminOperations } from '@headroom/contract'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type KeyType, type Order, readPage } from '../../src/platform/db/page.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { sha256 } from '../../src/platform/kit/crypto.ts'
import { ProblemError } from '../../src/platform/kit/problem.ts'
import { testApp } from '../support/app.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { encoded, forged, forgedText } from './invalid-cursors.ts'

const app = await testApp({ work: false })

const SAMPLES: Record<KeyType, string> = {
  uuid: '01890000-0000-7000-8000-000000000000',
  date: '2026-01-05',
  bigint: '-5',
  text: 'SDD',
  timestamptz: '2026-01-05 10:00:00.123456+00',
}

test.each(Object.entries(SAMPLES) as [KeyType, string][])(
  'PostgreSQL can cast every accepted value of %s',
  async (cast, sample) => {
    const order: Order = {
      columns: [{ sql: sql`${sample}::text::${sql.raw(cast)}`, cast }],
      direction: 'asc',
    }
    const page = (cursor?: string) =>
      transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
        readPage(
          tx,
          { path: '/list', page_size: 1, cursor },
          order,
          (where, key) => sql`select ${key} from generate_series(1, 2) where ${where}`,
        ),
      )
    const { next_page } = await page()
    const genuine = new URLSearchParams(next_page!.split('?')[1]).get('cursor')!
    await page(genuine)
    let passed = 0
    await fc.assert(
      fc.asyncProperty(forged(genuine), async at => {
        const refused = await page(at).then(
          () => null,
          error => error as Error,
        )
        if (refused) expect(refused).toBeInstanceOf(ProblemError)
        else passed++
      }),
      { numRuns: 500 },
    )
    expect(passed).toBeGreaterThan(0)
  },
)

const adminLists = Object.values<AdminOperation>(adminOperations).filter(
  ({ query }) => query !== undefined && 'cursor' in query.shape,
)

test.each(adminLists.map(list => [list.path, list] as const))(
  'an invalid cursor of %s never fails',
  async (path, { query }) => {
    const email = `${sha256(path).slice(0, 8)}@lender.example`
    await createOperatorSession(app, { email, role: 'admin' })
    const person = await signIn(app, email)
    const kinds = query!.shape.kind instanceof z.ZodEnum ? query!.shape.kind.options : [null]
    for (const kind of kinds) {
      const mark = sha256(`${path} `).slice(0, 8)
      const key = fc.oneof(fc.tuple(forgedText), fc.tuple(forgedText, fc.constant(SAMPLES.uuid)))
      await fc.assert(
        fc.asyncProperty(key, async values => {
          const cursor = encoded([mark, 0, ...values])
          const requested = new URLSearchParams({
            cursor,
            ...(kind !== null && { kind: `${kind}` }),
          })
          const { status } = await person.call('GET', `${path}?${requested}`)
          expect([200, 422]).toContain(status)
        }),
        { numRuns: 60 },
      )
    }
  },
)
