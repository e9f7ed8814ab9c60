/** The day of the business, by which loans and bills go: in a sandbox that of its clock. */
import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'
import { useSignedIn } from './session.tsx'

const PARIS = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', dateStyle: 'short' })
const DAY_MS = 86_400_000

/** `YYYY-MM-DD`, undefined while a sandbox is asked for it. */
export function useBusinessDate(partner: string): string | undefined {
  const isSandbox = useSignedIn().mode === 'sandbox'
  const { data } = useQuery({
    queryKey: ['business-date'],
    queryFn: async () => (await call('getSandboxClock', { partner })).business_date.slice(0, 10),
    enabled: isSandbox,
  })
  return isSandbox ? data : PARIS.format(new Date())
}

/** So many days later; earlier below 0. */
export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}
