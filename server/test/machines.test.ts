/** The state machines are consistent, and match the database and the docs. */
import { readFileSync } from 'node:fs'
import { type Machine, type MachineName, machines } from '@headroom/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { machinesPage } from '../../scripts/machines-page.ts'
import { statusColumns } from '../src/platform/db/move.ts'
import { next, triggersFrom } from '../src/platform/kit/machine.ts'
import { testDatabase } from './support/database.ts'

const COLUMNS = statusColumns()

/** Similarly named columns without a machine, and their content. */
const OTHERS = {
  'partners.status': 'set by operators',
  'shared_transactions.state': 'what partners say of a transaction',
  'sandbox_cards.state': 'what the sandbox processor has set',
  'sandbox_compliance.status': 'what the sandbox is to say',
}

const all = Object.entries(machines) as [MachineName, Machine][]

describe.each(all)('%s', (_name, machine) => {
  const { initial, statuses, transitions } = machine

  test('names only its own statuses, each once', () => {
    expect(new Set(statuses).size).toBe(statuses.length)
    const named = [initial, ...transitions.flatMap(t => [t.from, t.to])]
    expect(named.filter(status => !statuses.includes(status))).toEqual([])
  })

  test('has one target per status and trigger, never the same status', () => {
    const steps = transitions.map(t => `${t.from} ${t.trigger}`)
    expect(new Set(steps).size).toBe(steps.length)
    expect(transitions.filter(t => t.from === t.to)).toEqual([])
  })

  test('reaches every status from its initial one', () => {
    const reached = new Set([initial])
    for (const at of reached) {
      for (const trigger of triggersFrom(machine, at)) reached.add(next(machine, at, trigger)!)
    }
    expect([...reached].sort()).toEqual([...statuses].sort())
  })

  test('allows exactly the transitions of its table', () => {
    const triggers = [...new Set(transitions.map(t => t.trigger))]
    const allowed = statuses.flatMap(status =>
      triggers
        .filter(trigger => next(machine, status, trigger) !== null)
        .map(trigger => `${status} ${trigger} ${next(machine, status, trigger)}`),
    )
    const written = transitions.map(t => `${t.from} ${t.trigger} ${t.to}`)
    expect(allowed.sort()).toEqual(written.sort())
    for (const status of statuses) {
      expect(triggersFrom(machine, status).every(t => next(machine, status, t))).toBe(true)
      expect(next(machine, status, 'no such trigger')).toBeNull()
    }
  })
})

describe('in the database', () => {
  /** The values allowed by a column's check constraint, by `table.column`. */
  const allowed = new Map<string, string[]>()

  beforeAll(async () => {
    const pool = await testDatabase('migrated')
    const { rows } = await pool.query<{ place: string; check: string | null }>(`
      select c.table_name || '.' || c.column_name as place, pg_get_constraintdef(o.oid) as check
      from information_schema.columns c
      join pg_class t on t.relname = c.table_name and t.relnamespace = 'public'::regnamespace
      join pg_attribute a on a.attrelid = t.oid and a.attname = c.column_name
      left join pg_constraint o on o.conrelid = t.oid and o.contype = 'c'
        and o.conkey = array[a.attnum]
      where c.table_schema = 'public' and c.data_type = 'text'
        and c.column_name in ('status', 'state')`)
    for (const { place, check } of rows) {
      allowed.set(place, [...(check ?? '').matchAll(/'([^']+)'::text/g)].map(m => m[1]!).sort())
    }
  })

  test.each(all)('the statuses of %s match its column', (name, { statuses }) => {
    expect(allowed.get(COLUMNS[name])).toEqual([...statuses].sort())
  })

  test('no other column holds a status', () => {
    const known = [...Object.values(COLUMNS), ...Object.keys(OTHERS)]
    expect([...allowed.keys()].sort()).toEqual(known.sort())
  })
})

test('docs/machines.md matches the output of `npm run generate`', () => {
  const page = readFileSync(new URL('../../docs/machines.md', import.meta.url), 'utf8')
  expect(page).toBe(machinesPage())
})
