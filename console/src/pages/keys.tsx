/** A partner's API keys: create, rotate, revoke. */
import type { Key } from '@headroom/contract'
import { Group, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { moment, words } from '../kit/format.ts'
import { useSecret } from '../kit/secret.tsx'
import { useAdminsOnly } from '../kit/session.tsx'

const route = getRouteApi('/p/$partner/keys')
const ACTORS = ['human', 'agent']
const VERSIONS = ['2026-07', '2023-09']

export function KeysPage() {
  const { partner } = route.useParams()
  const { show, dialog } = useSecret()
  const adminsOnly = useAdminsOnly()
  const create = async ({ name, actor, version }: Readonly<Record<string, string>>) => {
    const body = { name: name!, actor: actor as Key['actor'], version: version as Key['version'] }
    const made = await call('createKey', { body, partner })
    show(made.name, made.key)
  }
  return (
    <Stack>
      <PageHead
        title="Keys"
        info="What the partner’s programs sign in with"
        actions={
          <Action
            label="Create a key"
            variant="filled"
            disabledReason={adminsOnly}
            info="It may do what you may do; an agent’s writes only what a person approved."
            fields={[
              { name: 'name', label: 'Name', hint: 'Which program it is for' },
              {
                name: 'actor',
                label: 'Who acts',
                kind: 'choice',
                options: ACTORS,
                initial: 'human',
              },
              {
                name: 'version',
                label: 'Version',
                kind: 'choice',
                options: VERSIONS,
                initial: '2026-07',
              },
            ]}
            run={create}
            done="The key is created."
          />
        }
      />
      {dialog}
      <DataList
        name="Keys"
        queryKey={['keys', partner]}
        first={() => call('listKeys', { partner })}
        partner={partner}
        columns={columns(partner, show)}
        rowId={key => key.id}
        empty="No keys yet. Create one for each program, so that each can be revoked by itself."
      />
    </Stack>
  )
}

function columns(
  partner: string,
  show: (of: string, text: string) => void,
): readonly Column<Key>[] {
  return [
    plain('name', 'Key', key => key.name),
    plain('prefix', 'Begins with', key => `${key.prefix}…`),
    plain('actor', 'Who acts', key => words(key.actor)),
    plain('scopes', 'May', key => key.scopes?.join(', ') ?? 'everything'),
    plain('version', 'Version', key => key.version),
    momentOf('last_used_at', 'Last used', key => key.last_used_at),
    momentOf('expires_at', 'Ends', key => key.revoked_at ?? key.expires_at),
    {
      id: 'actions',
      header: 'Actions',
      text: () => '',
      acts: true,
      cell: key => <Actions of={key} partner={partner} show={show} />,
    },
  ]
}

interface ActionsProps {
  readonly of: Key
  readonly partner: string
  readonly show: (of: string, text: string) => void
}

function Actions({ of, partner, show }: ActionsProps) {
  const params = { key_id: of.id }
  const adminsOnly = useAdminsOnly()
  const disabledReason = of.revoked_at ? 'The key is revoked.' : adminsOnly
  const replaced = of.expires_at ? `Already replaced; it ends ${moment(of.expires_at)}.` : null
  return (
    <Group gap="xs" wrap="nowrap">
      <Action
        label="Rotate"
        size="compact-sm"
        disabledReason={disabledReason ?? replaced}
        info={`Another key takes the place of “${of.name}”, and acts as the same caller.`}
        fields={[{ name: 'hours', label: 'Hours for which the old one goes on', initial: '24' }]}
        run={async ({ hours }) => {
          const body = { overlap_hours: Number(hours) }
          const made = await call('rotateKey', { params, body, partner })
          show(made.name, made.key)
        }}
        done="The key is replaced."
      />
      <Action
        label="Revoke"
        size="compact-sm"
        color="red"
        disabledReason={disabledReason}
        info={`“${of.name}” opens nothing any more, at once. Programs that use it stop working.`}
        run={() => call('revokeKey', { params, partner })}
        done="The key is revoked."
      />
    </Group>
  )
}
