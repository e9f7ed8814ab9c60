/** Verification: faults planted in stored figures or the trail, and the checks that detect them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sealAudit, verifyAudit } from '../../src/back-office/operations/index.ts'
import { lockExclusive } from '../../src/platform/db/locks.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { createHistory, type History } from './history.ts'
import { checksThatFail, UNGUARDED, withTampering } from './with-tampering.ts'

const NOWHERE = '01a00000-0000-7000-8000-000000000001'

let history: History
beforeAll(async () => {
  history = await createHistory()
})

describe('verify finds', () => {
  const of = (which: 'repaid' | 'running' | 'waiting') => `where id = '${history[which]}'`

  test.each([
    [
      'an extra posting',
      [
        ...UNGUARDED,
        `update ledger_postings set amount = amount + 1
      where line = 0 and entry_id =
          (select min(id::text)::uuid from ledger_entries where kind = 'payout')`,
      ],
      ['entry_balance', 'hash_chain', 'running_balance', 'trial_balance', 'turnover'],
    ],
    [
      'an entry that will never be sealed',
      [
        `insert into ledger_entries (id, partner_id, kind, value_on, booked_at)
          values ('${NOWHERE}', '${LENDER_ID}', 'suspense_received', '2027-01-11', now())`,
        `insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
          select '${LENDER_ID}', '${NOWHERE}', line, id, 2 * line - 1 from ledger_accounts
          cross join generate_series(0, 1) line where code = 'lender_capital'`,
      ],
      ['sealed_or_waiting'],
    ],
    [
      'a turnover that drifted',
      [`update ledger_turnovers set debit = debit + 1 where code = 'bank_cash'`],
      ['turnover'],
    ],
    [
      'cash of a day that drifted',
      ['update ledger_cash_days set amount = amount + 1'],
      ['cash_day'],
    ],
    [
      'a balance that drifted',
      [
        `update ledger_balances set amount = amount + 1 where account_id =
          (select id from ledger_accounts where code = 'loan_principal' limit 1)`,
      ],
      ['loan_books', 'running_balance'],
    ],
    [
      'fees with another payer than in the terms',
      [`update products set fees_payer = 'PARTNER' where product_type = 'WALLET_FINANCING'`],
      ['fees_payer'],
    ],
    [
      'loans with another payer than in their terms',
      ['update loans set payer_id = partner_id where payer_id = borrower_id'],
      ['bill_payer', 'loan_fold'],
    ],
    [
      'a line with more lent',
      ['update credit_lines set outstanding = outstanding + 1'],
      ['line_outstanding', 'partner_exposure'],
    ],
    [
      'a line with less reserved',
      ['update credit_lines set reserved = reserved - 1 where reserved > 0'],
      ['line_reserved', 'partner_exposure'],
    ],
    [
      'a partner with another exposure',
      ['update partners set exposure = exposure + 1'],
      ['partner_exposure'],
    ],
    [
      'a payment with another amount',
      [`update payments set amount = amount + 1 where payment_type = 'LOAN_PAYMENT'`],
      ['borrower_cash', 'cash_moved', 'payment_order', 'payment_shares'],
    ],
    [
      'a payment that never happened',
      [`update payments set status = 'FAILED' where payment_type = 'REFUND'`],
      ['borrower_cash', 'cash_moved', 'history', 'surplus_waiting'],
    ],
    [
      'a refund of money needed by another named debt',
      [
        `insert into payment_names (payment_id, position, partner_id, kind, named_id)
          select refunded_payment_id, 0, partner_id, 'loan',
            (select id from loans where status = 'TO_REPAY' order by id limit 1)
          from payments where payment_type = 'REFUND' and status = 'SCHEDULED' order by id limit 1`,
      ],
      ['refund_of_named'],
    ],
    [
      'a suspense item without bank news',
      ['update suspense_items set cash = 0'],
      ['cash_moved', 'suspense_held'],
    ],
    [
      'a suspense item of a missing payment',
      [`update suspense_items set matched_payment_id = '${NOWHERE}'`],
      ['suspense_payment'],
    ],
    [
      'a payment that is marked as returned, and was not',
      [`update payments set returned_at = now() where status = 'SCHEDULED' and direction = 'IN'`],
      ['payment_returned'],
    ],
    [
      'a bill with another amount',
      ['update bills set amount = amount + 1'],
      ['bill_status', 'bill_total', 'planned_payment'],
    ],
    [
      'a bill with other loan types',
      [`update bills set loan_types = '{INVOICE_BASED_FINANCING}'`],
      ['bill_loan_types'],
    ],
    [
      'a line with another amount',
      [
        'alter table bill_lines disable trigger user',
        `update bill_lines set amount = amount + 1
          where loan_id in (select id from loans where amount = 200000)`,
      ],
      ['bill_total', 'line_printed', 'loan_billed'],
    ],
    [
      'a line of a missing bill and loan',
      [
        'alter table bill_lines disable trigger user',
        `insert into bill_lines (partner_id, bill_id, loan_id, amount)
          select id, gen_random_uuid(), gen_random_uuid(), 1 from partners limit 1`,
      ],
      ['line_complete', 'line_printed'],
    ],
    [
      'a debit of too much',
      [
        `update payments set amount = amount + 1
        where status = 'SCHEDULED' and payment_type = 'REPAYMENT_NOMINAL'`,
      ],
      ['planned_debits'],
    ],
    [
      'a refund of too much',
      [
        `update payments set amount = amount + 1
        where status = 'SCHEDULED' and payment_type = 'REFUND'`,
      ],
      ['planned_refunds'],
    ],
    [
      'a bill with too low a payment',
      [
        `update payments set amount = amount - 1
        where status = 'SCHEDULED' and payment_type = 'REPAYMENT_FEES'`,
      ],
      ['planned_payment'],
    ],
    [
      'a line with another amount paid',
      ['update bill_lines set paid = paid - 1', 'update bills set amount_paid = amount_paid - 1'],
      ['bill_status', 'bill_total', 'line_paid', 'planned_payment'],
    ],
    [
      'a PAID bill without a payment',
      [`update bills set status = 'PAID', amount_paid = 0 where amount_paid > 0`],
      ['bill_status', 'bill_total'],
    ],
    ['a name without its entry', [`delete from directory where kind = 'contract'`], ['directory']],
    [
      'a name that changed beside its entry',
      [`update mandates set reference = reference || 'X'`],
      ['directory'],
    ],
    [
      'an entry without its row',
      [
        `insert into directory (kind, value, partner_id, id)
          select 'account', 'FR7630006000011234567890189', id, '${NOWHERE}' from partners limit 1`,
      ],
      ['directory'],
    ],
    [
      'an entry of another row',
      [
        `update directory set id = (select min(id::text)::uuid from loans)
          where kind = 'order' and value = (select max(id::text) from payments)`,
      ],
      ['directory'],
    ],
    [
      'an entry of another partner',
      [
        `update directory d set partner_id = p.id from partners p
          where d.kind = 'key' and p.id <> d.partner_id`,
      ],
      ['directory'],
    ],
    [
      'a step removed from the history',
      [
        'alter table state_changes disable trigger user',
        `delete from state_changes where id =
          (select min(id::text)::uuid from state_changes where trigger = 'instruct')`,
      ],
      ['history'],
    ],
    [
      'a step recorded for the lender',
      [
        'alter table state_changes disable trigger user',
        `update state_changes set partner_id = '${LENDER_ID}' where id =
          (select min(id::text)::uuid from state_changes where trigger = 'instruct')`,
      ],
      ['history'],
    ],
    [
      'a history recorded for the lender',
      [
        'alter table state_changes disable trigger user',
        `update state_changes set partner_id = '${LENDER_ID}' where resource_id =
          (select min(id::text)::uuid from mandates)`,
      ],
      ['history'],
    ],
    [
      'an amendment recorded for the lender',
      [
        `insert into state_changes (id, partner_id, at, actor, trigger, resource, resource_id,
            from_status, to_status)
          select '${NOWHERE}', '${LENDER_ID}', now(), 'somebody', 'amend', 'loan',
            id, status, status from loans where status = 'TO_REPAY' limit 1`,
      ],
      ['history'],
    ],
    [
      'the history of an unmatched payment recorded for a partner',
      [
        'alter table state_changes disable trigger user',
        `update state_changes set partner_id = (select id from partners limit 1)
          where resource = 'suspense'`,
      ],
      ['history'],
    ],
  ])('%s', async (_, statements, checks) => {
    expect(await checksThatFail(history.app, ...statements)).toEqual(checks)
  })

  test.each([
    [
      'principal_outstanding = principal_outstanding + 1',
      'running',
      ['borrower_cash', 'line_outstanding', 'loan_books', 'loan_fold'],
    ],
    ['principal_repaid = principal_repaid + 1', 'running', ['loan_fold']],
    ['principal_repaid_on = null', 'repaid', ['loan_fold']],
    ['due_on = due_on + 1', 'running', ['loan_fold']],
    ['falls_due_on = falls_due_on - 1', 'running', ['loan_fold']],
    ['principal_covered = principal_covered + 1', 'running', ['loan_fold']],
    ['in_parts = true', 'running', ['loan_fold']],
    ['share_unsettled = not share_unsettled', 'running', ['loan_fold']],
    ['unrecovered = true', 'running', ['loan_fold']],
    ['paid_out_on = paid_out_on - 1', 'running', ['loan_fold']],
    ['interest_paid = interest_paid + 1', 'repaid', ['borrower_cash', 'loan_books', 'loan_fold']],
    [
      'interest_billed = interest_billed + 1',
      'running',
      ['loan_billed', 'loan_books', 'loan_fold'],
    ],
    ['interest_accrued = interest_accrued + 1', 'repaid', ['loan_books', 'loan_fold']],
    [
      'surplus = surplus + 1',
      'repaid',
      ['borrower_cash', 'loan_books', 'loan_fold', 'surplus_waiting'],
    ],
    [
      'surplus_refunded = surplus_refunded - 1',
      'repaid',
      ['borrower_cash', 'loan_books', 'loan_fold', 'surplus_waiting'],
    ],
    ['rate_ppm = 400', 'repaid', ['loan_fold', 'loan_shares']],
    [`status = 'CLOSED'`, 'running', ['history', 'loan_fold']],
    [`status = 'TO_REPAY'`, 'repaid', ['history', 'loan_fold']],
    [`status = 'TO_REPAY'`, 'waiting', ['history', 'loan_fold', 'loan_reserved']],
    [`status = 'CANCELED'`, 'waiting', ['history', 'loan_reserved']],
    ['reserved = reserved - 1', 'waiting', ['line_reserved', 'loan_reserved']],
    ['reserved = reserved + 200000', 'running', ['line_reserved', 'loan_reserved']],
  ] as const)('a loan with %s', async (change, which, checks) => {
    expect(await checksThatFail(history.app, `update loans set ${change} ${of(which)}`)).toEqual(
      checks,
    )
  })

  test.each([
    [
      'a movement with another amount',
      'update loan_movements set amount = amount + 1',
      'payment_shares',
    ],
    [
      'a movement with another day',
      `update loan_movements set value_on = value_on + 1 where kind = 'REPAYMENT'`,
      'loan_fold',
    ],
    [
      'a payout with another day than its entry',
      `update loan_movements set value_on = value_on - 5 where kind = 'PAYOUT'`,
      'movement_days',
    ],
    ['a voided movement', 'update loan_movements set voided_at = now()', 'loan_fold'],
    ['a deleted movement', `delete from loan_movements where kind = 'BILL_PAYMENT'`, 'loan_fold'],
    ['a share off by a cent', 'update loan_movements set interest = interest + 1', 'loan_shares'],
    [
      'a step with another day',
      'update loan_principal_steps set from_on = from_on - 1',
      'loan_fold',
    ],
    [
      'a step with another amount',
      'update loan_principal_steps set principal = principal + 1',
      'loan_fold',
    ],
  ])('%s', async (_, statement, check) => {
    expect(await checksThatFail(history.app, statement)).toContain(check)
  })

  test('every kind of name without its entry', async () => {
    const { pool } = history.app.context.database
    const { rows } = await pool.query(`
      select unnest(regexp_matches(pg_get_constraintdef(oid), '''(\\w+)''', 'g')) as kind
      from pg_constraint where conrelid = 'directory'::regclass and contype = 'c' order by 1`)
    const kinds = rows.map(row => row.kind)
    expect(kinds).toContain('reference')
    // The history has no names of these kinds.
    const unused = ['account', 'authorization', 'card', 'card_transaction']
    for (const kind of kinds) {
      const found = await checksThatFail(
        history.app,
        `delete from directory where kind = '${kind}'`,
      )
      expect({ kind, found }).toEqual({ kind, found: unused.includes(kind) ? [] : ['directory'] })
    }
  })

  test('nothing once all of that is undone', async () => {
    expect((await history.app.verify()).findings).toEqual([])
  })
})

test.each([
  `update state_changes set actor = 'somebody else'`,
  'delete from state_changes',
  `update acts set actor = 'somebody else'`,
  'truncate acts',
  'truncate decision_attempts',
  'truncate product_changes',
  'truncate audit_seals',
  'truncate bank_orders',
  'truncate lender_orders',
  `update events set type = 'Loan.CLOSED'`,
  `update event_snapshots set data = '{}'`,
])('the database refuses: %s', async statement => {
  const changed = transaction(
    history.app.context.database,
    { partners: '*', actor: 'service' },
    tx => tx.raw(statement),
  )
  await expect(changed).rejects.toThrow('the history is append-only')
})

describe("the audit trail's hash chain", () => {
  /** Findings after tampering with a sealed trail, and the IDs of its steps. */
  const foundAfter = (statements: (ids: string[]) => string[]) =>
    withTampering(history.app, [], async tx => {
      // The worker may be sealing at the same time, and a second sealer skips its turn instead of
      // waiting.
      await lockExclusive(tx, 'audit_seal')
      await sealAudit(tx, 0)
      const { rows } = await tx.raw('select id from state_changes order by id')
      const ids = rows.map(row => row.id)
      for (const table of ['state_changes', 'acts', 'audit_seals']) {
        await tx.raw(`alter table ${table} disable trigger user`)
      }
      for (const statement of statements(ids)) await tx.raw(statement)
      // Seals again, because later seals build on earlier ones.
      await sealAudit(tx, 0)
      const details = (await verifyAudit(tx)).map(({ detail }) => detail)
      return { ids, details }
    })

  test('has no findings without tampering', async () => {
    expect((await foundAfter(() => [])).details).toEqual([])
  })

  test('detects a changed actor', async () => {
    const { ids, details } = await foundAfter(ids => [
      `update state_changes set actor = 'somebody else' where id = '${ids[3]}'`,
    ])
    expect(details).toEqual([`state_changes ${ids[3]} does not fit the chain`])
  })

  test('detects a deleted step', async () => {
    const { ids, details } = await foundAfter(ids => [
      `delete from state_changes where id = '${ids[3]}'`,
    ])
    expect(details).toEqual([`a row of state_changes is gone, before ${ids[4]}`])
  })

  test('detects deletion of the last sealed step', async () => {
    const { ids, details } = await foundAfter(ids => [
      `delete from state_changes where id = '${ids.at(-1)}'`,
    ])
    expect(details).toEqual([`a row of state_changes is gone, up to ${ids.at(-1)}`])
  })

  test('detects an inserted act', async () => {
    const early = '01000000-0000-7000-8000-000000000001'
    const { details } = await foundAfter(() => [
      `insert into acts (id, partner_id, at, actor, act, resource, resource_id)
        values ('${early}', '${LENDER_ID}', now(), 'somebody', 'create', 'key', '${early}')`,
    ])
    expect(details).toEqual([`acts ${early} does not fit the chain`])
  })

  test('detects a seal with another hash', async () => {
    const { details } = await foundAfter(() => [
      `update audit_seals set hash = reverse(hash) where record = 'acts'`,
    ])
    expect(details).toEqual(['seal 1 of acts does not fit the chain'])
  })
})
