import { describe, expect, it } from 'vitest'
import { groq } from '../src/index.ts'

const provider = groq({ apiKey: 'k' })

// Written from https://console.groq.com/docs/openai
describe('Groq', () => {
  it('lists models by their family', () => {
    const data = ['whisper-large-v3', 'openai/gpt-oss-120b'].map((id) => ({
      id,
      object: 'model',
      context_window: 131_072,
    }))
    const answer = { status: 200, headers: {}, body: { object: 'list', data }, bytes: new Uint8Array() }
    expect(provider.models?.response(answer, undefined, [])).toEqual([
      { id: 'whisper-large-v3', context: 131_072, families: ['transcription'] },
      { id: 'openai/gpt-oss-120b', context: 131_072, families: ['chat'] },
    ])
  })
})
