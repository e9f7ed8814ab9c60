/** Closes what a test file has opened, because the next file runs in the same process. */

const opened: (() => Promise<unknown>)[] = []

/** Registers a cleanup to run after the file's tests, in reverse order. */
export function closeAfterwards(close: () => Promise<unknown>): void {
  opened.push(close)
}

/** Runs once after each file. Throws the first failure after closing everything. */
export async function closeOpened(): Promise<void> {
  const failures: unknown[] = []
  for (const close of opened.splice(0).reverse()) {
    await close().catch(error => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}
