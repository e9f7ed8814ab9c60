/**
 * The filters of a list. They live in the URL, so that a filtered list can be bookmarked and
 * shared.
 */
import { Button, Group, MultiSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks'
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { words } from './format.ts'
import { type PageQuery, queryOf, usePageQuery } from './page-query.ts'

const TYPING_MS = 350

/** A field of a list's query, or the two fields of a date range. */
export type Filter =
  | { readonly name: string; readonly label: string; readonly kind: 'text' }
  | {
      readonly name: string
      readonly label: string
      readonly kind: 'one' | 'many'
      readonly options: readonly string[]
      /** The label of the empty choice, if it means something other than all. */
      readonly unset?: string
    }
  | { readonly label: string; readonly kind: 'days'; readonly from: string; readonly to: string }

const namesOf = (filter: Filter) =>
  filter.kind === 'days' ? [filter.from, filter.to] : [filter.name]

/** The part of the URL's query that these filters use, plus the sort order. */
export function useListQuery(filters: readonly Filter[]): PageQuery {
  const { pageQuery } = usePageQuery()
  return queryOf(pageQuery, [...filters.flatMap(namesOf), 'sort_by'])
}

/** The width of a phone; the menu uses the same breakpoint. */
const PHONE = '(max-width: 47.99em)'

/**
 * On a phone, shows only the first filter, to leave room for the list. The others appear on
 * request, and at once if the URL sets a filter.
 */
export function Filters({ of }: { of: readonly Filter[] }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false })
  const names = of.flatMap(namesOf)
  const some = names.some(name => pageQuery[name])
  const [open, { open: showAll }] = useDisclosure(some)
  const [first, ...others] = of
  const folded = isPhone && !open && others.length > 0
  const shown = folded && first ? [first] : of
  return (
    <Group align="end" gap="sm" role="search" aria-label="Filters">
      {shown.map(filter => (
        <Field key={namesOf(filter).join()} filter={filter} />
      ))}
      {folded && (
        <Button variant="default" leftSection={<IconFilter size={16} />} onClick={showAll}>
          More
        </Button>
      )}
      {some && (
        <Button
          variant="subtle"
          leftSection={<IconX size={16} />}
          onClick={() => setPageQuery(Object.fromEntries(names.map(name => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

const BOOLEANS: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' }

function Field({ filter }: { filter: Filter }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  if (filter.kind === 'text') return <Search {...filter} />
  if (filter.kind === 'days') {
    return (
      <>
        <DayField name={filter.from} label={`${filter.label} from`} />
        <DayField name={filter.to} label={`${filter.label} before`} />
      </>
    )
  }
  const { name, label, options, unset = 'All' } = filter
  const data = options.map(value => ({ value, label: BOOLEANS[value] ?? words(value) }))
  if (filter.kind === 'one') {
    return (
      <Select
        label={label}
        data={data}
        placeholder={unset}
        value={[pageQuery[name]].flat()[0] ?? null}
        onChange={value => setPageQuery({ [name]: value ?? undefined })}
        clearable
        searchable={data.length > 8}
      />
    )
  }
  return (
    <MultiSelect
      label={label}
      data={data}
      placeholder={pageQuery[name] ? undefined : unset}
      value={[pageQuery[name] ?? []].flat() as string[]}
      onChange={values => setPageQuery({ [name]: values })}
      clearable
      searchable
      hidePickedOptions
      miw={180}
      maw={420}
    />
  )
}

function DayField({ name, label }: { name: string; label: string }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  return (
    <TextInput
      type="date"
      label={label}
      value={[pageQuery[name]].flat()[0] ?? ''}
      onChange={({ currentTarget }) => setPageQuery({ [name]: currentTarget.value })}
    />
  )
}

function Search({ name, label }: { name: string; label: string }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const there = ([pageQuery[name]].flat()[0] ?? '') as string
  const [typed, setTyped] = useState(there)
  useEffect(() => setTyped(typed => (typed.trim() === there ? typed : there)), [there])
  const settle = useDebouncedCallback(
    (text: string) => setPageQuery({ [name]: text.trim() }),
    TYPING_MS,
  )
  return (
    <TextInput
      label={label}
      leftSection={<IconSearch size={16} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        settle(currentTarget.value)
      }}
    />
  )
}
