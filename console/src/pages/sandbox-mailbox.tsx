/** Emails that the sandbox stores instead of sending them. */
import type { Mail } from '@headroom/contract'
import { Anchor, Stack, Text } from '@mantine/core'
import { call } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Section } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'

const FILTERS: readonly Filter[] = [{ kind: 'text', name: 'to', label: 'To' }]

const COLUMNS: readonly Column<Mail>[] = [
  momentOf('sent_at', 'Sent', mail => mail.sent_at),
  momentOf('refused_at', 'Refused', mail => mail.refused_at),
  plain('to', 'To', mail => mail.to),
  {
    id: 'mail',
    header: 'Mail',
    text: mail => mail.subject,
    cell: mail => (
      <details>
        <Text component="summary">{mail.subject}</Text>
        <Stack gap="xs">
          {mail.refused_because && (
            <Text size="sm" c="red">
              The mail server refused this mail: {mail.refused_because}
            </Text>
          )}
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {mail.text}
          </Text>
          {mail.attachments.map(({ filename, media_type, content_base64 }) => (
            <Anchor
              key={filename}
              size="sm"
              href={`data:${media_type};base64,${content_base64}`}
              download={filename}
            >
              {filename}
            </Anchor>
          ))}
        </Stack>
      </details>
    ),
  },
]

export function SandboxMailbox({ partner }: { partner: string }) {
  const query = useListQuery(FILTERS)
  return (
    <Section title="Mailbox">
      <Filters of={FILTERS} />
      <DataList
        name="Mails"
        queryKey={['mailbox', partner, query]}
        first={() => call('listSandboxMailbox', { query: query as object, partner })}
        partner={partner}
        columns={COLUMNS}
        rowId={mail => mail.id}
        empty="No mail yet. Contracts, bills and reminders end here in a sandbox."
      />
    </Section>
  )
}
