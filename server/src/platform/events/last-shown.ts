/** Selects the data of a resource's last event, for the views of its events. */
import { type RawBuilder, sql } from 'kysely'

/**
 * The column `last_shown` of a view's query: the resource's data in its last event; null without
 * one. Lets `recordEvents` skip an event that would show the same data. `alias` names the
 * resource's table in the query. `types` is the prefix of its event types, which has an index.
 */
export function lastShown(
  alias: string,
  types: 'CreditLi' | 'CounterpartyCreditLimit' | 'BorrowerFinancialProduct' | 'Installment.',
): RawBuilder<unknown> {
  return sql`(select s.data from events e
    join event_snapshots s on s.partner_id = e.partner_id and s.id = e.snapshot_id
    where e.partner_id = ${sql.ref(`${alias}.partner_id`)}
      and e.resource_id = ${sql.ref(`${alias}.id`)} and e.type like ${sql.lit(`${types}%`)}
    order by e.id desc limit 1) as last_shown`
}
