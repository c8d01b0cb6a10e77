import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import * as canonical from '../../packages/core/src/canonical.ts'
import * as codec from '../../packages/core/src/codec.ts'
import * as contract from '../../packages/core/src/contract.ts'
import * as credentials from '../../packages/core/src/credentials.ts'
import * as provider from '../../packages/core/src/provider.ts'
import * as search from '../../packages/core/src/search.ts'
import * as translate from '../../packages/core/src/translate.ts'
import * as gateway from '../../packages/gateway/src/index.ts'
import * as operate from '../../packages/gateway/src/operate.ts'
import { ROOT } from './repository-pages.ts'

/** Entries whose functions all have an example. */
const DOCUMENTED = { provider, search, codec, translate, gateway }
const VALUES: Readonly<Record<string, unknown>> = {
  ...canonical,
  ...contract,
  ...credentials,
  ...operate,
  ...provider,
  ...search,
  ...codec,
  ...translate,
  ...gateway,
}

const DECLARED =
  /\/\*\*((?:(?!\*\/)[\s\S])*?@example(?:(?!\*\/)[\s\S])*?)\*\/\s*export (?:async )?(?:function\*?|const|class) (\w+)/g

/** Examples of docblocks by the name that they document. */
const EXAMPLES: ReadonlyMap<string, string> = new Map(
  globSync('packages/{core,gateway}/src/**/*.ts', { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(DECLARED)].map(([, comment = '', name = '']) => [
      name,
      exampleIn(comment),
    ]),
  ),
)

function exampleIn(comment: string): string {
  const [, example = ''] = comment.replace(/^\s*\* ?/gm, '').split('@example')
  return example
    .split(/\n@\w+/, 1)
    .join('')
    .replaceAll(/```(?:ts)?/g, '')
    .trim()
}

/** Expressions of examples with the value that a comment gives: `sniff('iVBORw0KGgo=') // 'image/png'`. */
const RESULTS = [...EXAMPLES].flatMap(([name, example]) =>
  [...example.matchAll(/^(\w+\(.*\)(?:[.?]\S*)?)\s*(?:\n?\/\/ (.+))$/gm)].flatMap(([, code = '', value = '']) =>
    value.includes('…') || code.includes('…') ? [] : [{ name, code, value }],
  ),
)

function evaluate(code: string): unknown {
  return new Function(...Object.keys(VALUES), `return (${code})`)(...Object.values(VALUES))
}

/** Value of an expression; undefined if it uses a variable that the example does not define. */
function resultOf(code: string): { readonly value: unknown } | undefined {
  try {
    return { value: evaluate(code) }
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

describe('Examples of docblocks', () => {
  it.each(Object.entries(DOCUMENTED))('exist for every function of the entry %s', (_, entry) => {
    const functions = Object.entries(entry).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
    expect(functions.filter((name) => !EXAMPLES.has(name))).toEqual([])
  })

  it.each([...EXAMPLES])('of %s use it, and parse', (name, example) => {
    expect(example).toContain(name)
    const body = example.replaceAll(/^export /gm, '')
    expect(parseSync('example.ts', `async function* example() { for (;;) {\n${body}\n} }`).errors).toEqual([])
  })

  it('return the values that they show', () => {
    const checked = RESULTS.flatMap(({ code, value }) => {
      const result = resultOf(code)
      if (result === undefined) return []
      const shown =
        /^[\w'"[{(-]/.test(value) && parseSync('value.ts', `(${value})`).errors.length === 0 ? evaluate(value) : value
      return [{ code, result: result.value instanceof URL ? result.value.href : result.value, shown }]
    })
    const wrong = checked.filter(({ code, result, shown }) => code !== 'today()' && !isDeepStrictEqual(result, shown))
    expect(wrong).toEqual([])
    expect(checked.length).toBeGreaterThan(20)
  })
})
