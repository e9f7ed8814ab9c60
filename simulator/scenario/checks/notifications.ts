/** Checks events and emails: complete, in order, and without duplicates. */
import { eventTypes } from '@headroom/contract'
import type { World } from '../world.ts'
import { expectNone, type Rows } from './rows.ts'

const TYPES = Object.keys(eventTypes)
const RESOURCES = {
  loan: 'Loan',
  payment: 'Payment',
  bill: 'Bill',
  invoice: 'Invoice',
  card: 'Card',
  card_entry: 'CardEntry',
  borrower: 'Borrower',
}

/**
 * Each status change that has an event type has one event, and the feed lists the events of a
 * resource in order.
 */
export async function eventsMatchChanges(rows: Rows): Promise<void> {
  const wrong = await rows(
    `with changes as (
       select c.resource_id, r.event || '.' || upper(c.to_status) as type,
         row_number() over (partition by c.resource_id order by c.id) as place
       from state_changes c
       join unnest($1::text[], $2::text[]) as r (resource, event) on r.resource = c.resource
       where c.trigger <> 'amend' and r.event || '.' || upper(c.to_status) = any ($3::text[])),
     told as (
       select e.resource_id, e.type,
         row_number() over (partition by e.resource_id order by p.position) as place
       from event_positions p join events e on e.id = p.event_id
       where e.type in (select type from changes))
     select coalesce(c.resource_id, t.resource_id) as id, c.type as happened, t.type as told
     from changes c full join told t on t.resource_id = c.resource_id and t.place = c.place
     where c.type is distinct from t.type order by 1 limit 1`,
    [Object.keys(RESOURCES), Object.values(RESOURCES), TYPES],
  )
  expectNone('an event does not tell what happened', wrong)
}

/**
 * Every email is sent or refused, and only once per process; after a crash, the next process may
 * send it again.
 */
export async function mailsOnce({ app }: World, rows: Rows): Promise<void> {
  const unsent = await rows(
    'select id, subject from mails where sent_at is null and refused_at is null',
  )
  expectNone('a mail is not sent', unsent)
  const twice = [...app.mails].filter(([, times]) => times > 1)
  expectNone('a mail is sent twice', twice)
}
