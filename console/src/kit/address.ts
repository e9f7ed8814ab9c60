/** What a page is asked lives in its address: filters and order, named as in the interface. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'

/** The query of an address: a name given more than once is a list. */
export type Asked = Readonly<Record<string, string | readonly string[] | undefined>>

export function parseAsked(query: string): Asked {
  const fields = new URLSearchParams(query)
  const values = (name: string) => fields.getAll(name)
  return Object.fromEntries(
    [...new Set(fields.keys())].map(name => [
      name,
      values(name).length > 1 ? values(name) : values(name)[0],
    ]),
  )
}

export function writeAsked(asked: Readonly<Record<string, unknown>>): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null && item !== '') fields.append(name, String(item))
    }
  }
  return fields.size > 0 ? `?${fields}` : ''
}

/** What the address asks for, and how to ask for something else: undefined takes a field away. */
export function useAsked() {
  const asked = useSearch({ strict: false }) as Asked
  const navigate = useNavigate()
  const ask = (change: Asked) => {
    const search = Object.fromEntries(
      Object.entries({ ...asked, ...change }).filter(([, value]) => value && value.length > 0),
    )
    // One page that is asked something else: going back leads to the page before it.
    void navigate({ to: '.', search: search as never, replace: true })
  }
  return { asked, ask }
}

/** The fields of the address that a list takes, as its query. */
export function queryOf(asked: Asked, names: readonly string[]): Asked {
  return Object.fromEntries(names.flatMap(name => (asked[name] ? [[name, asked[name]]] : [])))
}

/** The parts of the address that name what the page is of. */
export function usePlace<Name extends string>(): Readonly<Record<Name, string>> {
  const params: object = useParams({ strict: false })
  return params as Readonly<Record<Name, string>>
}
