/**
 * Turns XML text into small trees, one for each statement header, entry or transaction. Checks the
 * order against the reduced schema and limits everything that a hostile file could make large.
 */
import { type SaxesAttributeNSIncomplete, SaxesParser, type SaxesTagNS } from 'saxes'
import {
  type Child,
  type ElementType,
  type Message,
  messageNamed,
  messageNameOf,
  messagesOf,
  type Schema,
} from './schema.ts'
import { UnreadableFile } from './unreadable.ts'
import type { Warnings } from './warnings.ts'

/** An element that is read, with its text and children. */
export interface Element {
  readonly name: string
  text: string
  /** The attribute `Ccy` of an amount. */
  readonly currency: string | null
  readonly children: Element[]
  readonly line: number
}

/** What is called while a file is read. */
export interface TreeVisitor<Family extends string> {
  message(name: string, family: Family): void
  /** A unit begins in `parent`, which has the children read so far. */
  opened(name: string, parent: Element): void
  /** A unit ends. It is not kept. */
  closed(element: Element): void
}

export interface TreeReader {
  write(text: string): void
  end(): void
}

const DEPTH_MAX = 40
const NAME_MAX = 128
const ATTRIBUTES_MAX = 32
const ATTRIBUTE_MAX = 2_048
/** The longest text of the schemas has 2,048 characters. */
const TEXT_MAX = 16_384
/** Of one unit, without the units inside it. */
const UNIT_ELEMENTS_MAX = 20_000
const UNIT_TEXT_MAX = 1_048_576
/** How long a tag, a comment or a text that is not read may be. */
const TOKEN_MAX = 1_048_576

interface Open {
  readonly element: Element
  /** Null for text. */
  readonly type: ElementType | null
  readonly unit: boolean
  readonly seen: Set<string>
  last: { readonly name: string; readonly place: number }
  /** Counted in the nearest unit above, or in the element itself if it is one. */
  readonly size: { elements: number; text: number }
}

interface State<Family extends string = string> {
  readonly parser: SaxesParser<{ xmlns: true }>
  readonly schema: Schema<Family>
  readonly visitor: TreeVisitor<Family>
  readonly warnings: Warnings
  readonly open: Open[]
  namespace: string
  name: string | null
  message_element: string
  /** Null before the document begins, and once its message has begun. */
  message: Message<Family> | null
  depth: number
  /** The depth of the element whose content is skipped; 0 if none is. */
  skipped_at: number
  attributes: number
  /** Where the last tag, text or comment ended. */
  progress: number
}

export function openTree<Family extends string>(
  schema: Schema<Family>,
  visitor: TreeVisitor<Family>,
  warnings: Warnings,
): TreeReader {
  const parser = new SaxesParser({ xmlns: true })
  const state: State<Family> = {
    parser,
    schema,
    visitor,
    warnings,
    open: [],
    namespace: '',
    name: null,
    message_element: '',
    message: null,
    depth: 0,
    skipped_at: 0,
    attributes: 0,
    progress: 0,
  }
  listen(state)
  return {
    write: text => {
      guarded(state, () => parser.write(text))
      if (parser.position - state.progress <= TOKEN_MAX) return
      throw refusal(state, `has a tag, text or comment of more than ${TOKEN_MAX} characters`)
    },
    end: () => guarded(state, () => parser.close()),
  }
}

function listen(state: State): void {
  const { parser } = state
  const progress = () => {
    state.progress = parser.position
  }
  parser.on('xmldecl', ({ version }) => {
    if (version !== '1.0') throw refusal(state, `is in XML ${version}; only 1.0 is read`)
  })
  parser.on('doctype', () => {
    throw refusal(state, 'has a DOCTYPE, which bank files do not have and which is never read')
  })
  parser.on('comment', progress)
  parser.on('processinginstruction', progress)
  parser.on('opentagstart', ({ name }) => {
    progress()
    state.attributes = 0
    if (name.length > NAME_MAX) throw refusal(state, `has a name longer than ${NAME_MAX}`)
  })
  parser.on('attribute', attribute => {
    progress()
    checkAttribute(state, attribute)
  })
  parser.on('opentag', tag => {
    progress()
    openTag(state, tag)
  })
  parser.on('closetag', () => {
    progress()
    closeTag(state)
  })
  for (const kind of ['text', 'cdata'] as const) {
    parser.on(kind, text => {
      progress()
      addText(state, text)
    })
  }
}

