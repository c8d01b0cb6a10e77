import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../../core/src/canonical/target.ts'
import type { VideoCapabilities } from '../../../core/src/provider.ts'
import type { CostInput } from '../../src/cost/bound.ts'
import { parseBody } from '../../src/edge/body.ts'
import { families } from '../../src/families/index.ts'
import { videoProvider } from '../video/support.ts'

/** The most that a request of a family can use. */
function bound(id: string, json: object, facts?: ModelFacts, more: Omit<CostInput, 'body' | 'facts'> = {}) {
  const body = parseBody(Buffer.from(JSON.stringify(json)))
  const family = families.find((one) => one.id === id)
  return { size: body.bytes.length, most: family?.bound?.({ body, facts, ...more }) }
}

const facts = { id: 'm', context: 50, output: 10 }
const large = { id: 'm', context: 1_000_000, output: 10 }
const MESSAGES = { format: 'messages' }
const GEMINI = { format: 'generate-content' }
const RESPONSES = { format: 'responses' }

describe('The most that a request can use', () => {
  it('is for a conversation its bytes, or the context of the model, and the output that it or the model allows', () => {
    const { size, most } = bound('chat', { model: 'm', messages: [], max_tokens: 7 })
    expect(most).toMatchObject({ input: size, output: 7 })
    expect(
      bound('chat', { model: 'm', messages: ['x'.repeat(100)], max_completion_tokens: 99 }, facts).most,
    ).toMatchObject({
      input: 50,
      output: 10,
    })
    const gemini = { contents: [], generationConfig: { maxOutputTokens: 3, candidateCount: 2 } }
    expect(bound('chat', gemini, undefined, GEMINI).most).toMatchObject({ output: 6 })
    expect(
      bound('chat', { contents: [], generation_config: { max_output_tokens: 3 } }, undefined, GEMINI).most,
    ).toMatchObject({
      output: 3,
    })
    expect(bound('chat', { messages: [], n: 4 }, facts).most).toMatchObject({ output: 40 })
    expect(bound('chat', { input: 'Hi', max_output_tokens: 8 }, undefined, RESPONSES).most).toMatchObject({ output: 8 })
  })

  it('is not known where nothing limits the output', () => {
    expect(bound('chat', { model: 'm', messages: [] }).most).toMatchObject({ output: Number.POSITIVE_INFINITY })
  })

  it('is not known where the number of answers is none, as some servers take it for one', () => {
    const unknown = { output: Number.POSITIVE_INFINITY }
    for (const n of ['100', -5, 0, 1.5, true, [4], 1e300])
      expect(bound('chat', { messages: [], n, max_tokens: 1 }).most, String(n)).toMatchObject(unknown)
    expect(bound('chat', { messages: [], n: null, best_of: 3, max_tokens: 2 }).most).toMatchObject({ output: 6 })
    const gemini = { contents: [], generationConfig: { candidateCount: '9', maxOutputTokens: 1 } }
    expect(bound('chat', gemini, undefined, GEMINI).most).toMatchObject(unknown)
  })

  it('is not lowered by a limit that counts for nothing: of another format, not a number, dropped, or beside a greater one', () => {
    const none = { output: Number.POSITIVE_INFINITY }
    expect(bound('chat', { messages: [], maxOutputTokens: 1 }).most).toMatchObject(none)
    expect(bound('chat', { messages: [], max_completion_tokens: 1 }, undefined, MESSAGES).most).toMatchObject(none)
    expect(bound('chat', { contents: [], max_tokens: 1, maxOutputTokens: 1 }, facts, GEMINI).most).toMatchObject({
      output: 10,
    })
    for (const max_tokens of [-1, 0, 0.5, '1', null, 1e300])
      expect(bound('chat', { messages: [], max_tokens }, facts).most).toMatchObject({ output: 10 })
    const losses = [{ path: 'max_tokens', kind: 'dropped', reason: 'the vendor has no equivalent' }] as const
    expect(bound('chat', { messages: [], max_tokens: 1 }, facts, { losses }).most).toMatchObject({ output: 10 })
    expect(bound('chat', { messages: [], max_tokens: 1, max_completion_tokens: 9 }).most).toMatchObject({ output: 9 })
  })

  it('is that of the largest limit in any spelling, and is not lowered by other spellings alone', () => {
    const messages: unknown[] = []
    const unknown = { output: Number.POSITIVE_INFINITY }
    for (const name of ['Max_Tokens', 'max-tokens', 'maxTokens', 'max_output_tokens', 'n_predict', 'max_to\u212aens']) {
      expect(bound('chat', { messages, max_tokens: 3, [name]: 8 }).most, name).toMatchObject({ output: 8 })
      expect(bound('chat', { messages, max_tokens: 3, [name]: 2 }).most, name).toMatchObject({ output: 3 })
      expect(bound('chat', { messages, [name]: 8 }).most, name).toMatchObject(unknown)
      for (const value of ['8', -1, 0, {}])
        expect(bound('chat', { messages, max_tokens: 3, [name]: value }).most, name).toMatchObject(unknown)
    }
    expect(bound('chat', { messages, max_tokens: 3, max_completion_tokens: '8' }, facts).most).toMatchObject({
      output: 10,
    })
    expect(bound('chat', { messages, max_tokens: 3, Max_Tokens: null }, facts).most).toMatchObject({ output: 10 })
    expect(bound('chat', { messages, max_tokens: 3, n_predict: null, max_completion_tokens: null }).most).toMatchObject(
      { output: 3 },
    )
    expect(
      bound('chat', { messages, max_tokens: 3, extra_body: { maxTokens: 8 }, metadata: { max_tokens: 9 } }).most,
    ).toMatchObject({
      output: 8,
    })
    expect(bound('chat', { messages, max_tokens: 3, N: 2, bestOf: 5 }).most).toMatchObject({ output: 15 })
    const nested = {
      contents: [],
      generationConfig: { maxOutputTokens: 3, MaxOutputTokens: 4 },
      'generation-config': { max_output_tokens: 6 },
    }
    expect(bound('chat', nested, undefined, GEMINI).most).toMatchObject({ output: 6 })
    expect(bound('chat', { messages, max_tokens: 3, maxTokens: 8 }, undefined, MESSAGES).most).toMatchObject({
      output: 8,
    })
    expect(
      bound('chat', { input: 'Hi', max_output_tokens: 3, Max_Output_Tokens: 8 }, undefined, RESPONSES).most,
    ).toMatchObject({
      output: 8,
    })
  })

  it('is not known where a field that costs money has another spelling, which some servers read', () => {
    for (const name of ['Tools', 'Messages', 'Service-Tier', 'MCP_Servers', 'webSearchOptions']) {
      expect(bound('chat', { messages: [], max_tokens: 3, [name]: [] }, facts).most, name).toBeUndefined()
      expect(bound('chat', { messages: [], max_tokens: 3, [name]: null }, facts).most, name).toMatchObject({
        output: 3,
      })
    }
    const tools = [{ type: 'function', Type: 'web_search', function: { name: 'f' } }]
    expect(bound('chat', { messages: [], tools }, large).most).toMatchObject({ input: Number.POSITIVE_INFINITY })
  })

  it('is that of the limit that goes up, where a format raises low ones', () => {
    const losses = [{ path: 'max_tokens', kind: 'changed', reason: 'the vendor requires 16 or more' }] as const
    expect(bound('chat', { messages: [], max_tokens: 1 }, undefined, { losses }).most).toMatchObject({ output: 16 })
  })

  it('has as many calls of hosted tools as the largest limit in any spelling allows', () => {
    const searches = (more: object, tool: object = {}) =>
      bound('chat', { input: 'Hi', tools: [{ type: 'web_search', ...tool }], ...more }, large, RESPONSES).most?.units
    expect(searches({ max_tool_calls: 2 })).toEqual({ searches: 2 })
    expect(searches({ max_tool_calls: 2, Max_Tool_Calls: 7 })).toEqual({ searches: 7 })
    expect(searches({ max_tool_calls: 2, maxToolCalls: 'x' })).toEqual({ searches: Number.POSITIVE_INFINITY })
    expect(searches({}, { max_uses: 2, maxUses: 5 })).toEqual({ searches: 5 })
  })

  it('has the tokens of images in place of their bytes', () => {
    const data = 'A'.repeat(400_000)
    const images = [
      [
        {
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] },
          ],
          n: 1,
        },
      ],
      [{ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data } }] }] }, MESSAGES],
      [{ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data } }] }] }, GEMINI],
      [
        {
          messages: [
            { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'image', source: { data } }] }] },
          ],
        },
        MESSAGES,
      ],
      [
        {
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
          ],
        },
      ],
      [
        { input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }] }] },
        RESPONSES,
      ],
      [{ input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'f' } }] }, RESPONSES],
    ] as const
    for (const [json, more] of images) {
      const input = bound('chat', json, large, more).most?.input
      expect(input).toBeGreaterThan(49_152)
      expect(input).toBeLessThan(50_000)
    }
  })

  it('has the whole context of the model where something is sent whose tokens nobody knows, and none where that is not known', () => {
    const open = [
      [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }], max_tokens: 1 }],
      [
        {
          messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } }] }],
          max_tokens: 1,
        },
      ],
      [
        {
          messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'base64', data: 'AA' } }] }],
          max_tokens: 1,
        },
        MESSAGES,
      ],
      [
        {
          contents: [{ parts: [{ fileData: { fileUri: 'gs://a/b.mp4' } }] }],
          generationConfig: { maxOutputTokens: 1 },
        },
        GEMINI,
      ],
      [
        { contents: [{ parts: [{ text: 'x' }] }], cachedContent: 'c', generationConfig: { maxOutputTokens: 1 } },
        GEMINI,
      ],
      [
        {
          input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a/b.pdf' }] }],
          max_output_tokens: 1,
        },
        RESPONSES,
      ],
      [{ input: [{ type: 'item_reference', id: 'rs_1' }], max_output_tokens: 1 }, RESPONSES],
      [{ input: 'Hi', previous_response_id: 'resp_1', max_output_tokens: 1 }, RESPONSES],
      [{ prompt: { id: 'pmpt_1' }, max_output_tokens: 1 }, RESPONSES],
    ] as const
    for (const [json, more] of open) {
      expect(bound('chat', json, large, more).most).toMatchObject({ input: 1_000_000, audioInput: 1_000_000 })
      expect(bound('chat', json, undefined, more).most).toMatchObject({ input: Number.POSITIVE_INFINITY })
    }
    const text = { type: 'document', source: { type: 'text', data: 'A plain text.' } }
    const { size, most } = bound('chat', { messages: [{ role: 'user', content: [text] }] }, large, MESSAGES)
    expect(most?.input).toBe(size)
  })

  it('has what vendors tell their models of tools', () => {
    const own = bound(
      'chat',
      { messages: [], tools: [{ name: 'a', input_schema: { type: 'object' } }] },
      large,
      MESSAGES,
    )
    expect(own.most?.input).toBe(own.size + 1_024)
    const functions = [{ type: 'function', function: { name: 'a' } }]
    const chat = bound('chat', { messages: [], tools: [...functions, ...functions] }, large)
    expect(chat.most?.input).toBe(chat.size + 1_024)
    const vendors = bound('chat', { messages: [], tools: [{ type: 'bash_20250124', name: 'bash' }] }, large, MESSAGES)
    expect(vendors.most?.input).toBe(vendors.size + 2_048)
  })

  it('has the calls of tools that the provider runs: as many as the request allows, else as the model’s facts say, else nobody knows', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const asking = (tools: object[]) => ({ messages: [], tools })
    expect(bound('chat', asking([{ ...search, max_uses: 3 }]), large, MESSAGES).most).toMatchObject({
      input: 4_000_000,
      units: { searches: 3 },
    })
    expect(bound('chat', asking([search]), { ...large, hostedCalls: 5 }, MESSAGES).most).toMatchObject({
      units: { searches: 5 },
    })
    const unlimited = { input: Number.POSITIVE_INFINITY, units: { searches: Number.POSITIVE_INFINITY } }
    expect(bound('chat', asking([search]), large, MESSAGES).most).toMatchObject(unlimited)
    expect(bound('chat', { contents: [], tools: [{ googleSearch: {} }] }, large, GEMINI).most).toMatchObject(unlimited)
    expect(bound('chat', { messages: [], web_search_options: {} }, large).most).toMatchObject(unlimited)
    const both = { input: 'Hi', tools: [{ type: 'web_search' }, { type: 'code_interpreter' }] }
    expect(bound('chat', both, large, RESPONSES).most).toMatchObject(unlimited)
    const limited = bound('chat', { ...both, max_tool_calls: 2 }, large, RESPONSES).most
    expect(limited).toMatchObject({ input: 3_000_000, units: { searches: 2 } })
    const dropped = (path: string) => ({ path, kind: 'dropped', reason: 'the vendor has no equivalent' }) as const
    const unlimitedThere = { ...RESPONSES, losses: [dropped('max_tool_calls')] }
    expect(bound('chat', { ...both, max_tool_calls: 2 }, large, unlimitedThere).most).toMatchObject(unlimited)
    const neither = { ...RESPONSES, losses: [dropped('tools[0]'), dropped('tools[1]')] }
    expect(bound('chat', both, large, neither).most?.units).toBeUndefined()
    for (const type of ['local_shell', 'apply_patch', 'shell', 'computer', 'namespace'])
      expect(bound('chat', { input: 'Hi', tools: [{ type }] }, large, RESPONSES).most?.input, type).toBeLessThan(3_000)
    expect(
      bound('chat', asking([{ type: 'code_execution_20250825', name: 'c' }]), large, MESSAGES).most?.units,
    ).toBeUndefined()
    const functions = [{ functionDeclarations: [{ name: 'a' }] }]
    expect(bound('chat', { contents: [], tools: functions }, large, GEMINI).most?.input).toBeLessThan(10_000)
  })

  it('has what may be written to a cache, and kept for long where the request may say so', () => {
    const { size, most } = bound('chat', { messages: [{ role: 'user', content: 'A "ttl" is little.' }] }, large)
    expect(most).toMatchObject({ cacheWrite: size })
    expect(most).not.toHaveProperty('cacheWriteLong')
    const system = [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }]
    const long = bound('chat', { system, messages: [] }, large, MESSAGES)
    expect(long.most).toMatchObject({ cacheWriteLong: long.size })
    const escaped = parseBody(Buffer.from('{"messages":[],"\\u0074tl":"1h"}'))
    expect(families[0]?.bound?.({ body: escaped, facts: large })).toHaveProperty('cacheWriteLong')
  })

  it('has the tiers of service that are asked for', () => {
    expect(bound('chat', { messages: [], service_tier: 'Priority' }, large).most).toMatchObject({ tiers: ['priority'] })
    expect(bound('chat', { messages: [], service_tier: 'auto' }, large).most).not.toHaveProperty('tiers')
    const both = { messages: [], speed: 'fast', inference_geo: 'us', service_tier: 'standard_only' }
    expect(bound('chat', both, large, MESSAGES).most).toMatchObject({ tiers: ['fast', 'fast+us', 'us'] })
  })

  it('is for vectors a token a byte, or as many tokens as are sent, and one search for a search', () => {
    const { size, most } = bound('embeddings', { model: 'm', input: ['a', 'b'] })
    expect(most).toEqual({ input: size, output: 0 })
    expect(bound('embeddings', { model: 'm', input: [1, 20_000, 3] }).most).toEqual({ input: 3, output: 0 })
    expect(bound('embeddings', { model: 'm', input: [[1, 2], [3]] }).most).toEqual({ input: 3, output: 0 })
    expect(bound('search', {}).most).toEqual({ input: 0, output: 0, units: { searches: 1 } })
  })
})

