/** One invoice: its contents, its loans and the lender's review. */
import { denialCodes } from 'virtual:contract'
import type { DenialCode, Invoice } from '@headroom/contract'
import { Anchor, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { Facts, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { day, money, shortId, words } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { useIsLender } from '../kit/session.tsx'

export function InvoicePage() {
  const { partner, invoice: invoice_id } = usePageParams<'partner' | 'invoice'>()
  const isLender = useIsLender()
  const invoice = useQuery({
    queryKey: ['invoice', invoice_id],
    queryFn: () => call('getInvoice', { params: { invoice_id }, partner }),
  })
  return (
    <QueryResult of={invoice} title="Invoice">
      {data => (
        <Stack>
          <PageHead
            title={`Invoice ${data.invoice_number}`}
            status={data.status}
            info={data.status_reason && words(data.status_reason)}
            actions={isLender && <ReviewActions {...data} />}
          />
          <About partner={partner} invoice={data} />
          <Json of={data} />
        </Stack>
      )}
    </QueryResult>
  )
}

const partyOf = (party: Invoice['seller']) =>
  party && [party.name, party.identifier].filter(Boolean).join(', ')

function About({ partner, invoice }: { partner: string; invoice: Invoice }) {
  const { currency, document_url, to_edit, loan_ids } = invoice
  return (
    <>
      <Section title="What it says">
        <Facts
          of={[
            ['Seller', partyOf(invoice.seller)],
            ['Buyer', partyOf(invoice.buyer)],
            ['Total', money(invoice.total_amount, currency)],
            ['To be paid', money(invoice.to_pay_amount, currency)],
            ['Net', money(invoice.net_amount, currency)],
            ['Tax', money(invoice.tax_amount, currency)],
            ['Issued', day(invoice.issued_at)],
            ['Due', day(invoice.due_at)],
            ['To be paid to', invoice.to_account_details?.account_number],
          ]}
        />
        {document_url && (
          <Anchor href={document_url} target="_blank" rel="noreferrer" underline="always">
            Open the PDF
          </Anchor>
        )}
      </Section>
      {to_edit.length > 0 && (
        <Section title="What its partner has to correct">
          <List>
            {to_edit.map(({ name, reason }) => (
              <List.Item key={name}>
                {name} {reason}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      <Section title="Loans on it">
        {loan_ids.length === 0 ? (
          <Text c="dimmed">None yet.</Text>
        ) : (
          <Group>
            {loan_ids.map(loan => (
              <PageLink key={loan} to="/p/$partner/loan/$loan" params={{ partner, loan }}>
                {shortId(loan)}
              </PageLink>
            ))}
          </Group>
        )}
      </Section>
    </>
  )
}

const FIELDS = [
  'invoice_number',
  'issued_at',
  'due_at',
  'total_amount',
  'net_amount',
  'tax_amount',
  'seller',
  'buyer',
  'to_account',
  'document',
]

function ReviewActions({ id, invoice_number, status, total_amount, currency }: Invoice) {
  const params = { invoice_id: id }
  const what = `Invoice ${invoice_number} of ${money(total_amount, currency)}`
  return (
    <>
      <Action
        label="Verify"
        color="green"
        variant="filled"
        disabledReason={blockedReason('invoice', status, 'verify')}
        info={`${what} may be financed. Loans that wait for it are decided at once.`}
        run={() => call('verifyInvoice', { params })}
        done={`${what} is verified.`}
      />
      <Action
        label="Ask for an edit"
        disabledReason={blockedReason('invoice', status, 'ask_edit')}
        info="The partner sees what to correct. Loans that wait for it keep waiting."
        fields={[
          { name: 'name', label: 'Field', kind: 'choice', options: FIELDS },
          { name: 'reason', label: 'What is wrong with it', kind: 'long' },
        ]}
        run={({ name = '', reason = '' }) =>
          call('askInvoiceEdit', { params, body: { to_edit: [{ name, reason }] } })
        }
        done="The partner is asked."
      />
      <Action
        label="Decline"
        color="red"
        disabledReason={blockedReason('invoice', status, 'decline')}
        info={`${what} cannot be financed. Loans that wait for it are declined.`}
        fields={[{ name: 'reason', label: 'Reason', kind: 'choice', options: denialCodes }]}
        run={({ reason }) =>
          call('declineInvoice', { params, body: { reason: reason as DenialCode } })
        }
        done={`${what} is declined.`}
      />
    </>
  )
}
