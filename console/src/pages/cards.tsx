/** The cards of a partner's borrowers. */
import type { Card } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { amount, momentOf, status } from '../kit/columns.tsx'
import { type Column, DataList, type Page } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { PageLink } from '../kit/page-link.tsx'

const route = getRouteApi('/p/$partner/cards')

export function cardColumns(partner: string): readonly Column<Card>[] {
  const name = (card: Card) => `${card.brand} •••• ${card.last4}`
  return [
    {
      id: 'card',
      header: 'Card',
      text: name,
      cell: card => (
        <PageLink to="/p/$partner/card/$card" params={{ partner, card: card.id }}>
          {name(card)}
        </PageLink>
      ),
    },
    status(card => card.status),
    {
      id: 'holder',
      header: 'Holder',
      text: card => `${card.first_name} ${card.last_name}`,
    },
    amount('pending', 'Pending', card => card.balance.pending),
    amount('used', 'Used', card => card.balance.used),
    amount('available', 'Available', card => card.balance.available_including_pending),
    momentOf('created_at', 'Issued', card => card.created_at),
  ]
}

function company(partner: string): Column<Card> {
  return {
    id: 'company',
    header: 'Company',
    text: card => card.borrower_name,
    cell: ({ borrower_id: borrower, borrower_name }) => (
      <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower }}>
        {borrower_name}
      </PageLink>
    ),
  }
}

const PAGE_SIZE = 100

/**
 * Reads a page of cards, older than `before` if given. The API returns no cursor, so a full page
 * suggests that another follows.
 */
async function readCards(partner: string, before?: string): Promise<Page<Card>> {
  const query = { page_size: PAGE_SIZE, ...(before && { before }) }
  const data = await call('listCards', { query, partner })
  return { data, next_page: data.length === PAGE_SIZE ? data.at(-1)!.id : null }
}

export function CardsPage() {
  const { partner } = route.useParams()
  return (
    <Stack>
      <PageHead title="Cards" info="Each spends the credit line of its borrower" />
      <DataList
        name="Cards"
        queryKey={['cards', partner]}
        first={() => readCards(partner)}
        next={before => readCards(partner, before)}
        whole={async () => ({ data: await call('listCards', { partner }), next_page: null })}
        columns={[company(partner), ...cardColumns(partner)]}
        rowId={card => card.id}
        empty="No cards yet. One is issued to a borrower with a credit line by POST /cards."
      />
    </Stack>
  )
}
