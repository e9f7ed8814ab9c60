/** Reports on the books and the loans, with the reconciliation of their figures. */
import { partnerReports, reportRowsMax } from 'virtual:contract'
import type { ReportTable } from '@headroom/contract'
import { Alert, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { idOf } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import {
  count,
  day,
  decimal,
  moment,
  money,
  month,
  percent,
  shortId,
  words,
} from '../kit/format.ts'
import { queryOf, usePageQuery } from '../kit/page-query.ts'

type Parameter = 'as_of' | 'days' | 'by' | 'per'

/** Title and parameters of each report. */
const REPORTS = {
  'trial-balance': ['Every account as of a day', ['as_of', 'by']],
  balances: ['What each loan, borrower and partner has in the books', ['as_of', 'by']],
  ledger: ['Every posting of a time', ['days', 'by']],
  aging: ['The loan book by how late it is', ['as_of', 'by']],
  'portfolio-at-risk': ['What part of it belongs to late loans', ['as_of', 'by']],
  'interest-earned': ['Interest by month, product and partner', ['days', 'by']],
  'cash-flow': ['What is to come in and to go out, from today on', ['per']],
} as const satisfies Record<string, readonly [string, readonly Parameter[]]>

type Name = keyof typeof REPORTS
const NAMES = Object.keys(REPORTS) as Name[]
const isOfPartners = (name: Name) => partnerReports.includes(name)
const named = (name: string) => words(name.replaceAll('-', '_'))

const FIELDS: Record<Parameter, readonly string[]> = {
  as_of: ['as_of'],
  days: ['from', 'to'],
  by: ['by'],
  per: ['per'],
}

export function ReportsPage() {
  const { pageQuery } = usePageQuery()
  const { partner } = useParams({ strict: false })
  const names = partner ? NAMES.filter(isOfPartners) : NAMES
  const name = names.find(known => known === pageQuery.report) ?? names[0]!
  const [info, parameters] = REPORTS[name]
  const fields = parameters.flatMap(setPageQuery => FIELDS[setPageQuery])
  const query = { ...queryOf(pageQuery, fields), ...(partner && { partner_id: partner }) }
  const read = (rows?: number) =>
    call('getReport', { params: { name }, query: { ...query, ...(rows && { rows }) } as object })
  const report = useQuery({ queryKey: ['report', name, query], queryFn: () => read() })
  const readLong = () => read(reportRowsMax)
  return (
    <Stack>
      <PageHead title="Reports" info={info} />
      <Group align="end" gap="sm" role="search" aria-label="Which report">
        <Choice name="report" label="Report" value={name} options={names} />
        {fields.includes('as_of') && <DayField name="as_of" label="As of" />}
        {fields.includes('from') && <DayField name="from" label="From" />}
        {fields.includes('to') && <DayField name="to" label="To" />}
        {fields.includes('by') && (
          <Choice name="by" label="By the day of" options={['booked', 'value']} />
        )}
        {fields.includes('per') && <Choice name="per" label="For each" options={['day', 'week']} />}
      </Group>
      <Section title={named(name)}>
        <QueryResult of={report}>
          {table => <Table name={name} table={table} readLong={readLong} />}
        </QueryResult>
      </Section>
    </Stack>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly options: readonly string[]
  /** The default; the first option if absent. */
  readonly value?: string
}

function Choice({ name, label, options, value }: ChoiceProps) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const chosen = typeof pageQuery[name] === 'string' ? pageQuery[name] : (value ?? options[0]!)
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={options.map(option => ({ value: option, label: named(option) }))}
      value={chosen}
      onChange={picked => setPageQuery({ [name]: picked ?? undefined })}
    />
  )
}

function DayField({ name, label }: { name: string; label: string }) {
  const { pageQuery, setPageQuery } = usePageQuery()
  return (
    <TextInput
      type="date"
      label={label}
      value={typeof pageQuery[name] === 'string' ? pageQuery[name] : ''}
      onChange={event => setPageQuery({ [name]: event.currentTarget.value })}
    />
  )
}

type Row = ReportTable['rows'][number] & { readonly row: number }

interface TableProps {
  readonly name: Name
  readonly table: ReportTable
  /** Reads as many rows as the API allows in one response. */
  readonly readLong: () => Promise<ReportTable>
}

const numbered = ({ rows }: ReportTable) => rows.map((row, n) => ({ ...row, row: n }) as Row)
const pageOf = (table: ReportTable) => ({ data: numbered(table), next_page: null })

function Table({ name, table, readLong }: TableProps) {
  const { rows, total } = table
  const isCut = total > rows.length
  return (
    <Stack>
      <Reconciled of={table.reconciled} />
      {isCut && (
        <Alert color="orange" title={`Only the first ${count(rows.length)} rows are here`}>
          There are {count(total)}. CSV has {total > reportRowsMax ? 'the first ' : 'all '}
          {count(Math.min(total, reportRowsMax))}; the command line writes any number:{' '}
          <Code>npm run -s headroom -- report {name} --csv</Code>
        </Alert>
      )}
      <DataList
        name={`Report ${name}`}
        queryKey={['report', name, 'rows', table.rows]}
        first={async () => pageOf(table)}
        {...(isCut && { whole: async () => pageOf(await readLong()) })}
        columns={table.columns.map(columnOf(table))}
        rowId={row => String(row.row)}
        empty="The books say nothing of these days yet."
      />
    </Stack>
  )
}

type Kind = ReportTable['columns'][number]['kind']

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)

/** Formats a cell by the kind of its column. A column of days may hold a word such as "overdue". */
const SHOWN: Readonly<Record<Kind, (cell: string) => string>> = {
  count: cell => count(Number(cell)),
  cents: cell => money(Number(cell)),
  ppm: cell => percent(Number(cell) / 1_000_000),
  text: cell => cell,
  word: words,
  day: cell => (isDay(cell) ? day(cell) : words(cell)),
  month,
  moment,
  id: shortId,
  partner: shortId,
}
const NUMBERS: readonly Kind[] = ['count', 'cents', 'ppm']
const SHORT: readonly Kind[] = ['day', 'month', 'moment']

/** Columns of ids that have no page to link to. */
const WITHOUT_PAGE = ['entry_id']

function columnOf({ partners }: ReportTable) {
  return ({ name, kind }: ReportTable['columns'][number]): Column<Row> => {
    const value = (row: Row) => (row[name] === null ? '' : String(row[name] ?? ''))
    const header = words(name.replace(/_(id|ppm)$/, ''))
    if (kind === 'id' && !WITHOUT_PAGE.includes(name)) return idOf(name, header, value)
    const text = (row: Row) => {
      const cell = value(row)
      return cell === '' ? '–' : (kind === 'partner' && partners[cell]) || SHOWN[kind](cell)
    }
    const csv = (row: Row) =>
      kind === 'cents' && value(row) ? decimal(Number(value(row))) : value(row)
    return {
      id: name,
      header,
      text,
      csv,
      ...(NUMBERS.includes(kind) && { numeric: true as const }),
      ...(SHORT.includes(kind) && { short: true as const }),
    }
  }
}

function Reconciled({ of }: Pick<{ of: ReportTable['reconciled'] }, 'of'>) {
  const wrong = of.filter(({ reported, found }) => reported !== found)
  if (wrong.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Held against {count(of.length)} other figures of the books: it agrees.
      </Text>
    )
  }
  return (
    <Alert color="red" title="This report is not to be trusted">
      {wrong.map(({ with: other, reported, found }) => (
        <Text key={other} size="sm">
          {other}: {money(reported)} reported, {money(found)} found.
        </Text>
      ))}
    </Alert>
  )
}
