/** Reads a list as clients do: whole, page by page forward and back, and with bad input. */
import { type OperationId, operations } from '@headroom/contract'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import type { Row } from './filter-kinds.ts'
import { send } from './sending.ts'

export type Fields = Readonly<Record<string, readonly string[]>>

interface Page {
  readonly data: Row[]
  readonly count: number
  readonly total: number | null
  readonly next_page: string | null
  readonly previous_page: string | null
}

export interface Reader {
  queriesOf(query: Fields): Promise<{ status: number; body: Row }>
  page(query: Fields): Promise<Page>
  follow(address: string): Promise<Page>
  whole(query: Fields): Promise<{ rows: Row[]; total: number | null }>
}

export const sameRow = (row: Row): string => row.id ?? JSON.stringify(row)

/** `input` fills the path; its other fields are sent with every query. */
export function listReader(
  { base_url, key }: TestApp,
  id: OperationId,
  input: Readonly<Record<string, string>>,
): Reader {
  const { path } = operations[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => input[name]!)
  const always = Object.entries(input).filter(([name]) => !path.includes(`{${name}}`))

  async function get(address: string): Promise<{ status: number; body: Row }> {
    const { status, text } = await send(`${base_url}${address}`, { method: 'GET', key })
    return { status, body: JSON.parse(text) }
  }

  function queriesOf(query: Fields) {
    const pairs = Object.entries(query).flatMap(([name, values]) => values.map(v => [name, v]))
    const kept = always.filter(([name]) => !(name in query))
    return get(`${filled}?${new URLSearchParams([...kept, ...pairs] as [string, string][])}`)
  }

  async function succeed(answer: Promise<{ status: number; body: Row }>): Promise<Row> {
    const { status, body } = await answer
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
    return body
  }

  async function whole(query: Fields) {
    const first = await succeed(queriesOf(query))
    if (Array.isArray(first)) return { rows: first, total: null }
    const rows: Row[] = first.data
    let page: Page = first
    while (page.next_page) {
      page = await succeed(get(page.next_page))
      rows.push(...page.data)
    }
    expect(new Set(rows.map(sameRow)).size, 'no row twice').toBe(rows.length)
    return { rows, total: first.total }
  }

  return { queriesOf, whole, page: q => succeed(queriesOf(q)), follow: at => succeed(get(at)) }
}

/** Reads the list in pages of one row, to its end and back to its start. */
export async function walked(reader: Reader, query: Fields): Promise<string[]> {
  let page = await reader.page({ ...query, page_size: ['1'] })
  expect(page.previous_page).toBeNull()
  const there = page.data.map(sameRow)
  while (page.next_page) {
    page = await reader.follow(page.next_page)
    expect(page.count).toBe(page.data.length)
    there.push(...page.data.map(sameRow))
  }
  const back = page.data.map(sameRow)
  while (page.previous_page) {
    page = await reader.follow(page.previous_page)
    back.unshift(...page.data.map(sameRow))
  }
  expect(back).toEqual(there)
  return there
}
