/** The general terms, by language. */
import type { Language } from '../../types.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import type { TermsText } from './facts.ts'
import { fr } from './fr.ts'
import { nl } from './nl.ts'

export const TEXTS: Record<Language, TermsText> = { fr, de, es, nl, en }
