/** Statements of real banks are read, and every booked cent has a meaning. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hasSamples, sample } from '../../bank-files/reading/support.ts'
import { sent, statementsOf } from './sent-orders.ts'
import { read } from './support.ts'

const sampled = test.skipIf(!hasSamples)
/** Real statements, about our account instead of theirs, with their booked entries. */
const SAMPLES: readonly (readonly [name: string, booked: number])[] = [
  ['camt053-02-ing-batch-nl', 3],
  ['camt053-02-ing-nl', 9],
  ['camt053-02-nordea-fi', 6],
  ['camt053-02-rabobank-nl', 2],
  ['camt053-02-seb-fi', 10],
  ['camt053-02-two-statements', 2],
  ['camt053-02-vrbank-de', 4],
  ['camt053-08-small', 0],
  // This one is in CHF.
  ['camt053-08-ubs-ch', 0],
]

sampled.each(SAMPLES)(
  'of the real statement %s, every booked cent has a meaning',
  async (name, booked) => {
    const at = await sent()
    const text = sample(`${name}.xml`).toString('utf8')
    await at.sends(text.replace(/(<Acct>[\s\S]*?<IBAN>)[^<]*/g, `$1${at.collection}`))
    const statements = await statementsOf(at.database)
    expect(statements.length).toBeGreaterThan(0)
    const entries = await read(at.database, tx =>
      tx.all(sql<{ place: number; sign: string; amount: bigint; reference: string }>`
      select e.place, e.sign, e.amount, s.reference from file_bank_entries e
      join file_bank_statements s on s.id = e.statement_id where e.booking = 'BOOK'`),
    )
    expect(entries).toHaveLength(booked)
    for (const { place, sign, amount, reference } of entries) {
      const path = `${at.collection}/${reference}/${place}`
      const of = at.news.filter(({ bank_reference: one }) => `${one}/`.startsWith(`${path}/`))
      const moved = of.map(one => (one.direction === 'IN' ? one.amount : -one.amount))
      const sum = moved.reduce((all, one) => all + one, 0n)
      expect(sum).toBe(sign === 'CRDT' ? amount : -amount)
    }
  },
)
