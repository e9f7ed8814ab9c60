/** The folders of the countries we serve, by country code. */
export { belgium as BE } from './be/index.ts'
export { germany as DE } from './de/index.ts'
export { spain as ES } from './es/index.ts'
export { france as FR } from './fr/index.ts'
export { netherlands as NL } from './nl/index.ts'
