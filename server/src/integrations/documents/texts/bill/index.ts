/** The interest bill's texts, by language. */
import type { Language } from '../../types.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { BillTexts } from './keys.ts'
import { nl } from './nl.ts'

export const TEXTS: Record<Language, BillTexts> = { fr, de, es, nl, en }
