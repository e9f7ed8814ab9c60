/** A sandbox bank on its own database for tests: a movable clock and recorded bank news. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { type SandboxBank, sandboxBank } from '../../../src/integrations/adapters/sandbox/bank.ts'
import { sandboxLender } from '../../../src/integrations/adapters/sandbox/lender.ts'
import type {
  BankEntry,
  BankNews,
  BankStatement,
  PaymentOrder,
} from '../../../src/integrations/ports/bank.ts'
import { isLenderIban, openBankAccounts } from '../../../src/money/payments/index.ts'
import { connect } from '../../../src/platform/db/connect.ts'
import { bankAccountsOf } from '../../../src/platform/db/settings.ts'
import { type Database, transaction } from '../../../src/platform/db/transaction.ts'
import { type Day, momentOf } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { asAdmin, dropDatabase } from '../../support/admin.ts'

const LENDER = sandboxLender()
export const COLLECTION_IBAN = LENDER.collection_iban
const ORDINARY_IBAN = 'DE89370400440532013000'

export interface HeardStatement extends BankStatement {
  readonly entries: readonly BankEntry[]
}

export interface BankFixture {
  readonly database: Database
  readonly bank: SandboxBank
  /** News in the order received. */
  readonly heard: BankNews[]
  /** Statements in the order received, with all their entries. */
  readonly statements: HeardStatement[]
  /** While set, the listener refuses all news. */
  deaf: boolean
  /** Sets the clock to noon in Paris on that day. */
  setDay(day: Day): Promise<void>
  close(): Promise<void>
}

export async function openBankFixture(): Promise<BankFixture> {
  const server = inject('server')
  const name = `bank_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template template_of_tests`)
  const pool = connect({ ...server, database: name }, () => {})
  await pool.query("insert into deployment (id, mode, secret) values (1, 'sandbox', 'secret')")
  await openBankAccounts(pool, bankAccountsOf(LENDER))
  const database: Database = {
    pool,
    beforeCommit: [],
    settings: {
      mode: 'sandbox',
      base_url: 'http://127.0.0.1:4000',
      secret: '00'.repeat(32),
      lender: LENDER,
      bank_accounts: bankAccountsOf(LENDER),
      allow_private_webhooks: true,
    },
  }
  const heard: BankNews[] = []
  const statements: HeardStatement[] = []
  const app: BankFixture = {
    database,
    heard,
    statements,
    deaf: false,
    bank: sandboxBank({
      database,
      inbox: {
        news: async news => {
          if (app.deaf) throw new Error('nobody listens')
          heard.push(...news)
        },
        statement: async (statement, entries) => {
          if (app.deaf) throw new Error('nobody listens')
          const all: BankEntry[] = []
          for await (const slice of entries) all.push(...slice)
          statements.push({ ...statement, entries: all })
        },
      },
      isOurIban: async (tx, iban) => isLenderIban(tx, iban),
      heldOrders: async () => new Set(),
    }),
    async setDay(day) {
      const offset = BigInt(momentOf(day, 12).getTime() - Date.now())
      await transaction(database, { partners: '*', actor: 'service' }, tx =>
        tx.run(sql`update deployment set clock_offset_ms = ${offset}`),
      )
    },
    async close() {
      await pool.end()
      await dropDatabase(name)
    },
  }
  return app
}

/** A payout or collection of 500.00, with fields overridden by the test. */
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
