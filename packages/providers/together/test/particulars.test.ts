import { describe, expect, it } from 'vitest'
import { together } from '../src/index.ts'

// Written from https://docs.together.ai/reference/models-1
describe('Together AI', () => {
  it('lists models by their type', () => {
    const rows = [
      { id: 'a/talks', type: 'chat' },
      { id: 'a/vectors', type: 'embedding' },
      { id: 'a/paints', type: 'image' },
      { id: 'a/hears', type: 'transcribe' },
      { id: 'a/unsaid' },
    ]
    const answer = { status: 200, headers: {}, body: rows, bytes: new Uint8Array() }
    expect(together({ apiKey: 'k' }).models?.response(answer, undefined, [])).toEqual([
      { id: 'a/talks', families: ['chat'] },
      { id: 'a/vectors', families: ['embeddings'] },
      { id: 'a/paints', families: ['images'] },
      { id: 'a/hears', families: ['transcription'] },
    ])
  })
})
