import { expect, it } from 'vitest'
import { testCall } from '../src/index.ts'

it('A call for tests keeps what is declared to be lost', () => {
  const call = testCall({ model: 'm', headers: { 'x-trace': '1' } })
  call.lose('seed', 'it can not be chosen')
  call.lose('tools[0]', 'it is called otherwise', 'changed')
  expect(call).toMatchObject({ model: 'm', stream: false, headers: { 'x-trace': '1' } })
  expect(call.losses).toEqual([
    { path: 'seed', reason: 'it can not be chosen', kind: 'dropped' },
    { path: 'tools[0]', reason: 'it is called otherwise', kind: 'changed' },
  ])
})
