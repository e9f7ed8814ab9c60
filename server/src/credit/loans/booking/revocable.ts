/** Computes the principal repaid by debits that can still be returned. Pure. */
import type { Day } from '../../../platform/kit/dates.ts'
import type { MovementShare } from '../account.ts'

interface Revocable {
  readonly id: string
  readonly revocable_until: Day | null
}

/** Principal in cents that stays reserved on the line until the return windows have passed. */
export function revocablePrincipal(
  movements: readonly Revocable[],
  shares: ReadonlyMap<string, MovementShare>,
  today: Day,
): bigint {
  let held = 0n
  for (const { id, revocable_until } of movements) {
    if (revocable_until && revocable_until >= today) held += shares.get(id)?.principal ?? 0n
  }
  return held
}
