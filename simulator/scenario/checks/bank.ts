/**
 * Compares our books with the bank's records, and with what the service acknowledged to clients.
 */
import { LENDER_ID } from '../../../server/src/platform/kit/ids.ts'
import { Violation, type World } from '../world.ts'
import { expectNone, type Rows } from './rows.ts'

/**
 * Every job is done, all news is booked, every card order is answered and every event has its
 * position.
 */
export async function nothingPending(rows: Rows): Promise<void> {
  const waits = await rows(`
    select name as waits from jobs
    union all select 'bank news' from bank_news where booked_at is null
    union all select 'card news' from card_news where booked_at is null
    union all select 'card order' from card_orders where answered_at is null
    union all select 'event' from events_unplaced`)
  expectNone('something is left undone', waits)
}

/**
 * Our cash on each account equals the bank's to the cent: nothing is lost or paid twice. After a
 * crash, the service may already have received news that the bank still records as undelivered.
 */
export async function bankAgrees(rows: Rows): Promise<void> {
  const sums = await rows<{ iban: string; bank: bigint; books: bigint }>(`
    select a.iban,
      (select coalesce(sum(case s.direction when 'IN' then s.amount else -s.amount end), 0)::bigint
        from sandbox_bank_statement s
        where s.account = any(a.roles) and s.direction is not null and (s.told_at is not null
          or exists (select from bank_news n where n.bank_reference = s.id::text))) as bank,
      (select coalesce(sum(p.amount), 0)::bigint from ledger_postings p
        join ledger_accounts c on c.partner_id = '${LENDER_ID}' and c.id = p.account_id
        where c.code = 'bank_cash' and c.owner_id = a.id) as books
    from bank_accounts a order by a.iban`)
  const wrong = sums.find(({ bank, books }) => bank !== books)
  if (wrong) {
    const { iban, bank, books } = wrong
    const detail = `account ${iban}: ${books} and ${bank} cents`
    throw new Violation('the books have other cash than the bank', detail)
  }
}

/**
 * Every statement that the bank has closed and sent is booked, and cash by the bank's booking date
 * equals its closing balance on each of those days. No alert says otherwise.
 */
export async function daysTieOut(rows: Rows): Promise<void> {
  const wrong = await rows(`
    select c.role, c.to_on, c.closing, t.ledger, t.result from sandbox_bank_closings c
    join bank_accounts a on c.role = any(a.roles)
    left join tie_outs t on t.bank_account_id = a.id and t.day = c.to_on
    where c.told_at is not null
      and (t.result, t.ledger, t.closing) is distinct from ('TIED', c.closing, c.closing)
    union all
    select kind, null, null, null, detail from alerts where cleared_at is null and kind in (
      'statement_refused', 'statement_conflict', 'statement_gap', 'tie_out_difference')`)
  expectNone('a day does not tie out', wrong)
}

/**
 * Every order at the bank is as we stored it before the first attempt, and each payment matches its
 * order.
 */
export async function ordersAreStored(rows: Rows): Promise<void> {
  const altered = await rows(`
    with stored as (select id, content from bank_orders union all
      select id, content from lender_orders)
    select o.payment_id, o.content, s.content as stored from sandbox_bank_orders o
    left join stored s on s.id = o.payment_id
    where s.id is null or s.content::text <> o.content::text
    union all
    select p.id, null, o.content from bank_orders o
    join payments p on p.partner_id = o.partner_id and p.id = o.id
    where (p.amount::text, p.scheduled_on::text) is distinct from
        (o.content ->> 'amount', o.content ->> 'requested_on')
      or o.content -> 'counterparty' ->> 'iban' is distinct from
        case p.direction when 'OUT' then p.to_account else p.from_account end
          ->> 'account_number'`)
  expectNone('an order is not what we stored', altered)
}

/** A wallet's balance is its deposits, payouts and refunds, less its debits, and never negative. */
export async function walletsAgree({ wallets }: World, rows: Rows): Promise<void> {
  const wrong = await rows(
    `select w.account_number, w.balance, e.balance as exact from sandbox_bank_wallets w
     join lateral (select coalesce((select u.amount from unnest($1::text[], $2::bigint[])
         as u (account_number, amount) where u.account_number = w.account_number), 0)
       + coalesce((select sum(case i.direction when 'OUT' then i.amount else -i.amount end)
         from sandbox_bank_instructions i
         where i.counterparty_iban = w.account_number and i.state = 'SETTLED'), 0)
       as balance) e on true
     where w.balance < 0 or w.balance <> e.balance`,
    [[...wallets.keys()], [...wallets.values()]],
  )
  expectNone('a wallet holds something else', wrong)
}

export async function paidOnce(rows: Rows): Promise<void> {
  const twice = await rows(`
    select p.loan_id, count(*)::int from sandbox_bank_instructions i
    join payments p on p.id = i.payment_id and p.payment_type = 'LOAN_PAYMENT'
    where i.state = 'SETTLED' group by 1 having count(*) > 1`)
  expectNone('a loan is paid out twice', twice)
  const salts = await rows(`
    select salt_id, count(*)::int from loans where salt_id is not null
    group by partner_id, salt_id having count(*) > 1`)
  expectNone('one salt made two loans', salts)
}

export async function acknowledgedWritesExist(world: World, rows: Rows): Promise<void> {
  const { loans, borrowers, invoices, cards } = world
  const ids = (things: readonly { id: string }[]) => things.map(one => one.id)
  const lost = await rows(
    `select a.id from unnest($1::uuid[]) a (id) where not exists (select from loans l
       where l.id = a.id) union all
     select a.id from unnest($2::uuid[]) a (id) where not exists (select from borrowers b
       where b.id = a.id) union all
     select a.id from unnest($3::uuid[]) a (id) where not exists (select from invoices i
       where i.id = a.id) union all
     select a.id from unnest($4::uuid[]) a (id) where not exists (select from cards c
       where c.id = a.id)`,
    [ids(loans), ids(borrowers), ids(invoices), ids(cards)],
  )
  expectNone('an acknowledged write is missing', lost)
}
