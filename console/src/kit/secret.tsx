/** A secret that is shown this once: it can be copied, and is gone with the dialog. */
import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'

/** What shows a secret, and the dialog in which it does. */
export function useSecret() {
  const [secret, setSecret] = useState<{ readonly of: string; readonly text: string } | null>(null)
  const dialog = (
    <Modal
      opened={secret !== null}
      onClose={() => setSecret(null)}
      title={secret?.of}
      centered
      // A key that was pressed once too often does not lose it.
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="orange" title="It is shown this once">
          Keep it where only your program finds it. Nobody can show it again.
        </Alert>
        <Code block>{secret?.text}</Code>
        <Group justify="end">
          <CopyButton value={secret?.text ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} data-autofocus>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={() => setSecret(null)}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  )
  return { show: (of: string, text: string) => setSecret({ of, text }), dialog }
}
