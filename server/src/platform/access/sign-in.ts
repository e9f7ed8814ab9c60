/** Signs operators in with email, password and, if set up, a code. Limits failed attempts. */
import { hash, verify } from '@node-rs/argon2'
import { sql } from 'kysely'
import { lockNames } from '../db/locks.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { newId, storedPartner } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import type { Device } from './device-cookie.ts'
import { networkOf } from './network.ts'
import { endSessions, insertSignIn, setPassword, setSignInOutcome } from './session-store.ts'
import { openSession, type SignedIn } from './sessions.ts'
import { withPasswordSlot } from './sign-in-turns.ts'
import { recordAudit } from './store-audit.ts'
import { consumeCode } from './totp.ts'

const ALL = { partners: '*', actor: 'service' } as const
const WINDOW_MINUTES = 15
/**
 * Maximum number of failed attempts. `place`: for one email from one address or browser. `email`:
 * for one email from all addresses together. `address`: from one address for all emails. The last
 * two do not apply where the operator has signed in lately.
 */
const FAILED_MAX = { place: 5, email: 20, address: 50 }
/** How long an address stays known after the operator has signed in from it. */
const ADDRESS_KNOWN_DAYS = 90

interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string | null
}

interface Known {
  readonly id: string
  readonly password_hash: string
  readonly totp: boolean
}

/** Makes an unknown email take as long to refuse as a wrong password. */
const unknownOperatorHash = hash('nobody has this password')

interface Origin {
  readonly network: string
  readonly device: Device | null
}

/**
 * Returns the token of a new session. Records the attempt before its password is checked. Throws
 * `sign_in_refused`, `code_required`, `rate_limited` and `not_ready` (see `withPasswordSlot`).
 */
export function signIn(
  database: Database,
  credentials: Credentials,
  origin: Origin,
): Promise<string> {
  const operator_id = origin.device?.operator_ids[0]
  const visitor = operator_id === undefined ? { network: origin.network } : { operator_id }
  return withPasswordSlot(visitor, () => checkCredentials(database, credentials, origin))
}

async function checkCredentials(
  database: Database,
  { password, code, ...credentials }: Credentials,
  { network, device }: Origin,
): Promise<string> {
  const email = credentials.email.trim().toLowerCase()
  const attempt = newId()
  const known = await begin(database, {
    id: attempt,
    email,
    address: network,
    deviceOf: ({ id }) => (device?.operator_ids.includes(id) ? device.id : null),
  })
  const right = await verify(known?.password_hash ?? (await unknownOperatorHash), password)
  if (!known || !right) throw problem('sign_in_refused')
  const ended = await transaction(database, ALL, async tx => {
    const done = await finish(tx, known, code ?? null)
    await setSignInOutcome(tx, attempt, done.outcome)
    return done
  })
  if (ended.outcome === 'DONE') return ended.token
  if (ended.outcome === 'CODE_ASKED') throw problem('code_required')
  throw problem('sign_in_refused', 'E-mail, password or code is wrong.')
}

type Finished =
  | { readonly outcome: 'DONE'; readonly token: string }
  | { readonly outcome: 'REFUSED' | 'CODE_ASKED' | 'CODE_REFUSED' }

/**
 * Opens the session if the code is right or no second factor is set up. Reads the credentials again
 * under a lock: they may have changed while the password was checked.
 */
async function finish(tx: Tx, known: Known, code: string | null): Promise<Finished> {
  const now = await tx.maybe(sql<Known>`
    ${selectKnown} where o.id = ${known.id} and o.disabled_at is null for no key update of s`)
  if (now?.password_hash !== known.password_hash) return { outcome: 'REFUSED' }
  if (now.totp && code === null) return { outcome: 'CODE_ASKED' }
  if (now.totp && !(await consumeCode(tx, now.id, code!))) return { outcome: 'CODE_REFUSED' }
  return { outcome: 'DONE', token: await openSession(tx, now.id) }
}

const selectKnown = sql`
  select o.id, s.password_hash, s.totp_confirmed_at is not null as totp
  from operators o join operator_secrets s on s.operator_id = o.id`

/**
 * Records the attempt as refused until it succeeds, so that concurrent attempts count too. Returns
 * the enabled operator with that email, or null. Throws `rate_limited`.
 */
