/** Ends a process at a chosen moment: at a commit, a statement, or a step of the bank's side. */
import type { Database } from '../../../src/platform/db/transaction.ts'
import type { FileExchange, FileTransport } from './support.ts'

export class Crash extends Error {}

/** Counts the moments at which a process could die, and ends at one of them. */
export class Fuse {
  passed = 0
  is_out = false
  private readonly last: number

  constructor(last: number) {
    this.last = last
  }

  burn(): void {
    // Once out, the process is dead: nothing else happens either.
    if (this.is_out || this.passed++ === this.last) {
      this.is_out = true
      throw new Crash('killed')
    }
  }
}

/** Ends before a commit, and between commits. */
export function fusedDatabase(database: Database, fuse: Fuse): Database {
  const burn = async () => fuse.burn()
  return { ...database, beforeCommit: [...database.beforeCommit, burn] }
}

/** Ends before and after each operation of the bank's side. */
export function fusedExchange(exchange: FileExchange, fuse: Fuse): FileExchange {
  const around = async <T>(work: () => Promise<T>) => {
    fuse.burn()
    const found = await work()
    fuse.burn()
    return found
  }
  return {
    during: work =>
      exchange.during(transport => {
        const fused: FileTransport = {
          deliver: (name, bytes) => around(() => transport.deliver(name, bytes)),
          list: () => around(() => transport.list()),
          fetch: (name, path) => around(() => transport.fetch(name, path)),
          archive: (name, sha256) => around(() => transport.archive(name, sha256)),
        }
        return work(fused)
      }),
  }
}

/** Ends before any statement. */
export function fusedStatements(database: Database, fuse: Fuse): Database {
  return { ...database, beforeStatement: async () => fuse.burn() }
}
