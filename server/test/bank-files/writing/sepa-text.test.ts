/** Texts are converted to the characters that the bank takes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CharacterSet,
  cutText,
  isSepaText,
  sepaText,
} from '../../../src/integrations/bank-files/writing/sepa-text.ts'

test.for<[string, string]>([
  ['Société Générale', 'Societe Generale'],
  ['Müller & Söhne', 'Muller + Sohne'],
  ['Straße GROẞ', 'Strasse GROSS'],
  ['Æther Œuvre Ørsted Łódź đ', 'AEther OEuvre Orsted Lodz d'],
  ['İstanbul ılık', 'Istanbul ilik'],
  ['Αθήνα Ψυχή', 'Athina PSychi'],
  ['София Йордан Щ', 'Sofiya Yordan SHT'],
  ['Љиљана Ђорђевић Ћирић Џајић', 'LJiljana DJordjevic Ciric DZajic'],
  ['Їжак Є Ґанок І', 'YIzhak YE Ganok I'],
  ['a_b@c;d#e', 'a-b.c,d.e'],
  ['[x]{y}<z>', '(x)(y).z.'],
  ['“Chez L’Ami” – 5 €', "'Chez L'Ami' - 5 E"],
  ['ﬁn ½ №', 'fin 1.2 No'],
  ['a\u0000b\tc\r\nd   e', 'a b c d e'],
  ['zero\u200bwidth \u202eright', 'zerowidth right'],
  ['e\u0301 o\u0302', 'e o'],
  ['  spaces\u00a0 ', 'spaces'],
  ['中国 😀', '.. .'],
  ['\ud800lone', '.lone'],
])('%j becomes %j', ([text, converted]) => {
  expect(sepaText(text, 'EPC')).toBe(converted)
})

test('German banks take German characters', () => {
  expect(sepaText('Müller & Söhne é €', 'DK')).toBe('Müller & Söhne e E')
  expect(sepaText('Mu\u0308ller', 'DK')).toBe('Müller')
})

test('a text is cut after it is converted, and does not end with a space', () => {
  expect(cutText('ßßß', 5, 'EPC')).toBe('sssss')
  expect(cutText('abcd efgh', 5, 'EPC')).toBe('abcd')
})

test('whatever the text, the result has only characters of the set, and converts to itself', () => {
  const texts = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary' }), fc.constant(' ')) })
  fc.assert(
    fc.property(texts, fc.constantFrom<CharacterSet>('EPC', 'DK'), (text, set) => {
      const converted = sepaText(text, set)
      expect(isSepaText(converted, set)).toBe(true)
      expect(sepaText(converted, set)).toBe(converted)
      expect(converted).toBe(converted.trim())
    }),
    { numRuns: 2_000 },
  )
})
