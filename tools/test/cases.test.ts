import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
/** The list of cases that translators got wrong; it is kept outside the repository. */
const { HEADGATE_CASES } = process.env
const LIST = HEADGATE_CASES || join(ROOT, '../shared/reference/translation-cases.md')
const isThere = existsSync(LIST)
if (!isThere)
  console.info('The list of translation cases is not there (HEADGATE_CASES): whether each has a test is not checked.')

const TESTS = globSync('{packages,apps}/**/test/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })

const numbersIn = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number)

/** Numbers in the titles of a test: `case 5: …`, `cases 5, 6 and 7: …`, `… (5, 6)`; in tables of cases `5: …`. */
function numbersOf(source: string): number[] {
  const titles = source.match(/\bcases? \d+(?:(?:, | and )(?:case )?\d+)*| \(\d+(?:, \d+)*\)['`:]|^\s*\['\d+: /gm) ?? []
  return titles.flatMap(numbersIn)
}

/** Numbers in the first column of the table under "Decided cases". */
function decided(): number[] {
  const page = readFileSync(join(ROOT, 'docs/translation.md'), 'utf8')
  const [, section = ''] = page.split('## Decided cases\n')
  const rows = section.split('\n## ')[0]?.match(/^\| [\d, ]+ \|/gm) ?? []
  return rows.flatMap(numbersIn)
}

describe.runIf(isThere)('Every case of the list', () => {
  it('has a test that carries its number, or is decided otherwise in docs/translation.md', () => {
    const cases = [...readFileSync(LIST, 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    const known = new Set([...TESTS.flatMap((path) => numbersOf(readFileSync(join(ROOT, path), 'utf8'))), ...decided()])
    expect(cases.length).toBeGreaterThan(200)
    expect(cases.filter((number) => !known.has(number))).toEqual([])
  })
})
