import { expect, it } from 'vitest'
import { pendingCalls } from '../../src/canonical/pending-calls.ts'
import { cpuOf } from '../laws/cpu.ts'

it('A result without the id of its call finds it among very many in no time', () => {
  const book = pendingCalls()
  const count = 200_000
  for (let index = 0; index < count; index++) book.add('f', `id ${index}`)
  const takeAll = (): void => {
    for (let index = 0; index < count; index++) book.take('f', 'unknown')
  }
  expect(cpuOf(takeAll, 1)).toBeLessThan(2000)
  expect(book.take('f')).toBeUndefined()
})
