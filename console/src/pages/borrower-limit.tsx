/** A borrower's credit line: its limit, the rules behind it, and the overrides by operators. */
import type { Borrower, CreditLine, CreditLineExplanation, LimitByHand } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { amount, dayOf, momentOf, plain, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, QueryResult, Section } from '../kit/detail.tsx'
import { cents, count, day, moment, money, percent, words } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { Rows } from '../kit/rows.tsx'
import { useIsLender, useSignedIn } from '../kit/session.tsx'

interface Of {
  readonly partner: string
  readonly borrower_id: string
  readonly status: Borrower['status']
}

export function BorrowerLimit({ partner, borrower_id, status: of }: Of) {
  const closed = of === 'DEACTIVATED' ? 'The credit line is closed.' : null
  const isLender = useIsLender()
  const lines = useQuery({
    queryKey: ['credit-lines', borrower_id],
    queryFn: () => call('listCreditLines', { query: { borrower: [borrower_id] }, partner }),
  })
  return (
    <QueryResult of={lines}>
      {({ data: [line] }) =>
        line ? (
          <Stack>
            <Line line={line} borrower_id={borrower_id} />
            {isLender && (
              <LimitOverrideSection
                partner={partner}
                line={line}
                borrower_id={borrower_id}
                closed={closed}
              />
            )}
            <LimitExplanation partner={partner} credit_line_id={line.id} />
          </Stack>
        ) : (
          <Text c="dimmed">
            No credit line yet. The service opens one as soon as the terms are signed and a
            repayment method is ready.
          </Text>
        )
      }
    </QueryResult>
  )
}

const refusedWords = (code: string) =>
  code === 'KYB_REVIEW' ? 'KYB review not approved' : words(code).toLowerCase()

function Line({ line, borrower_id }: { line: CreditLine; borrower_id: string }) {
  const drawable = useQuery({
    queryKey: ['available-credit', borrower_id],
    queryFn: () => call('getAvailableCredit', { params: { borrower_id } }),
  })
  const { amount: available, outstanding, refused_as } = drawable.data ?? {}
  const { pool_amount = 0, balance_available = 0, balance_pending, currency } = line
  const reserved = balance_pending + line.balance_pending_validation
  return (
    <Section title="Credit line">
      <Facts
        of={[
          ['Limit', money(pool_amount, currency)],
          [
            'Available credit',
            available !== undefined &&
              `${money(available, currency)}${refused_as ? `: ${refusedWords(refused_as)}` : ''}`,
          ],
          ['Undrawn limit', money(balance_available, currency)],
          ['Outstanding', outstanding !== undefined && money(outstanding, currency)],
          ['Reserved', money(reserved, currency)],
          ['Daily rate', percent(line.fees_daily_rate / 100, 4)],
          ['Expires', day(line.end_date)],
          ['Contract', line.contract_number],
        ]}
      />
    </Section>
  )
}

function LimitExplanation({
  partner,
  credit_line_id,
}: {
  partner: string
  credit_line_id: string
}) {
  const explanation = useQuery({
    queryKey: ['explanation', credit_line_id],
    queryFn: () => call('explainCreditLine', { params: { credit_line_id }, partner }),
  })
  return (
    <Section title="Why this limit">
      <QueryResult of={explanation}>
        {data => (
          <>
            <Text size="sm">
              Scorecard {data.scorecard_version}, {moment(data.assessed_at)}, after{' '}
              {words(data.cause).toLowerCase()}: it says {money(data.scored_amount, data.currency)},
              from a base of {money(data.base_amount, data.currency)} and at most{' '}
              {money(data.cap_amount, data.currency)}.
            </Text>
            <Rows
              label="Rules of the scorecard"
              csv
              rows={[...data.rules]}
              rowId={rule => rule.name}
              columns={RULES}
            />
          </>
        )}
      </QueryResult>
    </Section>
  )
}

type Rule = CreditLineExplanation['rules'][number]

const AMOUNT = /_(monthly|total|amount|capital)$/

function figure({ figure: name }: Rule, value: number | null): string {
  if (value === null) return '–'
  if (AMOUNT.test(name)) return money(value)
  return name.endsWith('_ppm') ? percent(value / 1_000_000) : count(value)
}

const RULES: readonly Column<Rule>[] = [
  plain('name', 'Rule', rule => words(rule.name)),
  plain('figure', 'Looks at', rule => words(rule.figure.replace(/_(ppm|amount)$/, ''))),
  { id: 'value', header: 'Found', text: rule => figure(rule, rule.value), numeric: true },
  {
    id: 'step',
    header: 'Step reached',
    text: rule => figure(rule, rule.reached_from),
    numeric: true,
  },
  amount('adds', 'Adds', rule => rule.adds),
]