describe('The most that a video can use', () => {
  function seconds(duration: number | undefined, capabilities?: VideoCapabilities, content: object[] = []) {
    const provider = videoProvider('http://127.0.0.1:9', capabilities && { capabilities })
    const json = { model: 'm', content: [{ type: 'text', text: 'a cat' }, ...content], duration }
    return bound('video', json, undefined, { provider, model: 'm' }).most?.units
  }

  it('is the duration that is asked for, or the next longer one that there is', () => {
    expect(seconds(5)).toEqual({ videos: 1, seconds: 5 })
    expect(seconds(5, { durations: [4, 6, 8] })).toEqual({ videos: 1, seconds: 6 })
    expect(seconds(1, { durations: { min: 3, max: 10 } })).toEqual({ videos: 1, seconds: 3 })
  })

  it('is the longest where none is asked for, and not known where nobody knows that', () => {
    expect(seconds(undefined, { durations: [4, 6, 8] })).toEqual({ videos: 1, seconds: 8 })
    expect(seconds(-1, { durations: { min: 3, max: 10 } })).toEqual({ videos: 1, seconds: 10 })
    expect(seconds(undefined)).toEqual({ videos: 1, seconds: Number.POSITIVE_INFINITY })
    const video = [{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }]
    expect(seconds(5, {}, video)).toEqual({ videos: 1, seconds: Number.POSITIVE_INFINITY })
  })

  it('has tokens, and units of other names, that nobody knows', () => {
    const provider = videoProvider('http://127.0.0.1:9')
    const { most } = bound('video', { model: 'm', content: [{ type: 'text', text: 'a cat' }] }, undefined, {
      provider,
      model: 'm',
    })
    expect(most).toMatchObject({ output: Number.POSITIVE_INFINITY, isOpen: true })
  })
})
