/** Defines back-office operations: like partner operations, but for signed-in users. */
import { z } from 'zod'
import type { Operation } from '../define.ts'
import { text } from '../shared.ts'

export const ROLES = ['viewer', 'reviewer', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * An operation under `/admin`. `requires` says who may call it: anyone, any signed-in user,
 * including those of partners, or the lender's operators with at least that role.
 */
export interface AdminOperation extends Omit<Operation, 'scope' | 'gated'> {
  readonly requires: 'nothing' | 'session' | Role
}

export function adminTable<const T extends Record<string, AdminOperation>>(table: T): T {
  return table
}

/** The reason for an operation, kept for later audits. */
export const ReasonBody = z.strictObject({ reason: text(500) })

export const reviewerDecision = {
  method: 'POST',
  requires: 'reviewer',
  success: 204,
  answer: z.null(),
  problems: ['state_conflict'],
} as const
