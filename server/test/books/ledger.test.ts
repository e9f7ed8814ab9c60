/** The ledger is immutable: the database refuses changes, and the hash chain detects them. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { post, sealEntries, verifyLedger } from '../../src/platform/ledger/index.ts'
import type { TestApp } from '../support/app.ts'
import { createHistory, findings } from './history.ts'
import { checksThatFail, UNGUARDED, withTampering } from './with-tampering.ts'

let app: TestApp
beforeAll(async () => {
  app = (await createHistory()).app
})

describe('the database refuses', () => {
  const attempt = (statement: string) =>
    transaction(app.context.database, { partners: '*', actor: 'service' }, tx => tx.raw(statement))

  const entry = '01900000-0000-7000-8000-00000000e001'
  const entryOf = (partner: string) => `insert into ledger_entries
    (id, partner_id, kind, value_on, booked_at)
    values ('${entry}', ${partner}, 'refund', '2027-02-03', now())`
  const [lender, partner] = [`'${LENDER_ID}'::uuid`, '(select partner_id from loans limit 1)']
  const newEntry = entryOf(lender)
  const accountOf = (partner: string) =>
    `(select id from ledger_accounts where partner_id = ${partner} order by id limit 1)`
  const posting = (line: number, amount: number) =>
    `insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
      values (${lender}, '${entry}', ${line}, ${accountOf(lender)}, ${amount})`
  /** Two balancing postings of one entry. */
  const both = (partner: string, on: string, id = entry) =>
    `insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
      select ${partner}, '${id}', line, ${on}, amount
      from (values (0, 100), (1, -100)) n (line, amount)`

  test('an entry that does not balance', async () => {
    const unbalanced = `${newEntry}; ${posting(0, 100)}`
    await expect(attempt(unbalanced)).rejects.toThrow(/does not balance/)
    const halves = `${newEntry}; insert into ledger_postings
        (partner_id, entry_id, line, account_id, amount)
      select ${lender}, '${entry}', n, id, n * 100 from
        (select row_number() over () as n, id from ledger_accounts
          where partner_id = ${lender} limit 2) two`
    await expect(attempt(halves)).rejects.toThrow(/does not balance/)
  })

  test.each(['ledger_entries', 'ledger_postings', 'ledger_seals'])(
    'any change of %s',
    async table => {
      const column = table === 'ledger_seals' ? 'hash = hash' : 'entry_id = entry_id'
      const set = table === 'ledger_entries' ? 'kind = kind' : column
      await expect(attempt(`update ${table} set ${set}`)).rejects.toThrow(/append-only: UPDATE/)
      await expect(attempt(`delete from ${table}`)).rejects.toThrow(/append-only: DELETE/)
      await expect(attempt(`truncate ${table} cascade`)).rejects.toThrow(/append-only: TRUNCATE/)
    },
  )

  test('a posting on a missing entry or account', async () => {
    const nobody = '01900000-0000-7000-8000-00000000a001'
    await expect(attempt(both(lender, accountOf(lender), nobody))).rejects.toThrow(/is not there/)
    const unknownAccount = `${newEntry}; ${both(lender, `'${nobody}'`)}`
    await expect(attempt(unknownAccount)).rejects.toThrow(/is not there/)
  })

  test("a posting on another partner's entry or account", async () => {
    const entries = `entry ${entry} is not there`
    await expect(attempt(`${newEntry}; ${both(partner, accountOf(lender))}`)).rejects.toThrow(
      entries,
    )
    const own = entryOf(partner)
    await expect(attempt(`${own}; ${both(lender, accountOf(lender))}`)).rejects.toThrow(entries)
    // Postings of the lender's entry, and of another partner's, on a partner's account.
    const accounts = `an account that ledger entry ${entry} is posted on is not there`
    const taken = `${newEntry}; ${both(lender, accountOf(partner))}`
    await expect(attempt(taken)).rejects.toThrow(accounts)
    const other = "'01900000-0000-7000-8000-00000000d001'"
    const foreign = `${entryOf(other)}; ${both(other, accountOf(partner))}`
    await expect(attempt(foreign)).rejects.toThrow(accounts)
    // A partner's entries may be posted on its own accounts and on the lender's.
    const allowed = `${own}; ${both(partner, accountOf(partner))}; select 1 / 0`
    await expect(attempt(allowed)).rejects.toThrow('division by zero')
    const shared = `${own}; ${both(partner, accountOf(lender))}; select 1 / 0`
    await expect(attempt(shared)).rejects.toThrow('division by zero')
  })

  test("an account with an owner among the lender's, or a partner's without", async () => {
    const account = (partner: string, owner: string) => `insert into ledger_accounts
      (id, partner_id, code, owner_id) values ('${entry}', ${partner}, 'suspense', ${owner})`
    await expect(attempt(account(lender, `'${entry}'`))).rejects.toThrow('ledger_accounts_lender')
    await expect(attempt(account(partner, 'null'))).rejects.toThrow('ledger_accounts_owner')
  })

  test('a line of a missing bill or loan', async () => {
    const nobody = '01900000-0000-7000-8000-00000000b001'
    const line = (bill: string) => `insert into bill_lines (partner_id, bill_id, loan_id, amount)
      select id, ${bill}, '${nobody}', 100 from partners limit 1`
    await expect(attempt(line(`'${nobody}'`))).rejects.toThrow(`bill ${nobody} of a line`)
    const bill = `insert into bills (id, payer_id, partner_id, status, period_from, period_to,
        due_on, amount, currency, loan_types, reference, ran_at, created_at)
      select '${nobody}', id, id, 'GENERATED', '2027-01-01', '2027-01-31', '2027-02-03', 100,
        'EUR', '{}', 'RF00NOBODY', now(), now() from partners limit 1`
    await expect(attempt(`${bill}; ${line(`'${nobody}'`)}`)).rejects.toThrow(`loan ${nobody} of`)
  })

  test('another line on an issued bill', async () => {
    const bill = '01900000-0000-7000-8000-00000000b002'
    const line = `insert into bills (id, payer_id, partner_id, status,
        period_from, period_to, due_on, amount, currency, loan_types, reference, ran_at, created_at)
      select '${bill}', partner_id, partner_id, 'VALIDATED', '2027-01-01', '2027-01-31',
        '2027-02-03', 100, 'EUR', '{}', 'RF00ISSUED', now(), now() from loans limit 1;
      insert into bill_lines (partner_id, bill_id, loan_id, amount)
        select b.partner_id, b.id, l.id, 100 from bills b
        join loans l on l.partner_id = b.partner_id where b.id = '${bill}' limit 1`
    await expect(attempt(line)).rejects.toThrow(`bill ${bill} was issued`)
  })

  test.each(['bills', 'loans'])('deleting %s', async table => {
    await expect(attempt(`delete from ${table}`)).rejects.toThrow(
      `rows of ${table} are never deleted`,
    )
  })

  test('deleting an account', async () => {
    await expect(attempt('delete from ledger_accounts')).rejects.toThrow(/append-only: DELETE/)
  })

  test('turning an account into another one', async () => {
    await expect(attempt(`update ledger_accounts set code = 'suspense'`)).rejects.toThrow(
      /append-only: UPDATE/,
    )
  })
})

