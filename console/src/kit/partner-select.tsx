/** The lender's own people choose whose world they look at, among all partners. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from './api.ts'

const SHOWN = 20
const TYPING_MS = 250

/** The partner whose world the page is of, as the desk knows it. */
function usePartner(id: string | undefined) {
  const { data } = useQuery({
    queryKey: ['partners', 'one', id],
    queryFn: () => call('listPartners', { query: { query: id!, page_size: 1 } }),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data?.data[0]
}

export function PartnerSelect() {
  const navigate = useNavigate()
  const { partner } = useParams({ strict: false })
  const current = usePartner(partner)
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed, TYPING_MS)
  const query = settled === current?.name ? undefined : settled || undefined
  const { data } = useQuery({
    queryKey: ['partners', 'search', query],
    queryFn: () => call('listPartners', { query: { query, page_size: SHOWN } }),
    placeholderData: keepPreviousData,
  })
  const found = data?.data ?? []
  const all = current && !found.some(one => one.id === current.id) ? [current, ...found] : found
  return (
    <Select
      aria-label="Partner"
      placeholder="All partners"
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      // The server has searched: what it found is all shown.
      filter={({ options }) => options}
      value={partner ?? null}
      onChange={id =>
        id ? navigate({ to: '/p/$partner/loans', params: { partner: id } }) : navigate({ to: '/' })
      }
      onSearchChange={setTyped}
      nothingFoundMessage="No partner of that name"
      searchable
      clearable
      size="xs"
    />
  )
}
