/** How an operation of the back office is written: like any other, but for people who signed in. */
import { z } from 'zod'
import type { Operation } from '../define.ts'
import { text } from '../shared.ts'

export const ROLES = ['viewer', 'reviewer', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * An operation under `/admin`, asked for by a session. `asks` says whose: nobody's, anybody's (also
 * of a partner's people), or one of the lender's own with at least that role.
 */
export interface AdminOperation extends Omit<Operation, 'scope' | 'gated'> {
  readonly asks: 'nothing' | 'session' | Role
}

/** Keeps the literal types of one topic's operations. */
export function adminTable<const T extends Record<string, AdminOperation>>(table: T): T {
  return table
}

/** Why somebody did it, for whoever asks later. */
export const Why = z.strictObject({ reason: text(500) })

/** A reviewer decides what waits; another one may have been quicker. */
export const decides = {
  method: 'POST',
  asks: 'reviewer',
  success: 204,
  answer: z.null(),
  problems: ['state_conflict'],
} as const
