/** The actions on an unmatched payment that its status and direction allow. */
import type { PaymentSuggestion, PaymentTarget, SuspenseItem } from '@headroom/contract'
import { Radio, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call, Problem } from '../kit/api.ts'
import { QueryResult } from '../kit/detail.tsx'
import { day, money, shortId, words } from '../kit/format.ts'
import { useSignedIn } from '../kit/session.tsx'

const TYPING_MS = 300
const WHY = { name: 'reason', label: 'Reason', kind: 'long' } as const

/** The debt that a matched payment repaid, in words; null if none. */
export function paidBy({ pays }: SuspenseItem): string | null {
  return pays && `${words(pays.kind)} ${shortId(pays.id)} of ${pays.payer}`
}

export function SuspenseActions(item: SuspenseItem) {
  const params = { suspense_id: item.id }
  const sum = money(item.amount)
  if (item.status === 'OPEN') return <OpenActions {...item} />
  if (item.status === 'MATCHED') {
    return (
      <Action
        size="xs"
        label="Undo the match"
        info={`${sum} paid ${paidBy(item) ?? 'what it was matched with'}. That is as if it had never
          been, and the money waits here again.`}
        run={() => call('unmatchSuspense', { params })}
        done="The match is undone."
      />
    )
  }
  return item.status === 'LOSS_PROPOSED' ? <LossActions {...item} /> : null
}

function LossActions({ id, amount, loss_proposed_by, loss_reason }: SuspenseItem) {
  const params = { suspense_id: id }
  const sum = money(amount)
  const own = useSignedIn().operator.email === loss_proposed_by
  return (
    <>
      <Action
        size="xs"
        label="Approve the loss"
        color="red"
        disabledReason={own ? 'You cannot approve your own proposal.' : null}
        info={`${sum} is given up for lost. ${loss_proposed_by} wrote: ${loss_reason}`}
        run={() => call('approveLoss', { params })}
        done={`${sum} is booked as a loss.`}
      />
      <Action
        size="xs"
        label={own ? 'Take the loss back' : 'Reject the loss'}
        info={`${sum} is not given up, and waits here again.`}
        fields={[WHY]}
        run={({ reason = '' }) => call('rejectLoss', { params, body: { reason } })}
        done={`${sum} waits here again.`}
      />
    </>
  )
}

function OpenActions(item: SuspenseItem) {
  const params = { suspense_id: item.id }
  const sum = money(item.amount)
  const payer = [item.from_name ?? 'its payer', item.from_iban].filter(Boolean).join(', ')
  if (item.cash > 0) {
    return (
      <>
        <Match {...item} />
        <Action
          size="xs"
          label="Send back"
          disabledReason={
            item.from_iban ? null : 'The bank did not report the account it came from.'
          }
          info={`${sum} goes back to ${payer}.`}
          run={() => call('sendBackSuspense', { params })}
          done={`${sum} goes back.`}
        />
      </>
    )
  }
  if (item.cash === 0) {
    return (
      <Action
        size="xs"
        label="Dismiss"
        info="No money came with this item. It is resolved."
        run={() => call('dismissSuspense', { params })}
        done="It is dismissed."
      />
    )
  }
  return (
    <Action
      size="xs"
      label="Give up"
      color="red"
      info={`${sum} went out and nobody knows for what. It is proposed as a loss; somebody else has
        to agree.`}
      fields={[WHY]}
      run={({ reason = '' }) => call('loseSuspense', { params, body: { reason } })}
      done="The loss waits for a second person."
    />
  )
}

function Match({ id, amount, from_name, reference }: SuspenseItem) {
  const sum = money(amount)
  return (
    <Action
      size="xs"
      label="Match"
      color="green"
      info={`${sum} from ${from_name ?? 'somebody'} pays what you choose, with the value date of the
        bank. Its text was: ${reference ?? 'none'}.`}
      fields={[
        {
          name: 'query',
          label: 'Search',
          initial: reference ?? from_name ?? '',
          hint: 'A reference, an id, a company number or a part of its name',
          optional: true,
        },
      ]}
      more={({ query = '', target = '' }, set) => (
        <Targets
          item_id={id}
          query={query}
          chosen={target}
          choose={value => set('target', value)}
        />
      )}
      run={async ({ target = '' }) => {
        if (target === '')
          throw new Problem(422, { detail: 'Search for what it pays, and choose it.' })
        await call('matchSuspense', { params: { suspense_id: id }, body: { target } })
      }}
      done={`${sum} is matched.`}
    />
  )
}

interface TargetsProps {
  readonly item_id: string
  readonly query: string
  readonly chosen: string
  readonly choose: (id: string) => void
}

/** Debts that the money may pay: suggestions first, then what the search finds. */
function Targets({ item_id, query, chosen, choose }: TargetsProps) {
  const [settled] = useDebouncedValue(query.trim(), TYPING_MS)
  const suggestions = useQuery({
    queryKey: ['suspense', item_id, 'suggestions'],
    queryFn: () => call('suggestTargets', { params: { suspense_id: item_id } }),
  })
  const targets = useQuery({
    queryKey: ['payment-targets', settled],
    queryFn: () => call('findTargets', { query: { query: settled } }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  })
  if (settled === '' && suggestions.data?.data.length === 0) {
    return <Text c="dimmed">Nothing is suggested: search for what it pays.</Text>
  }
  return (
    <Radio.Group label="What it pays" value={chosen} onChange={choose} required>
      <QueryResult of={suggestions}>
        {({ data }) => (data.length === 0 ? null : <Choices title="Suggested" targets={data} />)}
      </QueryResult>
      {settled !== '' && (
        <QueryResult of={targets}>
          {({ data }) => {
            const suggested = new Set(suggestions.data?.data.map(({ id }) => id))
            const found = data.filter(({ id }) => !suggested.has(id))
            if (found.length > 0) return <Choices title="Found by the search" targets={found} />
            return (
              <Text c="dimmed" mt="xs">
                Nothing {data.length > 0 ? 'else ' : ''}that is owed is found by that search.
              </Text>
            )
          }}
        </QueryResult>
      )}
    </Radio.Group>
  )
}

interface ChoicesProps {
  readonly title: string
  readonly targets: readonly (PaymentTarget | PaymentSuggestion)[]
}

function Choices({ title, targets }: ChoicesProps) {
  return (
    <Stack gap="xs" mt="xs" role="group" aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {targets.map(target => (
        <Radio key={target.id} value={target.id} required {...wordsOf(target)} />
      ))}
    </Stack>
  )
}

const CLUES: Record<PaymentSuggestion['clues'][number], string> = {
  amount: 'the same amount',
  earlier_match: 'this account paid for the company before',
  sender_account: "it came from the company's account",
  sender_name: 'the sender has its name',
  text: 'the text names the company',
}

/** For a loan, `owed` is the principal alone. */
function owedOf({ kind, owed }: PaymentTarget): string {
  if (kind !== 'loan') return `${money(owed)} owed`
  return owed > 0 ? `${money(owed)} of principal owed` : 'interest alone is owed'
}

function wordsOf(target: PaymentTarget | PaymentSuggestion) {
  const { kind, payer, partner, due_at, reference } = target
  const clues = 'clues' in target ? target.clues.map(clue => CLUES[clue]) : []
  return {
    label: `${words(kind)} of ${payer}: ${owedOf(target)}, due ${day(due_at)}`,
    description: [partner, reference, ...clues].filter(Boolean).join(', '),
  }
}