function checkAttribute(state: State, { name, value }: SaxesAttributeNSIncomplete): void {
  state.attributes++
  if (state.attributes > ATTRIBUTES_MAX) {
    throw refusal(state, `has an element with more than ${ATTRIBUTES_MAX} attributes`)
  }
  if (name.length > NAME_MAX || value.length > ATTRIBUTE_MAX) {
    throw refusal(state, `has an attribute with more than ${ATTRIBUTE_MAX} characters`)
  }
}

function openTag(state: State, tag: SaxesTagNS): void {
  state.depth++
  if (state.depth > DEPTH_MAX) {
    throw refusal(state, `has elements nested more than ${DEPTH_MAX} deep`)
  }
  if (state.skipped_at > 0) refuseHidden(state, tag)
  else if (state.depth === 1) openDocument(state, tag)
  else if (tag.uri !== state.namespace) {
    throw refusal(state, `has the element ${tag.name} from another namespace`)
  } else if (state.depth === 2) openMessage(state, tag)
  else openChild(state, tag)
}

function openChild(state: State, tag: SaxesTagNS): void {
  const parent = state.open.at(-1)!
  const child = parent.type?.children.get(tag.local)
  // If the element were skipped, the text before and after it would read as one.
  const isInText = !parent.type || (parent.type.text && (!child || parent.element.text.trim()))
  if (isInText) throw refusal(state, `has an element in the text of ${parent.element.name}`)
  if (!child?.known) {
    const what = `${tag.local} in ${parent.element.name} is not in the schema`
    state.warnings.add(what, state.parser.line)
  }
  if (child) checkPlace(state, parent, child)
  else refuseHidden(state, tag)
  if (child?.read) openElement(state, tag, parent, child)
  else state.skipped_at = state.depth
}

/** Refuses an entry, or anything else that counts, inside an element that is skipped. */
function refuseHidden(state: State, { name, local, uri }: SaxesTagNS): void {
  if (uri !== state.namespace || !state.schema.units.has(local)) return
  throw refusal(state, `has the element ${name} in a place where it would not be read`)
}

function openDocument(state: State, tag: SaxesTagNS): void {
  const name = messageNameOf(tag.uri)
  if (tag.local !== 'Document' || name === null) {
    const where = tag.uri === '' ? 'without a namespace' : `in the namespace ${tag.uri}`
    throw refusal(
      state,
      `begins with the element ${tag.name} ${where}, so it is no ISO 20022 message`,
    )
  }
  const message = messageNamed(state.schema, name)
  state.name = name
  if (!message) throw refusal(state, `is ${name}. Supported are ${messagesOf(state.schema)}`)
  state.namespace = tag.uri
  state.message = message
  state.message_element = message.element
  state.visitor.message(name, message.family)
}

function openMessage(state: State, tag: SaxesTagNS): void {
  const { message } = state
  if (!message || tag.local !== message.element) {
    throw refusal(state, `contains ${tag.name}, and not just one ${state.message_element}`)
  }
  state.message = null
  state.open.push(newOpen(state, tag, state.schema.types.get(message.type)!, true, null))
}

function newOpen(
  state: State,
  tag: SaxesTagNS,
  type: ElementType | null,
  unit: boolean,
  parent: Open | null,
): Open {
  const element: Element = {
    name: tag.local,
    text: '',
    currency: tag.attributes.Ccy?.value ?? null,
    children: [],
    line: state.parser.line,
  }
  const size = unit || !parent ? { elements: 0, text: 0 } : parent.size
  return { element, type, unit, seen: new Set(), last: { name: '', place: -1 }, size }
}

