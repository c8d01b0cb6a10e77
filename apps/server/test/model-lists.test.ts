import { describe, expect, it } from 'vitest'
import { openStore } from '../src/store/store.ts'
import { temporaryFolder } from './temporary.ts'

describe('lists of models', () => {
  it('outlive the process', async () => {
    const folder = temporaryFolder()
    const first = openStore(folder, () => {})
    await first.lists.write('mine', [{ id: 'old' }])
    await first.lists.write('mine', [{ id: 'model-1', context: 8_192 }])
    first.close()

    const second = openStore(folder, () => {})
    expect(await second.lists.read('mine')).toEqual([{ id: 'model-1', context: 8_192 }])
    expect(await second.lists.read('other')).toBeUndefined()
    second.close()
  })
})
