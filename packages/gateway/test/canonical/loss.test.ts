import { describe, expect, it } from 'vitest'
import { ownPaths } from '../../../core/src/canonical/field-names.ts'
import { addLosses, dropped, isHint, type Loss } from '../../../core/src/canonical/loss.ts'
import { checkLosses } from '../../../core/src/canonical/strict.ts'
import { lostHeader } from '../../src/edge/lost.ts'

const MANY = 200_000
const total = (losses: readonly Loss[]): number => losses.reduce((sum, { count = 1 }) => sum + count, 0)

describe('A list of losses', () => {
  it('has the first thousand, and counts the rest by path', () => {
    const losses: Loss[] = []
    for (let index = 0; index < MANY; index++) dropped(losses, `messages[${index}].name`, 'why')
    dropped(losses, 'temperature', 'why')
    expect(losses).toHaveLength(1002)
    expect(losses.slice(1000)).toEqual([
      { path: 'messages[1000].name', kind: 'dropped', reason: 'why', count: MANY - 1000 },
      { path: 'temperature', kind: 'dropped', reason: 'why' },
    ])
    expect(lostHeader(losses)).toBe('messages[*].name, temperature')
  })

  it('counts what has very many paths under *, hints apart, so that strict requests are judged as if all were listed', () => {
    const hints: Loss[] = []
    for (let index = 0; index < 5000; index++) dropped(hints, `k${index}.metadata`, 'why')
    expect([hints.length, total(hints), hints.at(-1)?.path, hints.every(isHint)]).toEqual([
      1101,
      5000,
      '*.metadata',
      true,
    ])
    expect(() => checkLosses(hints, true, 'No')).not.toThrow()
    const fields: Loss[] = [...hints]
    addLosses(fields, [{ path: 'x', kind: 'dropped', reason: 'why' }])
    expect([total(fields), fields.at(-1)?.path]).toEqual([5001, '*'])
    expect(() => checkLosses(fields, true, 'No')).toThrow('No: ')
  })

  it('can be added to another, whatever its length', () => {
    const [one, other]: [Loss[], Loss[]] = [[], []]
    for (let index = 0; index < MANY; index++) dropped(index % 2 ? one : other, `a[${index}].b`, 'why')
    addLosses(one, other)
    expect([total(one), one.length <= 1101]).toEqual([MANY, true])
  })

  it('has paths of a bounded length', () => {
    const losses: Loss[] = []
    dropped(losses, 'k'.repeat(1_000_000), 'why')
    expect(losses[0]?.path.length).toBeLessThan(600)
  })

  it('names unknown fields as they stand in the body, dots and brackets included', () => {
    const body = { 'a.b': 1, messages: [{ 'x[0': 1 }] }
    const losses: Loss[] = [
      { path: "['a.b']", kind: 'dropped', reason: '' },
      { path: "messages[0].['x[0']", kind: 'dropped', reason: '' },
    ]
    expect(ownPaths(losses, body).map(({ path }) => path)).toEqual(["['a.b']", "messages[0].['x[0']"])
  })
})
