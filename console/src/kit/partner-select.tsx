/** A select that searches all partners, for the lender's operators. */
import { type ComboboxParsedItem, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from './api.ts'

const SHOWN = 20
const TYPING_MS = 250

/** A partner as the back office returns it; undefined until loaded. */
export function usePartner(id: string | undefined) {
  const { data } = useQuery({
    queryKey: ['partners', 'one', id],
    queryFn: () => call('listPartners', { query: { query: id!, page_size: 1 } }),
    enabled: id !== undefined,
  })
  return data?.data[0]
}

export function PartnerName({ id }: { id: string }) {
  return usePartner(id)?.name ?? id
}

/**
 * Props of a partner select. Its options are the matches for the typed text and the chosen partner.
 */
function usePartners(chosen: string | undefined) {
  const current = usePartner(chosen)
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
  return {
    data: all.map(({ id, name }) => ({ value: id, label: name })),
    // The server has already filtered, so no option is hidden.
    filter: ({ options }: { options: ComboboxParsedItem[] }) => options,
    onSearchChange: setTyped,
    nothingFoundMessage: 'No partner of that name',
    searchable: true,
  }
}

interface FieldProps {
  readonly value: string
  readonly onChange: (id: string) => void
}

export function PartnerField({ value, onChange }: FieldProps) {
  const partners = usePartners(value || undefined)
  return (
    <Select
      {...partners}
      label="Partner"
      required
      value={value || null}
      onChange={id => onChange(id ?? '')}
    />
  )
}

export function PartnerSelect() {
  const navigate = useNavigate()
  const { partner } = useParams({ strict: false })
  const partners = usePartners(partner)
  return (
    <Select
      {...partners}
      aria-label="Partner"
      placeholder="All partners"
      value={partner ?? null}
      onChange={id =>
        id
          ? navigate({ to: '/p/$partner/overview', params: { partner: id } })
          : navigate({ to: '/' })
      }
      clearable
      size="xs"
    />
  )
}