const LIMITS: readonly Column<LimitByHand>[] = [
  amount('pool', 'Limit', limit => limit.pool_amount),
  status(limit => limit.status),
  dayOf('until', 'Until', limit => limit.until),
  plain('reason', 'Reason', limit => limit.reason),
  plain('by', 'Proposed by', limit => limit.proposed_by),
  momentOf('at', 'Proposed', limit => limit.proposed_at),
  plain('approved', 'Approved by', limit => limit.approved_by),
]

const WHY = { name: 'reason', label: 'Reason', kind: 'long' } as const

interface LimitOverrideProps {
  readonly partner: string
  readonly line: CreditLine
  readonly borrower_id: string
  /** Why the limit can no longer be set; null if it can. */
  readonly closed: string | null
}

function LimitOverrideSection({ partner, line, borrower_id, closed }: LimitOverrideProps) {
  const today = useBusinessDate(partner)
  const limits = useQuery({
    queryKey: ['limits', borrower_id],
    queryFn: () => call('listLimits', { params: { borrower_id } }),
  })
  const open = limits.data?.data.find(({ status }) => status === 'PROPOSED')
  const inForce = limits.data?.data.find(({ status }) => status === 'IN_FORCE')
  return (
    <Section
      title="Limits set by hand"
      actions={
        <>
          {open ? (
            <Proposal {...open} closed={closed} today={today} />
          ) : (
            <SetLimit line={line} closed={closed} />
          )}
          {inForce && <EndLimit {...inForce} closed={closed} />}
        </>
      }
    >
      <QueryResult of={limits}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">None: the limit is what the scorecard says.</Text>
          ) : (
            <Rows
              label="Limits set by hand"
              columns={LIMITS}
              rows={[...data]}
              csv
              rowId={limit => limit.id}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

const becomesText = (amount: number | null) =>
  amount === null ? '' : `, and will be ${money(amount)}`

function SetLimit({ line, closed }: Pick<LimitOverrideProps, 'line' | 'closed'>) {
  const { id, pool_amount } = line
  return (
    <Action
      label="Set limit"
      disabledReason={closed}
      info={({ amount: typed = '' }) =>
        `The limit is ${money(pool_amount)}${becomesText(cents(typed))}. Above the threshold of the
        scorecard it waits until somebody else agrees.`
      }
      fields={[
        { name: 'amount', label: 'Limit', kind: 'amount' },
        { name: 'until', label: 'Last day', kind: 'day', optional: true, hint: 'Or until ended' },
        WHY,
      ]}
      run={({ amount: typed = '', until, reason = '' }) =>
        call('setLimit', {
          body: {
            credit_line_id: id,
            reason,
            until_on: until || null,
            pool_amount: cents(typed) ?? -1,
          },
        })
      }
      done="The limit is set, or waits for a second person."
    />
  )
}

interface ProposalProps extends LimitByHand, Pick<LimitOverrideProps, 'closed'> {
  /** `YYYY-MM-DD`; undefined while loading. */
  readonly today: string | undefined
}

function Proposal({ closed, today, ...limit }: ProposalProps) {
  const { id, status, pool_amount, reason, proposed_by, until } = limit
  const params = { limit_id: id }
  const own = useSignedIn().operator.email === proposed_by
  const isOver = until !== null && today !== undefined && until.slice(0, 10) < today
  const over = isOver ? `Its last day, ${day(until)}, has passed. Reject it.` : null
  const second = own ? 'You cannot approve your own proposal.' : null
  return (
    <>
      <Action
        label={`Approve ${money(pool_amount)}`}
        color="green"
        variant="filled"
        disabledReason={
          closed ?? over ?? second ?? blockedReason('limit_override', status, 'approve')
        }
        info={`The limit will be ${money(pool_amount)}. ${proposed_by} wrote: ${reason}`}
        run={() => call('approveLimit', { params })}
        done={`The limit is ${money(pool_amount)}.`}
      />
      <Action
        label={own ? 'Take it back' : 'Reject'}
        info={`The limit stays as it is, and is not ${money(pool_amount)}.`}
        fields={[WHY]}
        run={({ reason: why = '' }) => call('rejectLimit', { params, body: { reason: why } })}
        done="The proposal is rejected."
      />
    </>
  )
}

function EndLimit({ id, pool_amount, closed }: LimitByHand & Pick<LimitOverrideProps, 'closed'>) {
  return (
    <Action
      label="End the limit by hand"
      disabledReason={closed}
      info={`The limit will not be ${money(pool_amount)} any more, but what the scorecard says.`}
      fields={[WHY]}
      run={({ reason = '' }) => call('endLimit', { params: { limit_id: id }, body: { reason } })}
      done="The scorecard's limit counts again."
    />
  )
}
