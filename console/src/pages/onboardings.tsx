/** Companies invited to the hosted onboarding, and the progress of each. */
import { languages } from 'virtual:countries'
import type { InvitedCompany } from '@headroom/contract'
import { Anchor, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { languageName, shortId, words } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Status } from '../kit/status.tsx'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'id', label: 'Id of the onboarding' },
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('onboarding') },
]

const statusOf = ({ status, is_expired }: InvitedCompany) => (is_expired ? 'EXPIRED' : status)

const columns = (partner: string): readonly Column<InvitedCompany>[] => [
  {
    id: 'company',
    header: 'Company',
    text: one => one.company ?? 'Not named yet',
    cell: ({ company, borrower_id: borrower }) =>
      borrower ? (
        <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower }}>
          {company ?? shortId(borrower)}
        </PageLink>
      ) : (
        (company ?? 'Not named yet')
      ),
  },
  {
    id: 'status',
    header: 'Status',
    text: one => words(statusOf(one)),
    cell: one => <Status value={statusOf(one)} />,
  },
  plain('step', 'Has come to', one => one.step && words(one.step.replaceAll('-', '_'))),
  plain('language', 'Language', one => languageName(one.preferred_language)),
  momentOf('created_at', 'Invited', one => one.created_at),
  momentOf('expires_at', 'Good until', one => one.expires_at),
  {
    id: 'link',
    header: 'Its page',
    text: one => one.secure_resume_link ?? '–',
    cell: ({ secure_resume_link: link }) =>
      link ? (
        <Anchor href={link} target="_blank" rel="noreferrer" underline="always" inherit>
          Open
        </Anchor>
      ) : (
        '–'
      ),
  },
]

export function OnboardingsPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  const [link, setLink] = useState<string | null>(null)
  return (
    <Stack>
      <PageHead
        title="Onboardings"
        info="Companies that become borrowers by themselves, on a page of ours"
        actions={<Invite partner={partner} show={setLink} />}
      />
      <Filters of={FILTERS} />
      <DataList
        name="Onboardings"
        partner={partner}
        columns={columns(partner)}
        queryKey={['onboardings', partner, query]}
        first={() => call('listOnboardings', { query: { ...query, partner_id: partner } })}
        rowId={one => one.id}
        empty="Nobody is invited yet. Invite a company: it gets a link, good for 24 hours."
      />
      <LinkOf link={link} close={() => setLink(null)} />
    </Stack>
  )
}

function Invite({ partner, show }: { partner: string; show: (link: string | null) => void }) {
  return (
    <Action
      label="Invite a company"
      variant="filled"
      info="You get a link for the company. It can begin, leave and go on for 24 hours."
      fields={[
        {
          name: 'language',
          label: 'Language',
          kind: 'choice',
          initial: 'fr',
          options: languages,
          called: languageName,
        },
        { name: 'email', label: 'E-mail of the company', optional: true },
      ]}
      run={async ({ language = 'fr', email }) => {
        const body = { preferred_language: language, email: email || null }
        show((await call('createOnboarding', { body, partner })).secure_resume_link)
      }}
      done="The company can onboard itself."
    />
  )
}

function LinkOf({ link, close }: { link: string | null; close: () => void }) {
  return (
    <Modal opened={link !== null} onClose={close} title="Send this link to the company" centered>
      <Stack>
        <Text>Whoever has it can go on with this onboarding, and with nothing else.</Text>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {link}
        </Code>
        <Group justify="end">
          <CopyButton value={link ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
