/** A document that the user chooses in an action's dialog, as text among the dialog's values. */

export const ACCEPTED = 'application/pdf,image/png,image/jpeg'

interface Evidence {
  readonly title: string
  readonly document_binary_base64: string
}

/** The value of a field for a file: empty without one. */
export async function readEvidence(file: File | undefined): Promise<string> {
  if (!file) return ''
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  const document_binary_base64 = address.slice(address.indexOf(',') + 1)
  return JSON.stringify({ title: file.name, document_binary_base64 } satisfies Evidence)
}

/** The document in a field's value, as the API takes it: a list of at most one. */
export function evidenceIn(value: string | undefined): Evidence[] {
  return value ? [JSON.parse(value) as Evidence] : []
}
