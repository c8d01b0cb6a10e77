import { describe, expect, it } from 'vitest'
import { examineSearchBackend, testSearchBackend } from '../src/index.ts'
import { keylessExample, keylessFacts, searchExample, searchFactsOf, shelf } from './search-backends.ts'

// What a test file of a search backend looks like, in full.
testSearchBackend(searchExample('offset'), searchFactsOf('offset'))

describe('The conformance kit finds nothing to fix', () => {
  it('in a search backend that has pages', async () => {
    expect(await examineSearchBackend(searchExample('page'), searchFactsOf('page'))).toEqual([])
  })

  it('in one whose pages have lengths of their own', async () => {
    expect(await examineSearchBackend(searchExample('endless'), searchFactsOf('endless'))).toEqual([])
  })

  it('in one that can only be asked for more from the first, and works without a key', async () => {
    expect(await examineSearchBackend(searchExample('none'), searchFactsOf('none'))).toEqual([])
    expect(await examineSearchBackend(keylessExample(), keylessFacts)).toEqual([])
  })

  it('in one that runs in this process', async () => {
    const honest = shelf(async (titles, { offset, limit }) => titles.slice(offset, offset + limit))
    expect(
      await examineSearchBackend(honest, {
        config: {},
        find: [
          { q: 'queues', first: 'Queues' },
          { q: 'gateways', first: 'Gateways' },
        ],
      }),
    ).toEqual([])
  })
})
