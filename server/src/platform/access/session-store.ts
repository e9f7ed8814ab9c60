/** The only SQL that writes sessions, attempts to sign in, and what people sign in with. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

export async function insertSession(
  tx: Tx,
  row: { id: string; operator_id: string; token_hash: string; hours_max: number },
): Promise<void> {
  await tx.run(sql`
    insert into sessions (id, operator_id, token_hash, created_at, used_at, expires_at)
    values (${row.id}, ${row.operator_id}, ${row.token_hash}, now(), now(),
      now() + make_interval(hours => ${row.hours_max}))`)
}

export async function markSessionUsed(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update sessions set used_at = now() where id = ${id}`)
}

/** Ends one session, or all of a person, `but` that one where it is named. */
export async function endSessions(
  tx: Tx,
  which: { readonly id: string } | { readonly operator_id: string; readonly but?: string },
): Promise<void> {
  const ended =
    'id' in which
      ? sql`id = ${which.id}`
      : sql`operator_id = ${which.operator_id} and id is distinct from ${which.but ?? null}::uuid`
  await tx.run(sql`update sessions set ended_at = now() where ended_at is null and ${ended}`)
}

/** Takes out those that ended, or ran out, more than so many real days ago; answers how many. */
export async function deleteSessions(tx: Tx, days: number): Promise<number> {
  return tx.run(sql`
    delete from sessions
    where least(ended_at, expires_at) < now() - make_interval(days => ${days})`)
}

/** Takes out attempts older than so many real days; answers how many. */
export async function deleteSignIns(tx: Tx, days: number): Promise<number> {
  return tx.run(sql`delete from sign_ins where at < now() - make_interval(days => ${days})`)
}

export type SignInOutcome = 'DONE' | 'REFUSED' | 'CODE_ASKED' | 'CODE_REFUSED'

/** An attempt counts as refused until it has come to something else. */
export async function insertSignIn(
  tx: Tx,
  row: { id: string; email: string; address: string; device: string | null },
): Promise<void> {
  await tx.run(sql`
    insert into sign_ins (id, at, email, address, device, outcome)
    values (${row.id}, now(), ${row.email}, ${row.address}, ${row.device}, 'REFUSED')`)
}

export async function setSignInOutcome(tx: Tx, id: string, outcome: SignInOutcome): Promise<void> {
  await tx.run(sql`update sign_ins set outcome = ${outcome} where id = ${id}`)
}

export async function setPassword(tx: Tx, operator_id: string, hash: string): Promise<void> {
  await tx.run(sql`
    update operator_secrets set password_hash = ${hash} where operator_id = ${operator_id}`)
}

/** Keeps a secret that counts for nothing before it is confirmed; false when one was confirmed. */
export async function setTotpSecret(tx: Tx, operator_id: string, sealed: string): Promise<boolean> {
  const set = await tx.run(sql`
    update operator_secrets set totp_secret = ${sealed}
    where operator_id = ${operator_id} and totp_confirmed_at is null`)
  return set === 1
}

/** The person signs in without a code until it sets up a second factor again. */
export async function forgetTotp(tx: Tx, operator_id: string): Promise<void> {
  await tx.run(sql`
    update operator_secrets set totp_secret = null, totp_confirmed_at = null, totp_step = null
    where operator_id = ${operator_id}`)
}

/**
 * Uses up a step of time, and confirms the secret with it; false when it, or a later one, was used,
 * or the secret is another one by now.
 */
export async function useTotpStep(
  tx: Tx,
  operator_id: string,
  { sealed, step }: { sealed: string; step: number },
): Promise<boolean> {
  const used = await tx.run(sql`
    update operator_secrets
    set totp_step = ${step}, totp_confirmed_at = coalesce(totp_confirmed_at, now())
    where operator_id = ${operator_id} and totp_secret = ${sealed}
      and (totp_step is null or totp_step < ${step})`)
  return used === 1
}
