/** Shows a new secret once, to be copied; closing the dialog discards it. */
import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'

interface Secret {
  readonly of: string
  readonly text: string
}

/** Returns a function that shows a secret, and the dialog to render. Shows several in turn. */
export function useSecret() {
  const [secrets, setSecrets] = useState<readonly Secret[]>([])
  const [secret] = secrets
  const discard = () => setSecrets(([_, ...later]) => later)
  const dialog = (
    <Modal
      opened={secret !== undefined}
      onClose={discard}
      title={secret?.of}
      centered
      // A stray click or key press must not discard the secret.
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
          <Button onClick={discard}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  )
  return {
    show: (of: string, text: string) => setSecrets(shown => [...shown, { of, text }]),
    dialog,
  }
}
