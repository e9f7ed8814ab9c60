/** Operators of the lender and of partners, who sign in with a password. */
import { ROLES, type Role } from '@headroom/contract'
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { randomToken } from '../kit/crypto.ts'
import { storedPartner } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'
import { endSessions, forgetTotp, setPassword } from './session-store.ts'
import { insertOperator, setDisabled } from './store.ts'
import { recordAudit } from './store-audit.ts'

export interface NewOperator {
  readonly operator_id: string
  readonly email: string
  /** Returned only here; the database stores a hash. */
  readonly password: string
}

/** NIST SP 800-63B, 3.1.1.2: at least 15 characters where the password is the only factor. */
const PASSWORD_MIN = 15

/**
 * Creates an operator, with a random password if none is given. Throws an Error with a message for
 * the user when the email is taken or malformed, or the password is too short.
 */
export async function createOperator(
  tx: Tx,
  input: {
    readonly email: string
    readonly password?: string
    readonly role?: Role
    /** Omitted for the lender's own operators. */
    readonly partner_id?: string
  },
): Promise<NewOperator> {
  const email = input.email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error(`${input.email} is not an e-mail address`)
  const password = input.password ?? randomToken(18)
  if (password.length < PASSWORD_MIN) {
    throw new Error(`a password has at least ${PASSWORD_MIN} characters`)
  }
  const operator_id = tx.newId()
  const password_hash = await hash(password)
  const { role = 'admin', partner_id = null } = input
  if (!(await insertOperator(tx, { id: operator_id, email, password_hash, role, partner_id })))
    throw new Error(`there is an operator ${email} already`)
  await recordOn(tx, 'create', { id: operator_id, partner_id })
  return { operator_id, email, password }
}

/**
 * Disables an operator of the lender or of a partner. Ends their sessions at once; the record of
 * their actions stays. Throws an Error with a message for the user when no operator has that email.
 */
export async function disableOperator(tx: Tx, email: string): Promise<void> {
  const person = await lockPerson(tx, email)
  await setDisabled(tx, person.id, true)
  await endSessions(tx, { operator_id: person.id })
  await recordOn(tx, 'disable', person)
}

/**
 * Gives an operator a new password, shown only once, and removes the second factor. Re-enables a
 * disabled operator and ends their sessions. Throws as `disableOperator` does.
 */
export async function resetOperator(tx: Tx, email: string): Promise<NewOperator> {
  const person = await lockPerson(tx, email)
  const password = randomToken(18)
  await setPassword(tx, person.id, await hash(password))
  await forgetTotp(tx, person.id)
  await setDisabled(tx, person.id, false)
  await endSessions(tx, { operator_id: person.id })
  await recordOn(tx, 'reset', person)
  return { operator_id: person.id, email: person.email, password }
}

interface Known {
  readonly id: string
  readonly email: string
  readonly partner_id: string | null
}

async function lockPerson(tx: Tx, email: string): Promise<Known> {
  const known = await tx.maybe(sql<Known>`
    select id, email, partner_id from operators
    where email = ${email.trim().toLowerCase()} for no key update`)
  if (!known) throw new Error(`there is no operator ${email}`)
  return known
}

function recordOn(
  tx: Tx,
  act: 'create' | 'disable' | 'reset',
  { id, partner_id }: Omit<Known, 'email'>,
): Promise<void> {
  return recordAudit(tx, {
    act,
    resource: 'operator',
    resource_id: id,
    partner_id: storedPartner(partner_id),
  })
}

/** An operator of the lender, on whose behalf commands and the console act. */
export interface Operator {
  readonly id: string
  readonly email: string
  readonly role: Role
}

/**
 * Returns the enabled operator of the lender with that email. Throws an Error with a message for
 * the user if there is none.
 */
export async function findOperator(tx: Tx, email: string): Promise<Operator> {
  const known = await tx.maybe(sql<Operator>`
    select id, email, role from operators
    where email = ${email.trim().toLowerCase()} and partner_id is null and disabled_at is null`)
  if (!known) throw new Error(`there is no operator ${email}`)
  return known
}

/** Throws `scope_missing` when the operator's role is lower than required. */
export function requireRole({ email, role }: Operator, required: Role): void {
  if (ROLES.indexOf(role) >= ROLES.indexOf(required)) return
  const may = role === 'viewer' ? 'may look, and decide nothing' : 'decides, and sets nothing'
  throw problem('scope_missing', `${email} ${may}: this is for a person who is ${required}.`)
}
