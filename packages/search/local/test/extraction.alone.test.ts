import { expect, it } from 'vitest'
import { readHtml } from '../src/extract/html.ts'

it('HTML is read within a second, however deep it is and whatever it does not close', () => {
  const began = performance.now()
  readHtml(`${'<div>'.repeat(20_000)}deep`)
  readHtml('<p'.repeat(200_000))
  expect(performance.now() - began).toBeLessThan(5_000)
})
