/** Verification finds payments and returns that differ from their stored orders. */
import { expect, test } from 'vitest'
import { createHistory } from './history.ts'
import { checksThatFail } from './with-tampering.ts'

const NOWHERE = '01a00000-0000-7000-8000-000000000001'

const { app } = await createHistory()

test.each([
  [
    'an order for another day than its payment',
    [
      'alter table bank_orders disable trigger user',
      `update bank_orders set content = jsonb_set(content::jsonb, '{requested_on}',
          to_jsonb((content ->> 'requested_on')::date + 1))::json`,
    ],
    ['payment_order'],
  ],
  [
    'an order to another account than the payment',
    [
      `update payments set to_account = to_account || '{"account_number": "FR00"}'
        where payment_type = 'LOAN_PAYMENT'`,
    ],
    ['payment_order'],
  ],
  [
    'an order in the other direction',
    [
      'alter table bank_orders disable trigger user',
      `update bank_orders set content = jsonb_set(content::jsonb, '{direction}', '"IN"')::json
        where content ->> 'direction' = 'OUT'`,
    ],
    ['payment_order'],
  ],
  [
    'an order to the processor over another amount',
    [
      `insert into processor_payments
          (id, processor, to_iban, to_name, amount, status, scheduled_on, created_at)
        values ('${NOWHERE}', 'sandbox', 'FR00', '', 2, 'FAILED', '2027-01-11', now())`,
      `insert into lender_orders (id, content, stored_at) values ('${NOWHERE}',
        '{"amount": "1", "direction": "OUT", "counterparty": {"iban": "FR00"},
          "requested_on": "2027-01-11"}', now())`,
    ],
    ['history', 'processor_order'],
  ],
  [
    'an order to return a suspense item over another amount',
    [
      `update suspense_items set return_order_id = '${NOWHERE}'
        where id = (select id from suspense_items limit 1)`,
      `insert into lender_orders (id, content, stored_at)
        select '${NOWHERE}', json_build_object('amount', (s.amount + 1)::text, 'direction', 'OUT',
          'counterparty', json_build_object('iban', n.raw ->> 'from_iban')), now()
        from suspense_items s join bank_news n on n.id = s.bank_news_id
        where s.return_order_id = '${NOWHERE}'`,
    ],
    ['return_order'],
  ],
])('%s', async (_, statements, checks) => {
  expect(await checksThatFail(app, ...statements)).toEqual(checks)
})
