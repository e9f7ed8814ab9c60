/** Keeps filters and sort order in the page's URL, named as in the API. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'

/** The query of a URL; a repeated name becomes a list. */
export type PageQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export function parsePageQuery(query: string): PageQuery {
  const fields = new URLSearchParams(query)
  const values = (name: string) => fields.getAll(name)
  return Object.fromEntries(
    [...new Set(fields.keys())].map(name => [
      name,
      values(name).length > 1 ? values(name) : values(name)[0],
    ]),
  )
}

export function writePageQuery(pageQuery: Readonly<Record<string, unknown>>): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(pageQuery)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null && item !== '') fields.append(name, String(item))
    }
  }
  return fields.size > 0 ? `?${fields}` : ''
}

/** Returns the URL's query and a function to change it; undefined removes a field. */
export function usePageQuery() {
  const pageQuery = useSearch({ strict: false }) as PageQuery
  const navigate = useNavigate()
  const setPageQuery = (change: PageQuery) => {
    const search = Object.fromEntries(
      Object.entries({ ...pageQuery, ...change }).filter(([, value]) => value && value.length > 0),
    )
    // Replaces the history entry, so that Back leads to the previous page.
    void navigate({ to: '.', search: search as never, replace: true })
  }
  return { pageQuery, setPageQuery }
}

/** The query of a list: those fields of the URL that it accepts. */
export function queryOf(pageQuery: PageQuery, names: readonly string[]): PageQuery {
  return Object.fromEntries(
    names.flatMap(name => (pageQuery[name] ? [[name, pageQuery[name]]] : [])),
  )
}

export function usePageParams<Name extends string>(): Readonly<Record<Name, string>> {
  const params: object = useParams({ strict: false })
  return params as Readonly<Record<Name, string>>
}
