/** Search results, each linked to its page. */
import type { Found } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { call } from '../kit/api.ts'
import { plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageQuery } from '../kit/page-query.ts'
import { useIsLender } from '../kit/session.tsx'

const COLUMNS: readonly Column<Found>[] = [
  plain('kind', 'What', found => words(found.kind)),
  {
    id: 'title',
    header: 'Name or number',
    text: found => found.title,
    cell: found => <FoundLink of={found} />,
  },
  status(found => found.status),
]

const PARTNER = plain<Found>('partner', 'Partner', found => found.partner)

function FoundLink({ of: { kind, id, partner_id: partner, title } }: { of: Found }) {
  // An onboarding has no page, so the link leads to the list, filtered to this one.
  if (kind === 'onboarding') {
    return (
      <PageLink to="/p/$partner/onboardings" params={{ partner }} search={{ id }}>
        {title}
      </PageLink>
    )
  }
  return (
    <PageLink to={`/p/$partner/${kind}/$${kind}`} params={{ partner, [kind]: id }}>
      {title}
    </PageLink>
  )
}

export function SearchPage() {
  const { pageQuery } = usePageQuery()
  const isLender = useIsLender()
  const query = typeof pageQuery.query === 'string' ? pageQuery.query : ''
  return (
    <Stack>
      <PageHead title="Search" info={query && `For “${query}”`} />
      {query === '' ? (
        <Text c="dimmed">Type a name, a number, a reference, an IBAN or an id above.</Text>
      ) : (
        <DataList
          name="Search"
          queryKey={['search', query]}
          first={async () => ({ ...(await call('search', { query: { query } })), next_page: null })}
          columns={isLender ? [...COLUMNS, PARTNER] : COLUMNS}
          rowId={found => `${found.kind} ${found.id}`}
          empty="Nothing of that name or number. Of names the beginning will do."
        />
      )}
    </Stack>
  )
}
