/** Simulated merchants: authorizations, clearings, refunds and disputes. */
import type { CardEntry } from '@headroom/contract'
import { Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action, type Field } from '../kit/action.tsx'
import { type AnswerOf, call } from '../kit/api.ts'
import { amount, momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { QueryResult, Section } from '../kit/detail.tsx'
import { cents, decimal, money, words } from '../kit/format.ts'
import { usePageQuery } from '../kit/page-query.ts'

type CardRow = AnswerOf<'listCards'>[number]

/** Offers only the newest cards: a select with thousands would be unusable. */
const CARDS_MAX = 200

export function SandboxCards({ partner }: { partner: string }) {
  const cards = useQuery({
    queryKey: ['cards', partner, 'newest'],
    queryFn: () => call('listCards', { query: { page_size: CARDS_MAX }, partner }),
  })
  return (
    <QueryResult of={cards}>
      {all =>
        all.length === 0 ? (
          <Text c="dimmed">No cards yet. Issue one by POST /cards, and be its merchants here.</Text>
        ) : (
          <CardSandbox partner={partner} all={all} />
        )
      }
    </QueryResult>
  )
}

const nameOf = ({ brand, last4, first_name, last_name }: CardRow) =>
  `${brand} •••• ${last4}, ${first_name} ${last_name}`

function CardSandbox({ partner, all }: { partner: string; all: readonly CardRow[] }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const card = all.find(({ id }) => id === pageQuery.card) ?? all[0]!
  const { id: card_id, balance } = card
  return (
    <Section title="Merchants" actions={<MerchantActions partner={partner} card={card} />}>
      <Select
        label="Card"
        data={all.map(one => ({ value: one.id, label: nameOf(one) }))}
        value={card_id}
        onChange={id => setPageQuery({ card: id ?? undefined })}
        allowDeselect={false}
        searchable
        maw={420}
      />
      <Text size="sm">
        {money(balance.available_including_pending)} available, {money(balance.pending)} held,{' '}
        {money(balance.used)} used.
      </Text>
      <DataList
        name="Card entries"
        queryKey={['card', card_id, 'entries', 'merchants']}
        first={async () => ({
          data: await call('listCardEntries', { params: { card_id }, partner }),
          next_page: null,
        })}
        columns={columns(partner)}
        rowId={entry => entry.id}
        empty="Not used yet. Let a merchant ask for money."
      />
    </Section>
  )
}

const AMOUNT: Field = { name: 'amount', label: 'Amount', kind: 'amount' }
const MERCHANT: Field = { name: 'merchant', label: 'Merchant', initial: 'Café Central' }

function MerchantActions({ partner, card }: { partner: string; card: CardRow }) {
  const params = { card_id: card.id }
  const bodyOf = ({ amount: typed = '', merchant }: Readonly<Record<string, string>>) => ({
    amount: cents(typed) ?? 0,
    merchant_name: merchant || 'Merchant',
  })
  return (
    <Group gap="xs">
      <Action
        label="Authorize"
        variant="filled"
        info={`A merchant asks ${nameOf(card)} for money, and is answered at once.`}
        fields={[AMOUNT, MERCHANT]}
        run={values => {
          const body = { ...bodyOf(values), currency: 'EUR' }
          return call('authorizeSandboxCard', { params, body, partner })
        }}
        done="It is answered: see the list."
      />
      <Action
        label="Force-post"
        info="A merchant takes money without asking first, as offline terminals do."
        fields={[AMOUNT, MERCHANT]}
        run={values => call('forcePostSandboxCard', { params, body: bodyOf(values), partner })}
        done="The money is taken."
      />
      <Action
        label="Refund"
        info="A merchant gives money back."
        fields={[AMOUNT, MERCHANT]}
        run={values => call('refundSandboxCard', { params, body: bodyOf(values), partner })}
        done="The money is given back."
      />
    </Group>
  )
}

const columns = (partner: string): readonly Column<CardEntry>[] => [
  momentOf('created', 'At', entry => entry.created),
  plain('merchant', 'Merchant', entry => entry.merchant_name),
  status(entry => entry.status),
  amount('amount', 'Amount', entry => entry.amount),
  plain('reason', 'Declined because', e => e.decline_reason && words(e.decline_reason)),
  {
    id: 'next',
    header: 'What comes next',
    text: () => '',
    acts: true,
    cell: entry => <EntryActions entry={entry} partner={partner} />,
  },
]

function EntryActions({ entry, partner }: { entry: CardEntry; partner: string }) {
  const { id, status: is, amount: whole, transaction_type } = entry
  const field: Field = { ...AMOUNT, initial: decimal(whole) }
  const size = 'compact-xs'
  const sum = (typed = '') => ({ amount: cents(typed) ?? 0 })
  const params = { authorization_id: id }
  const clear = (
    <Action
      label="Clear"
      size={size}
      fields={[field]}
      info={`The merchant takes of ${money(whole)} what it wants; the rest is free again.`}
      run={({ amount: typed }) =>
        call('clearSandboxAuthorization', { params, body: sum(typed), partner })
      }
      done="It is cleared."
    />
  )
  // A merchant may clear a payment even after reversing its authorization.
  if (is === 'reversed' && transaction_type === 'payment') return clear
  if (is === 'pending') {
    return (
      <Group gap={4}>
        {clear}
        <Action
          label="Increment"
          size={size}
          fields={[AMOUNT]}
          info={`The merchant asks for more than ${money(whole)}: say how much more.`}
          run={({ amount: typed }) =>
            call('incrementSandboxAuthorization', { params, body: sum(typed), partner })
          }
          done="It is answered: see the amount."
        />
        <Action
          label="Reverse"
          size={size}
          fields={[field]}
          info={`The merchant releases all or part of the ${money(whole)} on hold.`}
          run={({ amount: typed }) =>
            call('reverseSandboxAuthorization', { params, body: sum(typed), partner })
          }
          done="It is reversed."
        />
      </Group>
    )
  }
  if (is !== 'completed' || transaction_type !== 'payment') return null
  return (
    <Stack gap={4} align="start">
      <Action
        label="Dispute"
        size={size}
        fields={[field]}
        info={`The cardholder disputes all or part of the ${money(whole)}, and wins.`}
        run={({ amount: typed }) => {
          const params = { entry_id: id }
          return call('disputeSandboxCardEntry', { params, body: sum(typed), partner })
        }}
        done="The money has come back."
      />
    </Stack>
  )
}
