/** Operators and partners, as the command line creates them. */
import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperator, createPartner } from '../../src/platform/access/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { type HttpFixture, startHttpFixture } from '../http/fixture.ts'

let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture()
})
afterAll(() => app?.stop())

const inTx = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(app.database, { partners: '*', actor: 'service' }, work)

describe('createOperator', () => {
  it('stores only a hash of the password, and generates one when none is given', async () => {
    const made = await inTx(tx => createOperator(tx, { email: ' Ops@Lender.example ' }))
    expect(made.email).toBe('ops@lender.example')
    expect(made.password.length).toBeGreaterThanOrEqual(24)
    const { rows } = await inTx(tx =>
      tx.raw(`select o.*, s.password_hash from operators o
        join operator_secrets s on s.operator_id = o.id`),
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ id: made.operator_id, email: made.email, role: 'admin' })
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$/)
    expect(await verify(rows[0].password_hash, made.password)).toBe(true)
  })

  it('rejects a taken or malformed e-mail and a short password', async () => {
    const create = (input: { email: string; password?: string }) =>
      inTx(tx => createOperator(tx, input))
    await expect(create({ email: 'OPS@lender.example' })).rejects.toThrow('already')
    await expect(create({ email: 'ops' })).rejects.toThrow('not an e-mail')
    const short = { email: 'new@lender.example', password: 'x'.repeat(14) }
    await expect(create(short)).rejects.toThrow('15 characters')
    expect((await inTx(tx => tx.raw('select * from operators'))).rows).toHaveLength(1)
  })
})

describe('createPartner', () => {
  it('creates a partner with a ceiling and a key that has every scope', async () => {
    const made = await inTx(tx => createPartner(tx, { name: 'Märkte & Co', exposure_max: 5n }))
    expect(made.key).toMatchObject({ actor: 'human', scopes: null, version: '2026-07' })
    expect(await app.as(made.key.key).hello()).toBe('Hello, Märkte & Co\n')
    const { rows } = await inTx(tx =>
      tx.raw('select * from partners where id = $1', [made.partner_id]),
    )
    expect(rows[0]).toMatchObject({ name: 'Märkte & Co', status: 'ACTIVE', exposure_max: 5n })
  })
})
