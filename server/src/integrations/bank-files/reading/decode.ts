/** Decodes the bytes of an XML file as a stream. Invalid bytes refuse the file. */
import { UnreadableFile } from './unreadable.ts'

type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | SingleByte
type SingleByte = 'ISO-8859-1' | 'ISO-8859-15' | 'WINDOWS-1252'

/** One piece of text. A short text that is kept holds the memory of its whole piece. */
const PIECE_BYTES = 4_096
/** Enough to hold the XML declaration in any encoding. */
const HEAD_BYTES = 1_024

/**
 * The file's text in pieces. The byte order mark decides the encoding, then the XML declaration,
 * else it is UTF-8. A declaration that contradicts the bytes refuses the file.
 */
export async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head: Uint8Array | null = new Uint8Array()
  let decode: ((piece: Uint8Array, last: boolean) => string) | null = null
  for await (const chunk of bytes) {
    const joined: Uint8Array = head ? Buffer.concat([head, chunk]) : chunk
    if (!decode && joined.length < HEAD_BYTES) {
      head = joined
      continue
    }
    decode ??= openDecoder(encodingOf(joined))
    head = null
    for (let at = 0; at < joined.length; at += PIECE_BYTES) {
      yield decode(joined.subarray(at, at + PIECE_BYTES), false)
    }
  }
  if (head) {
    decode = openDecoder(encodingOf(head))
    yield decode(head, false)
  }
  yield decode!(new Uint8Array(), true)
}

const OTHER_KINDS: readonly (readonly [string, string])[] = [
  ['PK', 'is a ZIP archive. Unpack it first.'],
  ['%PDF', 'is a PDF document, not a bank file in XML.'],
  ['\x1f\x8b', 'is compressed with gzip. Unpack it first.'],
  ['\xff\xfe\0\0', 'is in UTF-32, which is not supported.'],
  ['\0\0\xfe\xff', 'is in UTF-32, which is not supported.'],
]

/** Byte order marks, and the first `<` of files in UTF-16 without one. */
const MARKS: readonly (readonly [string, Encoding])[] = [
  ['\xef\xbb\xbf', 'UTF-8'],
  ['\xff\xfe', 'UTF-16LE'],
  ['\xfe\xff', 'UTF-16BE'],
  ['<\0', 'UTF-16LE'],
  ['\0<', 'UTF-16BE'],
]

/** The declared names of each encoding, in capitals. */
const NAMES: Readonly<Record<Encoding, readonly string[]>> = {
  'UTF-8': ['UTF-8', 'UTF8'],
  'UTF-16LE': ['UTF-16', 'UTF-16LE'],
  'UTF-16BE': ['UTF-16', 'UTF-16BE'],
  'ISO-8859-1': ['ISO-8859-1', 'LATIN1'],
  'ISO-8859-15': ['ISO-8859-15', 'LATIN-9'],
  'WINDOWS-1252': ['WINDOWS-1252', 'CP1252'],
}

function encodingOf(head: Uint8Array): Encoding {
  const start = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1')
  for (const [bytes, reason] of OTHER_KINDS) {
    if (start.startsWith(bytes)) throw new UnreadableFile(`The file ${reason}`)
  }
  const marked = MARKS.find(([bytes]) => start.startsWith(bytes))?.[1] ?? null
  // In UTF-16 every other byte of a declaration is zero.
  const text = start.replaceAll('\0', '').replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
  if (/^\s*$/.test(text)) throw new UnreadableFile('The file is empty.')
  if (!/^\s*</.test(text)) {
    throw new UnreadableFile('The file is not XML: it does not begin with "<".')
  }
  const [, declared] = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]*)["']/.exec(text) ?? []
  if (declared === undefined) return marked ?? 'UTF-8'
  const encodings = (Object.keys(NAMES) as Encoding[]).filter(encoding =>
    NAMES[encoding].includes(declared.toUpperCase()),
  )
  if (encodings.length === 0) {
    throw new UnreadableFile(
      `The file declares the encoding ${declared}. Supported are UTF-8, UTF-16, ISO-8859-1, ` +
        'ISO-8859-15 and windows-1252.',
    )
  }
  // Without a mark, the declaration could be read byte by byte, so the file is not in UTF-16.
  const possible = encodings.filter(e => (marked ? e === marked : !e.startsWith('UTF-16')))
  if (possible.length > 0) return possible[0]!
  throw new UnreadableFile(
    `The file declares the encoding ${declared}, but its first bytes are ` +
      `${marked ? `those of ${marked}` : 'not in that encoding'}.`,
  )
}

function openDecoder(encoding: Encoding): (piece: Uint8Array, last: boolean) => string {
  if (!encoding.startsWith('UTF')) return piece => decodeBytes(piece, encoding as SingleByte)
  // Removes the byte order mark, too.
  const decoder = new TextDecoder(encoding.toLowerCase(), { fatal: true })
  return (piece, last) => {
    try {
      return decoder.decode(piece, { stream: !last })
    } catch {
      throw new UnreadableFile(`The file has bytes that are not ${encoding}.`)
    }
  }
}

/**
 * What differs from ISO-8859-1. Bytes 80 to 9F are control characters there, which no bank writes:
 * such a file declares the wrong encoding.
 */
const DIFFERENCES: Readonly<Record<SingleByte, Readonly<Record<string, string>>>> = {
  'ISO-8859-1': {},
  'ISO-8859-15': pairs('\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe', '€ŠšŽžŒœŸ'),
  'WINDOWS-1252': pairs(
    '\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8e' +
      '\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9e\x9f',
    '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ',
  ),
}

function pairs(bytes: string, characters: string): Record<string, string> {
  return Object.fromEntries([...bytes].map((byte, index) => [byte, [...characters][index]!]))
}

/**
 * Not `TextDecoder`, which reads ISO-8859-1 as windows-1252 and accepts the five bytes that
 * windows-1252 does not define.
 */
function decodeBytes(piece: Uint8Array, encoding: SingleByte): string {
  const different = DIFFERENCES[encoding]
  return Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, character => {
      if (different[character]) return different[character]
      if (character >= '\xa0') return character
      const byte = character.charCodeAt(0).toString(16).toUpperCase()
      throw new UnreadableFile(`The file has the byte ${byte}, which is not in ${encoding}.`)
    })
}
