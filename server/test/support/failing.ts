/** Databases that fail on purpose just before a commit. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../src/platform/db/transaction.ts'

/** Fails every transaction after which the SQL condition would be true. */
export function failingWhere(database: Database, condition: RawBuilder<unknown>): Database {
  return {
    ...database,
    beforeCommit: [
      ...database.beforeCommit,
      async tx => {
        await tx.flush()
        const { so } = await tx.one(sql<{ so: boolean }>`select (${condition}) as so`)
        if (so) throw new Error('it fails here')
      },
    ],
  }
}

/** Fails the nth transaction and all later ones, as if the process had been killed. */
export function failingFrom(database: Database, number: number): Database {
  let count = 0
  const fail = async () => {
    count += 1
    if (count >= number) throw new Error('it fails here')
  }
  return { ...database, beforeCommit: [...database.beforeCommit, fail] }
}
