/** Work on many rows in restartable pieces: a transaction each, so that none waits for all. */
import { type Database, type Tx, transaction } from './transaction.ts'

/** Runs `slice` until it finds nothing more to do; answers how much there was in all. */
export async function inSlices(
  database: Database,
  slice: (tx: Tx) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const done = await transaction(database, { partners: '*' }, slice)
    if (done === 0) return total
    total += done
  }
}
