/** Sessions of operators, identified by a cookie. They expire in real time. */
import { type Role, type Scope, scopes, VERSION_DEFAULT } from '@headroom/contract'
import { sql } from 'kysely'
import { recordWriteRefusal } from '../db/connect.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { coalesceLookups } from '../kit/coalesce-lookups.ts'
import { hexKey, hmacSign, hmacVerify, randomToken, sha256 } from '../kit/crypto.ts'
import { newId } from '../kit/ids.ts'
import { perObject } from '../kit/per-object.ts'
import { problem } from '../kit/problem.ts'
import type { KeyHolder } from './queries.ts'
import { insertSession, markSessionUsed } from './session-store.ts'
import { insertOperatorCaller } from './store.ts'

/** A session ends when it has been idle, or open, for this long. */
const IDLE_MINUTES_MAX = 60
export const OPEN_HOURS_MAX = 12

export interface SignedIn {
  readonly session_id: string
  readonly operator_id: string
  readonly email: string
  readonly role: Role
  /** The only partner whose data the operator sees; null for operators of the lender. */
  readonly partner_id: string | null
  readonly partner_name: string | null
  readonly totp: boolean
  readonly expires_at: Date
}

/** Opens a session and returns its token, which only the operator's browser stores. */
export async function openSession(tx: Tx, operator_id: string): Promise<string> {
  const token = randomToken(32)
  await insertSession(tx, {
    id: newId(),
    operator_id,
    token_hash: sha256(token),
    hours_max: OPEN_HOURS_MAX,
  })
  return token
}

type FoundSession = SignedIn & { readonly stale: boolean }

const finderOf = perObject((database: Database) =>
  coalesceLookups(hashes => lookUpSessions(database, hashes)),
)

/**
 * The operator whose session a token belongs to; null if there is none or it has ended. Concurrent
 * lookups share one connection, so invalid cookies cannot use up the pool.
 */
export async function findSession(database: Database, token: string): Promise<SignedIn | null> {
  const found = await finderOf(database)(sha256(token))
  if (!found) return null
  const { stale, ...person } = found
  if (stale) await noteSessionUse(database, person.session_id)
  return person
}

async function lookUpSessions(
  database: Database,
  hashes: readonly string[],
): Promise<Map<string, FoundSession>> {
  const scope = { partners: '*', read_only: true, purpose: 'session' } as const
  const rows = await transaction(database, scope, tx =>
    tx.all(sql<FoundSession & { token_hash: string }>`
      select s.token_hash, s.id as session_id, o.id as operator_id, o.email, o.role, o.partner_id,
        p.name as partner_name, c.totp_confirmed_at is not null as totp, s.expires_at,
        s.used_at < now() - interval '1 minute' as stale
      from sessions s join operators o on o.id = s.operator_id
      join operator_secrets c on c.operator_id = o.id
      left join partners p on p.id = o.partner_id
      where s.token_hash = any (${hashes}::text[]) and s.ended_at is null
        and o.disabled_at is null and s.expires_at > now()
        and s.used_at > now() - make_interval(mins => ${IDLE_MINUTES_MAX})`),
  )
  return new Map(rows.map(({ token_hash, ...found }) => [token_hash, found]))
}

/** Ignores refused writes, since a full or read-only database can still serve reads. */
async function noteSessionUse(database: Database, session_id: string): Promise<void> {
  const scope = { partners: '*', purpose: 'session', actor: 'service' } as const
  const noted = transaction(database, scope, tx => markSessionUsed(tx, session_id))
  await noted.catch(error => {
    if (!recordWriteRefusal(database.pool, error)) throw error
  })
}

const csrfText = (session_id: string) => `csrf ${session_id}`

/** The token our own pages send with every write; pages of other origins cannot know it. */
export function csrfToken(secret: string, session_id: string): string {
  return hmacSign(csrfText(session_id), hexKey(secret))
}

/** Throws `csrf_refused` when `token` is not the session's. */
export function checkCsrf(secret: string, session_id: string, token: unknown): void {
  const right = typeof token === 'string' && token.length <= 100
  if (right && hmacVerify(csrfText(session_id), token, hexKey(secret))) return
  throw problem('csrf_refused')
}

const READS = scopes.filter(scope => scope.endsWith(':read'))
/** Scopes reserved for a partner's administrators. */
const ADMINS: readonly Scope[] = ['keys:write', 'webhooks:write']

function scopesOf(role: Role): ReadonlySet<Scope> {
  if (role === 'viewer') return new Set(READS)
  return new Set(role === 'admin' ? scopes : scopes.filter(scope => !ADMINS.includes(scope)))
}

/**
 * The caller that represents an operator at a partner: the operator's own partner or, for an
 * operator of the lender, the one in `requested`. Throws `resource_unknown` if there is none or the
 * operator may not act for it.
 */
export async function callerOf(
  database: Database,
  person: SignedIn,
  requested: string | null,
): Promise<KeyHolder> {
  const partner_id = person.partner_id ?? requested
  if (partner_id === null || (requested !== null && requested !== partner_id)) {
    throw problem('resource_unknown', 'Name the partner in the header Headroom-Partner.')
  }
  return transaction(database, { partners: '*', purpose: 'desk', actor: 'service' }, async tx => {
    const partner = await tx.maybe(sql<{ status: string; people_need_decisions: boolean }>`
      select status, people_need_decisions from partners where id = ${partner_id}`)
    if (!partner) throw problem('resource_unknown', `There is no partner ${partner_id}.`)
    return {
      caller_id: await insertOperatorCaller(tx, partner_id, person),
      partner_id,
      key_id: null,
      actor: 'human',
      scopes: scopesOf(person.role),
      version: VERSION_DEFAULT,
      borrower_id: null,
      partner_suspended: partner.status === 'SUSPENDED',
      people_need_decisions: partner.people_need_decisions,
    }
  })
}
