/**
 * Deliberate faults, each like a bug in the service or at the bank, to test that the checks detect
 * them.
 */
import type pg from 'pg'
import type { Day } from '../../server/src/platform/kit/dates.ts'
import { LENDER_ID } from '../../server/src/platform/kit/ids.ts'
import { checkWorld } from '../scenario/checks/index.ts'
import { Violation, type World } from '../scenario/world.ts'

export type FaultName = keyof typeof FAULTS

/** The statements that plant each fault, run directly on the database one evening. */
const FAULTS = {
  /** An entry disappears from the ledger with all its postings. */
  lost_posting: [
    'alter table ledger_postings disable trigger user',
    'alter table ledger_entries disable trigger user',
    'alter table ledger_seals disable trigger user',
    `create temp table lost as select p.entry_id from ledger_postings p
       join ledger_entries e on e.partner_id = p.partner_id and e.id = p.entry_id
         and e.kind = 'payout'
       join ledger_accounts a on a.partner_id = '${LENDER_ID}' and a.id = p.account_id
       where a.code = 'bank_cash' limit 1`,
    `with unsealed as (delete from ledger_unsealed where entry_id in (select entry_id from lost)),
       sealed as (delete from ledger_seals where entry_id in (select entry_id from lost))
       delete from ledger_postings where entry_id in (select entry_id from lost)`,
    'delete from ledger_entries where id in (select entry_id from lost)',
  ],
  /** The bank executes one payout twice. */
  double_payout: [
    `create temp table again as select i.*, gen_random_uuid() as new_id
       from sandbox_bank_instructions i join payments p on p.id = i.payment_id
       where p.payment_type = 'LOAN_PAYMENT' and i.state = 'SETTLED' limit 1`,
    `insert into sandbox_bank_statement
       (id, kind, instruction_id, payment_id, account, direction, amount, booked_on, value_on, raw,
         created_at, told_at)
     select new_id, 'SETTLED', id, payment_id, account, direction, amount, settled_on, settled_on,
       '{}', now(), now() from again`,
  ],
  /** A stored bank order names another day than the order that the bank received. */
  altered_order: [
    'alter table bank_orders disable trigger user',
    `update bank_orders set content = jsonb_set(content::jsonb, '{requested_on}',
         to_jsonb((content ->> 'requested_on')::date + 1))::json
       where id in (select o.id from bank_orders o
         join sandbox_bank_orders s on s.payment_id = o.id order by o.id limit 1)`,
  ],
  /** From then on, every bill line charges a cent too much. */
  interest_off_by_a_cent: [
    `create function plant_cent() returns trigger language plpgsql as
       $$ begin new.amount := new.amount + 1; return new; end $$`,
    `create trigger plant_cent before insert on bill_lines
       for each row execute function plant_cent()`,
  ],
  /**
   * Payouts stop. From then on, each change of a credit line cuts its limit to at most €20,000 and
   * clears its reserved amount.
   */
  overdrawn_line: [
    `insert into operators (id, email, role, created_at)
       values (gen_random_uuid(), 'planted@example.org', 'admin', now())`,
    `insert into kill_switches (id, partner_id, kind, reason, thrown_by, thrown_at)
       select gen_random_uuid(), '${LENDER_ID}', 'payouts', 'planted', id,
         (select max(at) from state_changes) from operators limit 1 on conflict do nothing`,
    `create function plant_oblivion() returns trigger language plpgsql as
       $$ begin new.reserved := 0; new.pool_amount := least(new.pool_amount, 2000000);
          return new; end $$`,
    `create trigger plant_oblivion before update on credit_lines
       for each row execute function plant_oblivion()`,
  ],
  /** One event of a loan is missing from the feed. */
  lost_event: [
    `create temp table untold as select p.event_id from event_positions p
       join events e on e.id = p.event_id where e.type like 'Loan.%' order by p.position limit 1`,
    'alter table event_positions disable trigger user',
    'delete from event_positions where event_id in (select event_id from untold)',
  ],
  /** A scheduled debit takes a cent more than the loan owes. */
  greedy_debit: [
    `update payments set amount = amount + 1 where id in (select id from payments
       where payment_type = 'REPAYMENT_NOMINAL' and direction = 'IN' and status = 'SCHEDULED'
         and loan_id is not null order by id limit 1)`,
  ],
  /** A job stays leased although no process works on it. */
  lost_job: [
    `insert into jobs (id, name, data, turn_of, held_until, is_leased)
       select gen_random_uuid(), 'send_mail',
         jsonb_build_object('partner_id', partner_id, 'mail_id', id), id, 'infinity', true
       from mails where sent_at is not null order by id limit 1`,
  ],
  /** A wallet's balance gains a cent without a deposit. */
  robbed_wallet: [
    `update sandbox_bank_wallets set balance = balance + 1 where account_number in
       (select account_number from sandbox_bank_wallets order by account_number limit 1)`,
  ],
  /** Payouts were sent although a kill switch was activated before the first one. */
  ignored_switch: [
    `insert into operators (id, email, role, created_at)
       values (gen_random_uuid(), 'planted@example.org', 'admin', now())`,
    `insert into kill_switches (id, partner_id, kind, reason, thrown_by, thrown_at)
       select gen_random_uuid(), '${LENDER_ID}', 'payouts', 'planted', id, '2031-01-01'
         from operators limit 1 on conflict do nothing`,
  ],
  /** A transfer was received, but its loan again owes what the transfer repaid. */
  vanished_money: [
    `with gone as (select m.loan_id, m.principal from loan_movements m
         join payments p on p.id = m.payment_id and p.payment_method = 'SCT'
         where m.kind = 'REPAYMENT' and m.principal > 0 and m.voided_at is null
         order by m.id limit 1)
       update loans l set principal_outstanding = principal_outstanding + gone.principal,
         principal_repaid = principal_repaid - gone.principal
       from gone where l.id = gone.loan_id`,
  ],
  /** A refund was paid from money that was not surplus, but its loan does not owe it again. */
  forgotten_refund: [
    `update loans set principal_outstanding = principal_outstanding - refunds_reclaimed
       where id in (select id from loans where refunds_reclaimed > 0
         and principal_outstanding >= refunds_reclaimed order by id limit 1)`,
  ],
  /** A loan is written off with a loss that is a cent too small. */
  smaller_loss: [
    `update loans set written_off_on = paid_out_on, principal_written_off = amount - 1,
       principal_outstanding = 0, status = 'CLOSED' where id in (select id from loans
         where status = 'TO_REPAY' and principal_repaid = 0 order by id limit 1)`,
  ],
} as const