function openElement(state: State, tag: SaxesTagNS, parent: Open, child: Child): void {
  const type = child.type === null ? null : state.schema.types.get(child.type)!
  const open = newOpen(state, tag, type, child.unit, parent)
  open.size.elements++
  if (open.size.elements > UNIT_ELEMENTS_MAX) {
    throw refusal(state, `has more than ${UNIT_ELEMENTS_MAX} elements in one ${holder(state)}`)
  }
  if (child.unit) state.visitor.opened(tag.local, parent.element)
  state.open.push(open)
}

/** The unit in which the parser is. */
function holder({ open }: State): string {
  return open.findLast(one => one.unit)!.element.name
}

/** A child in the wrong order is a warning. A second one that counts refuses the file. */
function checkPlace({ parser, name, warnings }: State, parent: Open, child: Child): void {
  const where = parent.element.name
  if (!child.repeats && parent.seen.has(child.name)) {
    const said = `${child.name} appears twice in ${where}`
    if (child.read) {
      throw new UnreadableFile(
        `Line ${parser.line}: ${said}, so it is not clear which one counts.`,
        name,
      )
    }
    warnings.add(said, parser.line)
  }
  if (child.place < parent.last.place) {
    warnings.add(`${child.name} comes after ${parent.last.name} in ${where}`, parser.line)
  } else {
    parent.last = child
  }
  parent.seen.add(child.name)
}

function addText(state: State, text: string): void {
  const open = state.open.at(-1)
  if (!open || state.skipped_at > 0) return
  if (open.type && !open.type.text) {
    if (text.trim() === '') return
    state.warnings.add(`${open.element.name} has text between its elements`, state.parser.line)
    return
  }
  open.element.text += text
  open.size.text += text.length
  if (open.element.text.length > TEXT_MAX) {
    throw refusal(state, `has a ${open.element.name} of more than ${TEXT_MAX} characters`)
  }
  if (open.size.text > UNIT_TEXT_MAX) {
    throw refusal(state, `has more than ${UNIT_TEXT_MAX} characters in one ${holder(state)}`)
  }
}

function closeTag(state: State): void {
  const depth = state.depth--
  if (state.skipped_at > 0) {
    if (state.skipped_at === depth) state.skipped_at = 0
    return
  }
  const open = state.open.pop()
  if (!open) return
  checkContent(state, open)
  if (open.unit) state.visitor.closed(open.element)
  else state.open.at(-1)!.element.children.push(open.element)
}

function checkContent({ parser, warnings }: State, { element, type, seen }: Open): void {
  const { name } = element
  const empty = element.text.trim() === ''
  if (!type || type.choice) {
    if (empty && seen.size === 0) warnings.add(`${name} is empty`, parser.line)
  }
  for (const one of type?.required ?? []) {
    if (!seen.has(one)) warnings.add(`${name} lacks ${one}`, parser.line)
  }
}

/** The parser's errors begin with line and column. Any other error is a bug of ours. */
const PARSER_ERROR = /^\d+:\d+: /
/** What the parser says about files that end too soon or go on too long, in its own words. */
const ENDS_EARLY = /unclosed tag|unexpected end|must contain a root/
const GOES_ON = /only one root|outside of root node|must (appear )?(be )?at the start/

function guarded(state: State, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof UnreadableFile) throw new UnreadableFile(error.message, state.name)
    const { message } = error as Error
    if (!PARSER_ERROR.test(message)) throw error
    if (ENDS_EARLY.test(message)) throw refusal(state, 'ends before its document is complete')
    if (state.depth === 0 && state.name && GOES_ON.test(message)) {
      throw refusal(state, 'goes on after the end of its document')
    }
    throw refusal(state, `is not well-formed XML: ${message}`)
  }
}

function refusal({ parser, name }: State, what: string): UnreadableFile {
  return new UnreadableFile(`The file ${what} (line ${parser.line}).`, name)
}
