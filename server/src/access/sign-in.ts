/** Signing in: by e-mail, password and, once it is set up, a code; who tries too often waits. */
import { hash, verify } from '@node-rs/argon2'
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { newId } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import { endSessions, insertSignIn, setPassword, setSignInOutcome } from './session-store.ts'
import { openSession, type SignedIn } from './sessions.ts'
import { recordAct } from './store-acts.ts'
import { takeCode } from './totp.ts'

/** Within a quarter of an hour, before it has to be waited. */
const WINDOW_MINUTES = 15
/** Of one person from one address; of one person from anywhere; from one address for anybody. */
const FAILED_MAX = { both: 5, email: 20, address: 50 }

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

/** So that an unknown e-mail takes as long to refuse as a wrong password. */
const nobodysHash = hash('nobody has this password')

/**
 * Answers the token of a new session. Every attempt is kept. Throws `sign_in_refused`,
 * `code_required` and `rate_limited`.
 */
export async function signIn(
  database: Database,
  { password, code, ...credentials }: Credentials,
  address: string,
): Promise<string> {
  const email = credentials.email.trim().toLowerCase()
  const attempt = newId()
  const known = await begin(database, { id: attempt, email, address })
  const right = await verify(known?.password_hash ?? (await nobodysHash), password)
  if (!known || !right) throw problem('sign_in_refused')
  const ended = await transaction(database, { partners: '*' }, async tx => {
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
 * What comes after the right password: a session, unless a code stands before it. Looked at again
 * under a lock: password and second factor may have changed while the hash was counted.
 */
async function finish(tx: Tx, known: Known, code: string | null): Promise<Finished> {
  const now = await tx.maybe(sql<Known>`
    ${selectKnown} where o.id = ${known.id} and o.disabled_at is null for no key update of s`)
  if (now?.password_hash !== known.password_hash) return { outcome: 'REFUSED' }
  if (now.totp && code === null) return { outcome: 'CODE_ASKED' }
  if (now.totp && !(await takeCode(tx, now.id, code!))) return { outcome: 'CODE_REFUSED' }
  return { outcome: 'DONE', token: await openSession(tx, now.id) }
}

const selectKnown = sql`
  select o.id, s.password_hash, s.totp_confirmed_at is not null as totp
  from operators o join operator_secrets s on s.operator_id = o.id`

/**
 * Keeps the attempt, as refused until it has succeeded: many at once count too. Answers who has the
 * e-mail, or null; throws `rate_limited`.
 */
async function begin(
  database: Database,
  attempt: { id: string; email: string; address: string },
): Promise<Known | null> {
  const { email, address } = attempt
  const { throttled, known } = await transaction(database, { partners: '*' }, async tx => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`sign in ${email}`}, 0))`)
    if (await triedTooOften(tx, email, address)) return { throttled: true, known: null }
    await insertSignIn(tx, attempt)
    const found = await tx.maybe(sql<Known>`
      ${selectKnown} where o.email = ${email} and o.disabled_at is null`)
    return { throttled: false, known: found ?? null }
  })
  if (!throttled) return known
  throw problem('rate_limited', `Too many attempts; wait ${WINDOW_MINUTES} minutes.`, {
    retry_after_seconds: WINDOW_MINUTES * 60,
  })
}

/** Sets a new password where the old one is right, and ends the person's other sessions. */
export async function changePassword(
  database: Database,
  { operator_id, session_id, email, partner_id }: SignedIn,
  { password, new_password }: { password: string; new_password: string },
  address: string,
): Promise<void> {
  const attempt = newId()
  const known = await begin(database, { id: attempt, email, address })
  if (!known || !(await verify(known.password_hash, password))) throw problem('sign_in_refused')
  const hashed = await hash(new_password)
  await transaction(database, { partners: '*' }, async tx => {
    await setSignInOutcome(tx, attempt, 'DONE')
    await setPassword(tx, operator_id, hashed)
    await endSessions(tx, { operator_id, but: session_id })
    const what = { resource: 'password', resource_id: operator_id, partner_id }
    await recordAct(tx, { actor: operator_id, act: 'change', ...what })
  })
}

/** What failed since the person last succeeded, or in the last quarter of an hour. */
async function triedTooOften(tx: Tx, email: string, address: string): Promise<boolean> {
  const since = sql`greatest(now() - make_interval(mins => ${WINDOW_MINUTES}),
    (select max(at) from sign_ins where email = ${email} and address = ${address}
      and outcome = 'DONE'))`
  const failed = await tx.one(sql<typeof FAILED_MAX>`
    select count(*) filter (where email = ${email} and address = ${address} and at > ${since})::int
        as both,
      count(*) filter (where email = ${email})::int as email,
      count(*) filter (where address = ${address})::int as address
    from sign_ins where outcome in ('REFUSED', 'CODE_REFUSED')
      and (email = ${email} or address = ${address})
      and at > now() - make_interval(mins => ${WINDOW_MINUTES})`)
  return (
    failed.both >= FAILED_MAX.both ||
    failed.email >= FAILED_MAX.email ||
    failed.address >= FAILED_MAX.address
  )
}