/** The rule reported when a life has no rows yet to plant the fault in. */
export const TOO_YOUNG = 'the life is too young for the fault'

/** Plants one fault. Throws a `Violation` of `TOO_YOUNG` if a statement affects no row. */
export async function plantFault(fault: FaultName, aside: pg.Pool): Promise<void> {
  const client = await aside.connect()
  try {
    await plantBy(client, fault)
  } finally {
    client.release(true)
  }
}

async function plantBy(client: pg.PoolClient, fault: FaultName): Promise<void> {
  for (const statement of FAULTS[fault]) {
    // Statements that change no rows, such as `alter table`, have no row count.
    const { rowCount } = await client.query(statement)
    if (rowCount === 0) throw new Violation(TOO_YOUNG, `${fault} finds no row: ${statement}`)
  }
}

/** What an evening's checks found with a planted fault: the first broken rule, if any. */
export interface FaultResult {
  readonly rule: string | null
  readonly detail: string
}

/** Plants a fault, runs the evening checks and rolls the fault back. */
export async function tryFault(
  fault: FaultName,
  world: World,
  aside: pg.Pool,
  day: Day,
): Promise<FaultResult> {
  const client = await aside.connect()
  try {
    await client.query('begin')
    await plantBy(client, fault)
    await checkWorld(evening(world), client, day)
    return { rule: null, detail: 'no rule is broken' }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { rule: error.rule, detail: error.message }
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A copy of what the checks remember, so that a trial does not affect later evenings. */
function evening(world: World): World {
  const { exposures, forced, resumed, taken_back } = world
  const memories = { exposures: new Map(exposures), taken_back: new Map(taken_back) }
  return { ...world, ...memories, forced: new Map(forced), resumed: new Set(resumed) }
}