/** Statements that give an entry to the lender, with its postings and its seal. */
function moveToLender(entry: string): string[] {
  return [
    'alter table ledger_seals drop constraint ledger_seals_partner_id_entry_id_fkey',
    `create temp table moved on commit drop as select id from ledger_entries where id = ${entry}`,
    `update ledger_entries set partner_id = '${LENDER_ID}' where id in (select id from moved)`,
    ...['postings', 'seals'].map(
      table => `update ledger_${table} set partner_id = '${LENDER_ID}'
        where entry_id in (select id from moved)`,
    ),
  ]
}

describe('the hash chain', () => {
  const third = '(select entry_id from ledger_seals where position = 3)'

  test('names the entry whose posting was changed, even if everything still balances', async () => {
    const found = await withTampering(
      app,
      [...UNGUARDED, `update ledger_postings set amount = amount * 2 where entry_id = ${third}`],
      async tx => ({
        findings: await findings(tx),
        ...(await tx.one(sql<{ entry_id: string }>`
          select entry_id from ledger_seals where position = 3`)),
      }),
    )
    expect(found.findings).toContainEqual({
      check: 'hash_chain',
      detail: `entry ${found.entry_id} at position 3 does not fit the chain`,
    })
  })

  test.each([
    [
      'a posting moved to another account',
      "ledger_postings set account_id = (select id from ledger_accounts where code = 'suspense')",
      'entry_id',
    ],
    ['another value date', `ledger_entries set value_on = value_on - 1`, 'id'],
    [
      'another booking time',
      `ledger_entries set booked_at = booked_at - interval '1 second'`,
      'id',
    ],
    ['another kind', `ledger_entries set kind = 'refund'`, 'id'],
    ['another payment', `ledger_entries set payment_id = null`, 'id'],
    ['another hash', `ledger_seals set hash = reverse(hash)`, 'entry_id'],
  ])('notices %s', async (_, change, column) => {
    const statement = `update ${change} where ${column} = ${third}`
    expect(await checksThatFail(app, ...UNGUARDED, statement)).toContain('hash_chain')
  })

  test('notices an entry moved to another partner with all that belongs to it', async () => {
    expect(await checksThatFail(app, ...UNGUARDED, ...moveToLender(third))).toContain('hash_chain')
  })

  test('detects a missing seal and an unsealed entry', async () => {
    const gap = 'delete from ledger_seals where position = 3'
    expect(await checksThatFail(app, ...UNGUARDED, gap)).toContain('hash_chain')
    const unsealed = await withTampering(app, [...UNGUARDED, gap], verifyLedger)
    expect(unsealed.entries - unsealed.sealed).toBe(1)
  })

  test('seals new entries once, in order', async () => {
    const [again, seals] = await withTampering(app, [], async tx => [
      await sealEntries(tx),
      await tx.all(sql<{ fits: boolean }>`
        select entry_id > lag(entry_id, 1, entry_id) over (order by position)
          or position = 1 as fits from ledger_seals`),
    ])
    expect(again).toBe(0)
    expect(seals.length).toBeGreaterThan(10)
    expect(seals.every(seal => seal.fits)).toBe(true)
  })
})

