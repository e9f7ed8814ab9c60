/** A sandbox bank on a database of its own, for its tests: the clock moves, the news are kept. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type SandboxBank, sandboxBank } from '../../../src/adapters/sandbox/bank.ts'
import { connect } from '../../../src/db/connect.ts'
import { startEmbedded } from '../../../src/db/embedded/index.ts'
import { migrate } from '../../../src/db/migrate.ts'
import type { Lender } from '../../../src/db/settings.ts'
import { type Database, transaction } from '../../../src/db/transaction.ts'
import { type Day, momentOf } from '../../../src/kit/dates.ts'
import { newId } from '../../../src/kit/ids.ts'
import type { BankNews, PaymentOrder } from '../../../src/ports/bank.ts'

export const COLLECTION_IBAN = 'FR7630006000011234567890189'
export const ORDINARY_IBAN = 'DE89370400440532013000'

const LENDER: Lender = {
  name: 'Lender',
  email: 'lender@lender.example',
  registration: '404833048',
  address_line: '1 rue du Marché, 75011 Paris',
  creditor_identifier: 'FR14ZZZ123456',
  collection_iban: COLLECTION_IBAN,
  collection_bic: 'HDRMFRPP',
  funding_iban: COLLECTION_IBAN,
  funding_bic: 'HDRMFRPP',
}

export interface BankHouse {
  readonly database: Database
  readonly bank: SandboxBank
  /** News in the order they were heard. */
  readonly heard: BankNews[]
  /** While set, whoever hears news fails after this many. */
  deaf: boolean
  /** It is noon in Paris on that day from now on. */
  setDay(day: Day): Promise<void>
  close(): Promise<void>
}

export async function openBankHouse(): Promise<BankHouse> {
  const folder = mkdtempSync(join(tmpdir(), 'bank-test-'))
  const embedded = await startEmbedded({ folder })
  const pool = connect(embedded.connection, () => {})
  await migrate(pool)
  await pool.query("insert into deployment (id, mode, secret) values (1, 'sandbox', 'secret')")
  const database: Database = {
    pool,
    beforeCommit: [],
    settings: {
      mode: 'sandbox',
      base_url: 'http://127.0.0.1:4000',
      secret: '00'.repeat(32),
      lender: LENDER,
      allow_private_webhooks: true,
    },
  }
  const heard: BankNews[] = []
  const house: BankHouse = {
    database,
    heard,
    deaf: false,
    bank: sandboxBank({
      database,
      inbox: async news => {
        if (house.deaf) throw new Error('nobody listens')
        heard.push(...news)
      },
    }),
    async setDay(day) {
      const offset = BigInt(momentOf(day, 12).getTime() - Date.now())
      await transaction(database, { partners: '*' }, tx =>
        tx.run(sql`update deployment set clock_offset_ms = ${offset}`),
      )
    },
    async close() {
      await pool.end()
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return house
}

/** A payout of 500.00, or a collection of as much, with what matters to the test laid over. */
export function order(
  kind: 'SCT' | 'SDD',
  requested_on: Day,
  iban = ORDINARY_IBAN,
  more: Partial<PaymentOrder> = {},
): PaymentOrder {
  return {
    payment_id: newId(),
    partner_id: newId(),
    kind,
    direction: kind === 'SCT' ? 'OUT' : 'IN',
    amount: 50_000n,
    currency: 'EUR',
    counterparty: { iban, bic: 'COBADEFF', name: 'Somebody' },
    references: ['RF18539007547034'],
    requested_on,
    loan_ids: [newId()],
    mandate: null,
    ...more,
  }
}
