/** The menu's search box, which leads to the search page. */
import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

/** `done` runs when the user starts a search, for example to close the menu. */
export function SearchBox({ done }: { done: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  return (
    <search>
      <form
        onSubmit={event => {
          event.preventDefault()
          done()
          void navigate({ to: '/search' as '/', search: { query: typed.trim() } as never })
        }}
      >
        <TextInput
          aria-label="Search everything"
          placeholder="Name, number, IBAN or id"
          leftSection={<IconSearch size={16} />}
          size="xs"
          mb="xs"
          maxLength={100}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
        />
      </form>
    </search>
  )
}
