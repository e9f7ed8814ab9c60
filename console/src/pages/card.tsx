/** One card: its balance, its status, and its transactions, refreshed live. */
import type { Card, CardEntry } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { BorrowerLink } from '../kit/borrower-link.tsx'
import { amount, momentOf, plain, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { money, shortId, words } from '../kit/format.ts'
import { Live } from '../kit/live.tsx'
import { blockedReason } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Rows } from '../kit/rows.tsx'

const route = getRouteApi('/p/$partner/card/$card')

/** Polling interval: a merchant waits only seconds, so new authorizations should appear quickly. */
const LIVE_MS = 3_000

function columns(partner: string): readonly Column<CardEntry>[] {
  return [
    momentOf('created', 'At', entry => entry.created),
    plain('merchant', 'Merchant', entry => entry.merchant_name),
    status(entry => entry.status),
    plain('kind', 'Kind', entry => words(entry.transaction_type)),
    amount('amount', 'Amount', entry => entry.amount),
    plain(
      'reason',
      'Declined because',
      entry => entry.decline_reason && words(entry.decline_reason),
    ),
    {
      id: 'loan',
      header: 'Loan',
      text: entry => entry.funding_obligation_id ?? '–',
      cell: ({ funding_obligation_id: loan }) =>
        loan ? (
          <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan }}>
            {shortId(loan)}
          </PageLink>
        ) : (
          '–'
        ),
    },
  ]
}

export function CardPage() {
  const { partner, card: card_id } = route.useParams()
  const params = { card_id }
  const card = useQuery({
    queryKey: ['card', card_id],
    queryFn: () => call('getCard', { params, partner }),
    refetchInterval: LIVE_MS,
  })
  const entries = useQuery({
    queryKey: ['card', card_id, 'entries'],
    queryFn: () => call('listCardEntries', { params, partner }),
    refetchInterval: LIVE_MS,
  })
  return (
    <QueryResult of={card} title="Card">
      {data => (
        <Stack>
          <PageHead
            title={`${data.brand} •••• ${data.last4}`}
            status={data.status}
            info={`${data.first_name} ${data.last_name}`}
            actions={<Statuses card={data} partner={partner} />}
          />
          <Section title="Credit line">
            <Facts of={balanceOf(data, partner)} />
          </Section>
          <Section title="Authorisations and entries">
            <Live of={entries} every_ms={LIVE_MS} />
            <QueryResult of={entries}>
              {rows =>
                rows.length === 0 ? (
                  <Text c="dimmed">
                    Not used yet. What a merchant asks for appears here at once.
                  </Text>
                ) : (
                  <Rows
                    columns={columns(partner)}
                    rows={rows}
                    rowId={entry => entry.id}
                    label="Entries"
                    csv
                  />
                )
              }
            </QueryResult>
          </Section>
          <Json of={data} />
        </Stack>
      )}
    </QueryResult>
  )
}

function balanceOf({ balance, borrower_id }: Card, partner: string) {
  return [
    ['Borrower', <BorrowerLink key="borrower" partner={partner} borrower_id={borrower_id} />],
    ['Used, not repaid', money(balance.used)],
    ['Held by authorisations', money(balance.pending)],
    ['Available', money(balance.available)],
    ['Available with what is pending', money(balance.available_including_pending)],
  ] as const
}

function Statuses({ card, partner }: { card: Card; partner: string }) {
  const set = (status: Card['status']) => () =>
    call('updateCardStatus', { params: { card_id: card.id }, body: { status }, partner })
  const name = `the card of ${card.first_name} ${card.last_name} ending in ${card.last4}`
  const held = money(card.balance.pending)
  const free = money(card.balance.available_including_pending)
  return (
    <>
      <Action
        label="Unblock"
        variant="filled"
        disabledReason={blockedReason('card', card.status, 'activate')}
        info={`Merchants may charge ${name}, up to ${free} now.`}
        run={set('active')}
        done="The card may be used."
      />
      <Action
        label="Block"
        disabledReason={blockedReason('card', card.status, 'deactivate')}
        info={`No merchant may charge ${name} until it is unblocked. ${held} stay held.`}
        run={set('inactive')}
        done="The card is blocked."
      />
      <Action
        label="Cancel"
        color="red"
        disabledReason={blockedReason('card', card.status, 'cancel')}
        info={`This is final: ${name} can never be used again. ${held} stay held until cleared.`}
        run={set('canceled')}
        done="The card is canceled."
      />
    </>
  )
}
