import { describe, expect, it } from 'vitest'
import { vercel } from '../src/index.ts'

// Written from https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions
describe('Vercel AI Gateway', () => {
  it('lists what is of chat or embeddings, by its type', () => {
    const rows = [
      { id: 'a/talks', type: 'language' },
      { id: 'a/vectors', type: 'embedding' },
      { id: 'a/paints', type: 'image' },
      { id: 'a/unsaid' },
    ]
    const answer = { status: 200, headers: {}, body: { object: 'list', data: rows }, bytes: new Uint8Array() }
    expect(vercel({ apiKey: 'k' }).models?.response(answer, undefined, [])).toEqual([
      { id: 'a/talks', families: ['chat'] },
      { id: 'a/vectors', families: ['embeddings'] },
    ])
  })
})
