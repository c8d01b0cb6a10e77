import { testCall } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { vllm } from '../src/index.ts'

describe('vLLM', () => {
  it('is asked for responses only where the config says that it has them, and for none that are to be kept', () => {
    expect(vllm({}).chat).toMatchObject([{ format: 'chat-completions' }, { format: 'completions' }])
    expect(vllm({}).chat?.map((one) => ('run' in one ? undefined : one.path(testCall())))).toEqual([
      '/chat/completions',
      '/completions',
    ])
    expect(vllm({ responses: true }).chat).toMatchObject([
      { format: 'chat-completions' },
      { format: 'responses', storesResponses: false },
      { format: 'completions' },
    ])
  })

  it('takes part when it is asked for, and its list answers', () => {
    expect(vllm.enable).toBe('asked')
    expect(vllm.probe?.({ apiKey: 'k' })).toEqual({
      method: 'GET',
      url: '/models',
      headers: { authorization: 'Bearer k' },
    })
    expect(vllm({}).credential).toEqual({ kind: 'none' })
  })

  // Written from https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/responses/utils.py: `Encrypted
  // content is not supported.`
  it('is sent no encrypted reasoning, and that is said', () => {
    const [, responses] = vllm({ responses: true }).chat ?? []
    const patch = responses && 'patchRequest' in responses ? responses.patchRequest : undefined
    const call = testCall()
    const asked = { role: 'user', content: 'Hi' }
    const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'A greeting.' }] }
    expect(patch?.({ model: 'm', input: [asked, { ...thought, encrypted_content: 'gAAAAB' }] }, call)).toEqual({
      model: 'm',
      input: [asked, thought],
    })
    expect(call.losses).toMatchObject([{ path: 'input[*].encrypted_content' }])
    for (const open of [
      { input: 'Hi' },
      { input: [asked, { ...thought, encrypted_content: null }] },
      { input: [{ ...asked, encrypted_content: 'x' }] },
    ])
      expect(patch?.(open, testCall())).toBe(open)
  })
})
