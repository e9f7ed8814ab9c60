/** Records the statements sent to the database, including those that share a round trip. */
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import type { Database } from '../../src/platform/db/transaction.ts'

export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Runs `work` on a recording database; returns the number of statements it sent, excluding each
 * `begin`, which is sent together with the statement that sets the partner scope.
 */
export async function statementsOf(
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<number> {
  const sent = await sentBy(database, work)
  return sent.filter(({ text }) => !text.startsWith('begin')).length
}

/** Runs `work` on a recording database; returns the statements it sent. */
export async function sentBy(
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<Sent[]> {
  const sent: Sent[] = []
  const connect = async () => {
    const client = await database.pool.connect()
    return new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name !== 'query') return value.bind(target)
        return (...args: [string | Sent, unknown[]?]) => {
          const [query, values = []] = args
          sent.push(typeof query === 'string' ? { text: query, values } : query)
          return Reflect.apply(target.query, target, args)
        }
      },
    })
  }
  const pool = new Proxy(database.pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as ConnectionPool
  await work({ ...database, pool })
  return sent
}
