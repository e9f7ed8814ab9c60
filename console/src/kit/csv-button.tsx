/** Exports a whole list as CSV, page by page, and shows its progress. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { fetchAddress } from './api.ts'
import { saveCsv } from './csv.ts'
import type { Column, Page } from './data-list.tsx'
import { count } from './format.ts'
import { problemText } from './problem-alert.tsx'

interface Props<Row> {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly first: () => Promise<Page<Row>>
  readonly partner?: string | undefined
}

export function CsvButton<Row extends object>({ name, columns, first, partner }: Props<Row>) {
  const [read, setRead] = useState<number | null>(null)
  const take = async () => {
    const rows: Row[] = []
    setRead(0)
    try {
      let page = await first()
      for (;;) {
        rows.push(...page.data)
        setRead(rows.length)
        if (page.next_page === null) break
        page = await fetchAddress<Page<Row>>(page.next_page, partner)
      }
      saveCsv(
        name,
        columns.filter(column => !column.acts),
        rows,
      )
    } catch (error) {
      const message = `After ${count(rows.length)} rows: ${problemText(error)}`
      notifications.show({ color: 'red', title: 'There is no CSV', message })
    } finally {
      setRead(null)
    }
  }
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconDownload size={16} />}
      onClick={take}
      disabled={read !== null}
    >
      {read === null ? 'CSV' : `${count(read)} rows read`}
    </Button>
  )
}
