/** The pool of connections, and how PostgreSQL's types become ours. */
import pg from 'pg'
import { TurnSocket } from './turn-socket.ts'

/** int8 is cents: exact. Days stay text; the driver would make local midnights of them. */
const INT8 = 20
const DATE = 1082
const NUMERIC = 1700

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && (oid === INT8 || oid === NUMERIC)) return BigInt
    if (oid === DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

/** More connections than this make two cores slower, not faster. */
const POOL_MAX = 12

/**
 * Opens a pool. A server that goes away is logged, and the next query connects anew. Statements
 * that do not wait for each other's answers share a round trip (`pipeline`); COPY cannot.
 */
export function connect(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
  pipeline = true,
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    types,
    pipeline,
    stream: () => new TurnSocket(),
    max: POOL_MAX,
    application_name: 'headroom',
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 120_000,
  })
  pool.on('error', onError)
  // One that is lost while a transaction thinks must not end the process: its next query fails.
  pool.on('connect', client => client.on('error', onError))
  // A prepared statement is planned once: lists of ids would have it planned anew for each list.
  pool.on('connect', client => {
    client.query('set plan_cache_mode = force_generic_plan').catch(onError)
  })
  return pool
}
