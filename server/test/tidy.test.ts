/** The rules of STYLE.md that a program can check. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { unawaited } from './tidy/awaits.ts'
import { deadExports, deadFiles } from './tidy/dead.ts'
import {
  brokenLinks,
  commands,
  decisionFaults,
  filesNamedInVain,
  lostPages,
  settings,
} from './tidy/docs.ts'
import { imports, missingFiles, missingLongTests, reach } from './tidy/imports.ts'
import {
  areaDependencies,
  deepImports,
  importCycles,
  impureImports,
  innerViolations,
  layerViolations,
  unknownPlaces,
} from './tidy/layers.ts'
import { READS_UPWARDS, readsUpwards } from './tidy/reads.ts'
import {
  linesWithTrailingSpaces,
  longFiles,
  longFunctions,
  untitledFiles,
  wideLines,
} from './tidy/shape.ts'
import { ROOT } from './tidy/sources.ts'
import {
  anyCasts,
  boundsOfNothing,
  hurriedTests,
  machinePaths,
  marks,
  misplaced,
  mockedModules,
  moneyDivisions,
  packedFields,
  prints,
  sharedTables,
  statusWriters,
  untypedStatuses,
  writersBesideStores,
} from './tidy/words.ts'

describe('size', () => {
  test('no file is longer than 450 lines', () => expect(longFiles()).toEqual([]))
  test('no function is longer than 70 lines', () => expect(longFunctions()).toEqual([]))
  test('no line is wider than 100 columns', () => expect(wideLines()).toEqual([]))
  test('no line ends with a space', () => expect(linesWithTrailingSpaces()).toEqual([]))
  test('every file begins by saying what it is for', () => expect(untitledFiles()).toEqual([]))
})

describe('arrows', () => {
  test('every import leads to a file', () => expect(missingFiles()).toEqual([]))
  test('every test file listed to start first exists', () => expect(missingLongTests()).toEqual([]))
  test('the process that reads PDFs starts without the schemas of the contract', () => {
    const started = reach('server/src/credit/invoices/extraction/pdf-process.ts')
    expect([...started].filter(to => to === 'zod' || to === 'contract/src/index.ts')).toEqual([])
  })
  test('every folder has a place in the architecture', () => expect(unknownPlaces()).toEqual([]))
  test('imports point down, never up or sideways', () => expect(layerViolations()).toEqual([]))
  test('each area uses exactly the areas that its README names', () => {
    expect(areaDependencies().used).toEqual(areaDependencies().declared)
  })
  test('imports point down between the folders of a module, too', () =>
    expect(innerViolations()).toEqual([]))
  test('no file imports itself through others', () => expect(importCycles()).toEqual([]))
  test('modules are imported through their index', () => expect(deepImports()).toEqual([]))
  test('a module reads tables of higher modules only where listed', () => {
    expect(readsUpwards()).toEqual(READS_UPWARDS)
  })
  test('pure files import no database, clock or port', () => expect(impureImports()).toEqual([]))
  test('adapters import ports, never modules; SDK and contract never import the server', () => {
    const outside = imports.filter(i => /^(sdk|contract)\/src\//.test(i.from))
    expect(outside.filter(i => i.to.startsWith('server/')).map(i => i.from)).toEqual([])
    const packages = outside.filter(i => i.from.startsWith('contract/') && !i.ours)
    expect([...new Set(packages.map(i => i.to))]).toEqual(['zod'])
  })
})

describe('words', () => {
  test('nothing is marked for later', () => expect(marks()).toEqual([]))
  test("no paths of a developer's machine", () => expect(machinePaths()).toEqual([]))
  test('the server logs instead of printing', () => expect(prints()).toEqual([]))
  test('no type checking is switched off', () => expect(anyCasts()).toEqual([]))
  test('every status has the type of its machine', () => expect(untypedStatuses()).toEqual([]))
  test('fields are written out, not packed', () => expect(packedFields()).toEqual([]))
  test('no test has a shorter time limit than the others', () => expect(hurriedTests()).toEqual([]))
  test('no test mocks a module', () => expect(mockedModules()).toEqual([]))
  test('clocks, timers and libraries are used only where allowed', () => {
    expect(misplaced()).toEqual([])
  })
})

describe('single responsibility', () => {
  test('only db/move.ts sets a status', () => {
    expect(statusWriters()).toEqual([
      // These two stores write the status with the rest of the row. Their callers take it from
      // `step` and record it with `recordSteps`.
      'server/src/credit/recollection/cases/store.ts',
      'server/src/credit/recollection/plans/store.ts',
      'server/src/platform/db/move.ts',
    ])
  })
  test('a table is written by one module, in its store', () => {
    expect(writersBesideStores()).toEqual([])
    expect(sharedTables()).toEqual([
      // One creates the deployment, the other moves its clock.
      'deployment: app.ts, business-days',
      // Recorded by the module that reports an event, placed in the feed after the commit.
      'events_unplaced: events, webhooks',
      // A partner's exposure changes with its credit lines.
      'partners: access, credit-lines',
    ])
  })
  test('only kit/money.ts divides money', () => expect(moneyDivisions()).toEqual([]))
  test('an empty sum never counts as a bound of least or greatest', () => {
    expect(boundsOfNothing()).toEqual([])
  })
})

describe('order of statements', () => {
  test('every call in a transaction is awaited before the next one', () => {
    expect(unawaited()).toEqual([])
  })
  test.each([
    ['started, not awaited', 'const locked = lockRows(tx)'],
    ['left floating', 'lockRows(tx, ids)'],
    ['two started together', 'await Promise.all([lockRows(tx), ids])'],
    ['one started for each', 'const found = ids.map(id => lockRows(tx, id))'],
    ['one function started for each', 'ids.forEach(async id => { await lockRows(tx, id) })'],
    ['a statement, not awaited', 'const rows = tx.all(ids)'],
    ['made by a function without a declared return type', 'const held = hold(tx)'],
  ])('that rule finds a call %s', (_, line) => {
    const text = `
      async function lockRows(tx: Tx, ids: string[]): Promise<void> { await tx.run(ids) }
      function hold(tx: Tx) { return lockRows(tx, []) }
      async function read(tx: Tx, ids: string[]) {
        await lockRows(tx, ids)
        ${line}
      }`
    expect(unawaited([{ path: `${line}.ts`, text }])).toEqual([`${line}.ts:6`])
  })
})

describe('no leftovers', () => {
  test('every file is used', () => {
    const [packageJson, scripts] = ['package.json', 'scripts/run.mjs'].map(path =>
      readFileSync(`${ROOT}${path}`, 'utf8'),
    )
    expect(deadFiles(packageJson!, scripts!)).toEqual([])
  })
  test('every exported name is used', () => expect(deadExports()).toEqual([]))
})

describe('documentation', () => {
  test('every link works', () => expect(brokenLinks()).toEqual([]))
  test('every file that is named exists', () => expect(filesNamedInVain()).toEqual([]))
  test('every page is linked', () => expect(lostPages()).toEqual([]))
  test('decision records are numbered, complete and short', () => {
    expect(decisionFaults()).toEqual([])
  })
  test('docs/operating.md lists every setting and every command', () => {
    expect(settings().declared).toEqual(settings().read)
    expect(commands().declared).toEqual(commands().known)
    expect(commands().known.length).toBeGreaterThan(5)
  })
})