async function begin(
  database: Database,
  attempt: {
    readonly id: string
    readonly email: string
    readonly address: string
    /** The browser or session that already identifies the operator, if any. */
    readonly deviceOf: (person: Known) => string | null
  },
): Promise<Known | null> {
  const { id, email, address, deviceOf } = attempt
  const { throttled, known } = await transaction(database, ALL, async tx => {
    // Lock the address first: a fixed order avoids deadlocks.
    await lockNames(tx, 'sign-in from', [address])
    await lockNames(tx, 'sign-in', [email])
    const found = await tx.maybe(sql<Known>`
      ${selectKnown} where o.email = ${email} and o.disabled_at is null`)
    const device = found ? deviceOf(found) : null
    const place = { email, address, device }
    if (await triedTooOften(tx, place)) return { throttled: true, known: null }
    await insertSignIn(tx, { id, ...place })
    return { throttled: false, known: found ?? null }
  })
  if (!throttled) return known
  throw problem('rate_limited', `Too many attempts; wait ${WINDOW_MINUTES} minutes.`, {
    retry_after_seconds: WINDOW_MINUTES * 60,
  })
}

interface NewPassword {
  readonly password: string
  readonly new_password: string
}

/**
 * Replaces the password if the current one is right, and ends the operator's other sessions. Throws
 * `sign_in_refused`, `session_missing`, `rate_limited` and `not_ready` (see `withPasswordSlot`).
 */
export function changePassword(
  database: Database,
  person: SignedIn,
  input: NewPassword,
  address: string,
): Promise<void> {
  return withPasswordSlot(person, () => replacePassword(database, person, input, address))
}

async function replacePassword(
  database: Database,
  { operator_id, session_id, email, partner_id }: SignedIn,
  { password, new_password }: NewPassword,
  address: string,
): Promise<void> {
  const attempt = newId()
  // A session has its own count of failures, so attempts elsewhere cannot block it.
  const deviceOf = () => `session ${session_id}`
  const where = { email, address: networkOf(address), deviceOf }
  const known = await begin(database, { id: attempt, ...where })
  if (!known || !(await verify(known.password_hash, password))) throw problem('sign_in_refused')
  const hashed = await hash(new_password)
  await transaction(database, { partners: '*', actor: operator_id }, async tx => {
    await expectUnchanged(tx, known, session_id)
    await setSignInOutcome(tx, attempt, 'DONE')
    await setPassword(tx, operator_id, hashed)
    await endSessions(tx, { operator_id, but: session_id })
    await recordAudit(tx, {
      act: 'change',
      resource: 'password',
      resource_id: operator_id,
      partner_id: storedPartner(partner_id),
    })
  })
}

/**
 * Checks again under the operator's lock: the password may have been reset or the session ended
 * while hashes were computed, and the change must not override that. Throws `sign_in_refused` and
 * `session_missing`.
 */
async function expectUnchanged(tx: Tx, known: Known, session_id: string): Promise<void> {
  await tx.run(sql`select from operators where id = ${known.id} for no key update`)
  const now = await tx.maybe(sql<{ password_hash: string; open: boolean }>`
    select s.password_hash, o.disabled_at is null and exists (select from sessions
      where id = ${session_id} and operator_id = o.id and ended_at is null) as open
    from operators o join operator_secrets s on s.operator_id = o.id where o.id = ${known.id}`)
  if (now?.password_hash !== known.password_hash) throw problem('sign_in_refused')
  if (!now.open) throw problem('session_missing')
}

interface Place {
  readonly email: string
  readonly address: string
  readonly device: string | null
}

/**
 * Whether too many attempts have failed. Counts those of a known browser or session, or else those
 * with this email from this address, since the last success there. From an address where the
 * operator has not signed in lately, also counts those with the email and those from the address.
 * Attempts from elsewhere thus cannot lock an operator out of a known browser or address.
 */
async function triedTooOften(tx: Tx, { email, address, device }: Place): Promise<boolean> {
  const same = device
    ? sql`email = ${email} and device = ${device}`
    : sql`email = ${email} and address = ${address} and device is null`
  const recent = sql`outcome in ('REFUSED', 'CODE_REFUSED')
    and at > now() - make_interval(mins => ${WINDOW_MINUTES})`
  const { place } = await tx.one(sql<{ place: number }>`
    select count(*)::int as place from sign_ins where ${recent} and ${same}
      and at > coalesce((select max(at) from sign_ins where outcome = 'DONE' and ${same}),
        '-infinity')`)
  if (place >= FAILED_MAX.place) return true
  if (device) return false
  const failed = await tx.one(sql<{ email: number; address: number; known: boolean }>`
    select count(*) filter (where email = ${email})::int as email,
      count(*) filter (where address = ${address})::int as address,
      exists (select from sign_ins where email = ${email} and address = ${address}
        and outcome = 'DONE' and at > now() - make_interval(days => ${ADDRESS_KNOWN_DAYS}))
        as known
    from sign_ins where ${recent} and device is null
      and (email = ${email} or address = ${address})`)
  if (failed.known) return false
  return failed.email >= FAILED_MAX.email || failed.address >= FAILED_MAX.address
}
