/** What a file of tests has opened is closed after it: the next one runs in the same process. */

const opened: (() => Promise<unknown>)[] = []

/** Closes something after the file's tests; what was opened last is closed first. */
export function closeAfterwards(close: () => Promise<unknown>): void {
  opened.push(close)
}

/** Called once after each file. Throws what failed, when all that can be closed is closed. */
export async function closeOpened(): Promise<void> {
  const failures: unknown[] = []
  for (const close of opened.splice(0).reverse()) {
    await close().catch(error => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}
