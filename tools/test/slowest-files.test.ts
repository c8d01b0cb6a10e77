import { expect, it } from 'vitest'
import { slowest } from '../slowest-files.ts'

it('the ten files of a run that took longest are named, the slowest first', () => {
  const files = Array.from({ length: 12 }, (_, index) => ({
    file: `${index}.test.ts`,
    milliseconds: index * 1_000 + 40,
  }))
  const lines = slowest(files).split('\n')
  expect(lines[0]).toBe('Slowest files')
  expect(lines.slice(1).map((line) => line.trim())).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `${index}.0 s  ${index}.test.ts`),
  )
})
