/** Writes XML. Texts are escaped here; the type tells what is XML already from what is a text. */
import { assert } from '../../../platform/kit/assert.ts'

export type Xml = string & { readonly __brand: 'Xml' }

/** An element with these children; null is none. */
export function element(name: string, ...children: readonly (Xml | null)[]): Xml {
  return `<${name}>${children.filter(child => child !== null).join('')}</${name}>` as Xml
}

/** An element with a text. */
export function leaf(name: string, text: string): Xml {
  return `<${name}>${escapeText(text)}</${name}>` as Xml
}

/** An amount in EUR. */
export function euros(name: string, decimal: string): Xml {
  return `<${name} Ccy="EUR">${escapeText(decimal)}</${name}>` as Xml
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeText(text: string): string {
  assert(!/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(text), 'a text has characters that XML does not allow')
  return text.replace(/[&<>]/g, character => ENTITIES[character]!)
}
