/** Writes sessions and sign-in attempts, and changes operators' credentials. */
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

/** Deletes sessions that ended or expired more than `days` real days ago; returns how many. */
export async function deleteSessions(tx: Tx, days: number): Promise<number> {
  return tx.run(sql`
    delete from sessions
    where least(ended_at, expires_at) < now() - make_interval(days => ${days})`)
}

export async function deleteSignIns(tx: Tx, days: number): Promise<number> {
  return tx.run(sql`delete from sign_ins where at < now() - make_interval(days => ${days})`)
}

export type SignInOutcome = 'DONE' | 'REFUSED' | 'CODE_ASKED' | 'CODE_REFUSED'

/** An attempt counts as refused until it has another outcome. */
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

/** Stores a secret that has no effect until confirmed; false when one is already confirmed. */
export async function setTotpSecret(tx: Tx, operator_id: string, sealed: string): Promise<boolean> {
  const set = await tx.run(sql`
    update operator_secrets set totp_secret = ${sealed}
    where operator_id = ${operator_id} and totp_confirmed_at is null`)
  return set === 1
}

/** Removes the second factor: the operator signs in without a code until they set up another. */
export async function forgetTotp(tx: Tx, operator_id: string): Promise<void> {
  await tx.run(sql`
    update operator_secrets set totp_secret = null, totp_confirmed_at = null, totp_step = null
    where operator_id = ${operator_id}`)
}

/**
 * Marks a time step as used, and confirms the secret if it was not yet. False when this step or a
 * later one was used, or when the secret has changed.
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