describe('verify finds', () => {
  test.each([
    { column: 'loan_id', also: ['movement_days'] },
    { column: 'bill_id', also: [] },
    { column: 'payment_id', also: ['movement_days'] },
  ])('an entry with a $column of a partner, booked to the lender', async ({ column, also }) => {
    const entry = `(select min(id::text)::uuid from ledger_entries where ${column} is not null)`
    expect(await checksThatFail(app, ...UNGUARDED, ...moveToLender(entry))).toEqual([
      'entry_partner',
      'hash_chain',
      'known_accounts',
      ...also,
      'running_balance',
      'turnover',
    ])
  })

  test("a posting on another partner's account", async () => {
    const nobody = '01a00000-0000-7000-8000-000000000001'
    const posted = [
      `insert into ledger_accounts (id, partner_id, code, owner_id)
        values ('${nobody}', '${nobody}', 'loan_principal', '${nobody}')`,
      `update ledger_postings set account_id = '${nobody}' where (entry_id, account_id) in (
        select p.entry_id, a.id from ledger_postings p join ledger_accounts a
          on a.id = p.account_id and a.code = 'loan_principal' order by p.entry_id limit 1)`,
    ]
    expect(await checksThatFail(app, ...UNGUARDED, ...posted)).toEqual([
      'account_partner',
      'hash_chain',
      'known_accounts',
      'running_balance',
      'turnover',
    ])
  })

  test.each([
    { code: 'loan_principal', owners: 'loans' },
    { code: 'subscription_receivable', owners: 'borrowers' },
    { code: 'credit_notes_payable', owners: 'partners' },
  ])('an account $code of one of the $owners under another partner', async ({ code, owners }) => {
    const other = '01a00000-0000-7000-8000-000000000002'
    const opened = `insert into ledger_accounts (id, partner_id, code, owner_id)
      select '${other}', '${other}', '${code}', id from ${owners} order by id limit 1`
    expect(await checksThatFail(app, opened)).toEqual(['account_partner'])
  })
})

test('two concurrent transactions that open an account post to the same one', async () => {
  const { database } = app.context
  const owner_id = '01900000-0000-7000-8000-00000000c001'
  let attempts = 0
  let looks = 0
  let opened = () => {}
  const bothLooked = new Promise<void>(resolve => {
    opened = resolve
  })
  const book = (first: boolean) =>
    transaction(database, { partners: '*', actor: 'service' }, async tx => {
      attempts += 1
      // Neither opens the account before both have looked for it and found none.
      const late = { ...tx, all: async (query: never) => answered(await tx.all(query)) }
      const answered = async <T>(rows: T) => {
        looks += 1
        if (looks === 2) opened()
        await bothLooked
        return rows
      }
      await post(late as typeof tx, [
        {
          kind: 'refund',
          partner_id: app.partner_id,
          value_on: day('2027-02-03'),
          postings: [
            { code: 'card_receivable', owner_id, amount: first ? 100n : 10n },
            { code: 'card_settlement', owner_id: null, amount: first ? -100n : -10n },
          ],
        },
      ])
    })
  await Promise.all([book(true), book(false)])
  // The second transaction starts again, or finds the account if the first has committed by then.
  expect([2, 3]).toContain(attempts)
  const { rows } = await database.pool.query(
    `select b.amount from ledger_accounts a join ledger_balances b on b.account_id = a.id
    where a.owner_id = $1`,
    [owner_id],
  )
  expect(rows).toEqual([{ amount: 110n }])
})
