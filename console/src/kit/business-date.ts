/** Today's business date: in a sandbox, the date of its clock. */
import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'
import { useSignedIn } from './session.tsx'

const PARIS = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', dateStyle: 'short' })
const DAY_MS = 86_400_000

/** Returns `YYYY-MM-DD`, or undefined while it loads from the sandbox. */
export function useBusinessDate(partner: string): string | undefined {
  const isSandbox = useSignedIn().mode === 'sandbox'
  const { data } = useQuery({
    queryKey: ['business-date'],
    queryFn: async () => (await call('getSandboxClock', { partner })).business_date.slice(0, 10),
    enabled: isSandbox,
    // A sandbox clock can be moved at any moment, so a cached date may be wrong.
    staleTime: 0,
  })
  return isSandbox ? data : PARIS.format(new Date())
}

/** Adds `days` to a day; a negative number subtracts. */
export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}
