/** Describes a proposed write in words. */
import { writes } from 'virtual:writes'
import { day, money, words } from './format.ts'

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

const patterns = writes.map(([method, path, summary]) => ({
  method,
  summary,
  shape: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The operation's summary in the contract; for an unknown operation, method and path. */
export function describeEffect({ method, path }: Sent): string {
  const found = patterns.find(one => one.method === method && one.shape.test(path))
  return found?.summary ?? `${method} ${path}`
}

/**
 * The body as readable names and values. A field with a different value in `now` shows both, that
 * one first.
 */
export function describeBody(body: unknown, now: object = {}): [name: string, value: string][] {
  if (typeof body !== 'object' || body === null) return []
  const was = new Map(Object.entries(now))
  return Object.entries(body).map(([name, value]) => {
    const [before, after] = [readable(name, was.get(name)), readable(name, value)]
    return [words(name), was.has(name) && before !== after ? `${before} → ${after}` : after]
  })
}

const AMOUNT = /(^|_)(amount|fees)$/
const DAY = /_(at|date|on)$|^date$/

function readable(name: string, value: unknown): string {
  if (typeof value === 'number' && AMOUNT.test(name)) return money(value)
  if (typeof value === 'string' && DAY.test(name) && /^\d{4}-\d\d-\d\d/.test(value)) {
    return day(value)
  }
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return listOf(value)
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(
      ([key, part]) => `${words(key)}: ${readable(key, part)}`,
    )
    return parts.join(', ')
  }
  return value == null || value === '' ? '–' : String(value)
}

function listOf(items: readonly unknown[]): string {
  const amounts = items.map(item => (item as { amount?: unknown } | null)?.amount)
  if (!items.every(item => typeof item === 'object')) return items.join(', ')
  const sum = amounts.reduce<number>((all, one) => all + (typeof one === 'number' ? one : 0), 0)
  return sum > 0 ? `${items.length}, ${money(sum)} in all` : `${items.length}`
}
