import { describe, expect, it } from 'vitest'
import { lmstudio } from '../src/index.ts'

describe('LM Studio', () => {
  it('is asked for responses only where the config says that it has them, and for none that are to be kept', () => {
    expect(lmstudio({}).chat).toMatchObject([{ format: 'chat-completions' }, { format: 'completions' }])
    const { chat } = lmstudio({ responses: true })
    expect(chat).toMatchObject([
      { format: 'chat-completions' },
      { format: 'responses', storesResponses: false },
      { format: 'completions' },
    ])
    expect(chat?.[1]).not.toHaveProperty('rename')
  })

  it('takes part when it is asked for, and its list answers', () => {
    expect(lmstudio.enable).toBe('asked')
    expect(lmstudio.probe?.({ apiKey: 'k' })).toEqual({
      method: 'GET',
      url: '/models',
      headers: { authorization: 'Bearer k' },
    })
    expect(lmstudio({}).credential).toEqual({ kind: 'none' })
  })
})
