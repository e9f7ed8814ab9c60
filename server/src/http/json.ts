/** Reads the bytes of a body as JSON; what two readers may understand differently is refused. */
import { problem } from '../kit/problem.ts'

const DEPTH_MAX = 32

/**
 * The value of a JSON text in UTF-8; undefined when there are no bytes. Throws `body_malformed`
 * for anything else, for a name that occurs twice in one object, and beyond 32 levels.
 */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    value = JSON.parse(text)
  } catch (error) {
    const reason = `is not JSON: ${(error as Error).message}`
    throw problem('body_malformed', `The body ${reason}`, {
      invalid_params: [{ name: 'body', reason }],
    })
  }
  const flaw = findFlaw(text)
  if (flaw) {
    throw problem('body_malformed', flaw, { invalid_params: [{ name: 'body', reason: flaw }] })
  }
  return value
}

/** Walks the tokens of a text that is known to be JSON. */
function findFlaw(text: string): string | null {
  /** The names seen in each object that is open; null for an array. */
  const open: (Set<string> | null)[] = []
  let nameNext = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '{' || character === '[') {
      nameNext = character === '{'
      open.push(nameNext ? new Set() : null)
      if (open.length > DEPTH_MAX) return `The body has more than ${DEPTH_MAX} levels.`
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === ',') {
      nameNext = open.at(-1) !== null
    } else if (character === '"') {
      const end = endOfString(text, i)
      const names = open.at(-1)
      if (nameNext && names) {
        const name: string = JSON.parse(text.slice(i, end + 1))
        if (names.has(name)) return `The name ${JSON.stringify(name)} occurs twice in one object.`
        names.add(name)
        nameNext = false
      }
      i = end
    }
  }
  return null
}

/** The index of the quote that closes the string which opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text[first - 1] === '\\') first--
    if ((end - first) % 2 === 0) return end
  }
}
