/** Explains every denial code to borrowers in their language. */
import type { DenialCode, Translation } from '@headroom/contract'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import nl from './texts/nl.json' with { type: 'json' }

/** The type makes a missing text, in any language, a compile error. */
const TEXTS: Record<keyof Translation, Record<DenialCode, string>> = { de, en, es, fr, nl }

export function translationOf(code: DenialCode): Translation {
  const { de, en, es, fr, nl } = TEXTS
  return { de: de[code], en: en[code], es: es[code], fr: fr[code], nl: nl[code] }
}
