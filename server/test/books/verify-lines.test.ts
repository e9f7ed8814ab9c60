/**
 * A bill whose figures contradict its printed lines is detected, and the database refuses such
 * changes.
 */
import { beforeAll, expect, test } from 'vitest'
import { transaction } from '../../src/platform/db/transaction.ts'
import { createHistory, type History } from './history.ts'
import { checksThatFail } from './with-tampering.ts'

const UNGUARDED = 'alter table bill_lines disable trigger user'
const OF_LOAN = 'where loan_id in (select id from loans where amount = 200000)'

let history: History
beforeAll(async () => {
  history = await createHistory()
})

test.each([
  [
    'a printed line that does not follow from its principal, rate and days',
    `update bill_lines set printed = jsonb_set(printed, '{0,days}', '28') ${OF_LOAN}`,
    ['line_formula'],
  ],
  [
    'a printed line with another amount',
    `update bill_lines set printed = jsonb_set(printed, '{0,amount}', '28') ${OF_LOAN}`,
    ['line_formula', 'line_printed'],
  ],
  [
    'an adjustment without the bill it corrects',
    `update bill_lines set printed = jsonb_set(printed, '{0,kind}', '"ADJUSTMENT"') ${OF_LOAN}`,
    ['line_adjusts'],
  ],
  [
    'a rounding that does not follow from its figures',
    `update bill_lines set printed = (printed - 0) || jsonb_build_object('kind', 'ROUNDING',
      'component', 'INTEREST', 'days', 0, 'amount', printed->0->'amount',
      'exact_to_date_microcents', 1, 'billed_before', 0) ${OF_LOAN}`,
    ['line_rounding'],
  ],
  [
    'a negative line that credits another amount',
    `update bill_lines set amount = -amount, paid = -amount, credited = 1 - amount ${OF_LOAN}`,
    ['bill_total', 'credit_settles', 'line_printed', 'loan_billed'],
  ],
  [
    'more credited than settled',
    `update bill_lines set credited = paid + 1 ${OF_LOAN}`,
    ['line_lapsed'],
  ],
])('verify finds %s', async (_, statement, checks) => {
  expect(await checksThatFail(history.app, UNGUARDED, statement)).toEqual(checks)
})

test.each([
  ['prints', `update bill_lines set printed = '[]'`, /stay as they are/],
  ['asks for', 'update bill_lines set amount = amount + 1', /stay as they are/],
  ['has', 'delete from bill_lines', /stay as they are/],
  ['is numbered', `update bills set invoice_number = invoice_number || 'X'`, /keeps its number/],
])('the database refuses to change what a sent bill %s', async (_, statement, refusal) => {
  const work = transaction(history.app.context.database, { partners: '*', actor: 'service' }, tx =>
    tx.raw(statement),
  )
  await expect(work).rejects.toThrow(refusal)
})
