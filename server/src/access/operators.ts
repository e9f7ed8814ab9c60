/** Operators: people who sign in with a password, the lender's own and those of partners. */
import type { Role } from '@headroom/contract'
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { randomToken } from '../kit/crypto.ts'
import { problem } from '../kit/problem.ts'
import { insertOperator } from './store.ts'

export interface NewOperator {
  readonly operator_id: string
  readonly email: string
  /** Shown this once; only its hash is kept. */
  readonly password: string
}

/** NIST SP 800-63B, 3.1.1.2: at least 15 characters where a password is the only factor. */
const PASSWORD_MIN = 15

/**
 * Creates an operator. Without `password` a random one is made. Throws an Error for people when
 * the e-mail is taken or malformed, or the password too short.
 */
export async function createOperator(
  tx: Tx,
  wish: {
    readonly email: string
    readonly password?: string
    readonly role?: Role
    /** Left out for the lender's own people. */
    readonly partner_id?: string
  },
): Promise<NewOperator> {
  const email = wish.email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error(`${wish.email} is not an e-mail address`)
  const password = wish.password ?? randomToken(18)
  if (password.length < PASSWORD_MIN) {
    throw new Error(`a password has at least ${PASSWORD_MIN} characters`)
  }
  const operator_id = tx.newId()
  const password_hash = await hash(password)
  const { role = 'admin', partner_id = null } = wish
  if (!(await insertOperator(tx, { id: operator_id, email, password_hash, role, partner_id })))
    throw new Error(`there is an operator ${email} already`)
  return { operator_id, email, password }
}

/** One of the lender's people, as commands and the console act for. */
export interface Operator {
  readonly id: string
  readonly email: string
  readonly role: Role
}

/** Throws an Error for people when there is none of that e-mail. */
export async function findOperator(tx: Tx, email: string): Promise<Operator> {
  const known = await tx.maybe(sql<Operator>`
    select id, email, role from operators
    where email = ${email.trim().toLowerCase()} and partner_id is null and disabled_at is null`)
  if (!known) throw new Error(`there is no operator ${email}`)
  return known
}

/** Throws `scope_missing` for who may only look. */
export function requireDecider({ email, role }: Operator): void {
  if (role === 'viewer') throw problem('scope_missing', `${email} may look, and decide nothing.`)
}
