import { describe, expect, it } from 'vitest'
import { messages } from '../../../src/formats/messages/index.ts'
import { assistant, at, call, MIDDLE, NEWEST, OLD, result, system, user, write } from './support.ts'

describe('Writing a messages request', () => {
  it('sends the provider’s name of the model, the limit of the output, and turns of blocks', () => {
    expect(write({}).body).toEqual({
      model: 'claude-opus-5',
      max_tokens: 128_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    })
  })

  it.each([
    ['the caller’s own', { maxTokens: 5 }, NEWEST, 5],
    ['what is known of the model', {}, { ...NEWEST, limits: { id: 'x', output: 777 } }, 777],
    ['the limit of its generation', {}, OLD, 4096],
    ['none of tokens to warm the cache', { maxTokens: 0 }, NEWEST, 0],
  ])('limits the output to %s', (_, fields, target, tokens) => {
    expect(write(fields, target).body['max_tokens']).toBe(tokens)
  })

  it('sends the model’s limit where more is asked for', () => {
    const written = write(
      { maxTokens: 9000, paths: { maxTokens: 'max_completion_tokens' } },
      { ...NEWEST, limits: { id: 'x', output: 8192 } },
    )
    expect(written.body['max_tokens']).toBe(8192)
    expect(written.lost).toEqual(['changed max_completion_tokens'])
  })

  it('case 125: joins the leading system messages in order', () => {
    expect(write({ messages: [system('a'), system('', 'b'), user('hi')] }).body['system']).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('writes one plain system text where the provider knows no other', () => {
    const target = { ...NEWEST, facts: { plainSystem: true } }
    const { body } = write({ messages: [system('a'), system('b'), user('hi'), system('c')] }, target)
    expect(body['system']).toBe('a\n\nb')
    expect(JSON.stringify(body['messages'])).toContain('<system-reminder>')
  })

  it('case 127: a system message after a user turn stays in place on a model that takes it', () => {
    const conversation = [user('hi'), assistant('yo'), user('more'), system('Now Go')]
    expect(write({ messages: conversation }, { model: 'claude-opus-4-8' })).toMatchObject({
      body: {
        messages: [
          { role: 'user' },
          { role: 'assistant' },
          { role: 'user' },
          { role: 'system', content: [{ type: 'text', text: 'Now Go' }] },
        ],
      },
      lost: [],
    })
  })

  it('case 127: one that stands before a user turn moves behind it, where the vendor takes it', () => {
    const conversation = [user('hi'), assistant('yo'), { ...system('Now Go'), at: 'messages[2]' }, user('more')]
    const { body, lost } = write({ messages: conversation }, { model: 'claude-opus-4-8' })
    expect(at(body, 'messages', 2)).toEqual({ role: 'user', content: [{ type: 'text', text: 'more' }] })
    expect(at(body, 'messages', 3)).toEqual({ role: 'system', content: [{ type: 'text', text: 'Now Go' }] })
    expect(lost).toEqual(['changed messages[2]'])
  })

  it('case 127: to an older model it is a reminder in the user turn, and the prompt before it stays as it was', () => {
    const start = [system('You are kind.'), user('hi'), assistant('yo')]
    const before = write({ messages: [...start, user('more')] }, MIDDLE).body
    const { body, lost } = write(
      { messages: [...start, { ...system('Now Go'), at: 'messages[3]' }, user('more')] },
      MIDDLE,
    )
    expect(at(body, 'messages', 2)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>\nNow Go\n</system-reminder>' },
        { type: 'text', text: 'more' },
      ],
    })
    expect(body['system']).toEqual(before['system'])
    expect(at(body, 'messages', 0)).toEqual(at(before, 'messages', 0))
    expect(lost).toEqual(['changed messages[3]'])
  })

  it.each([[MIDDLE], [NEWEST]])(
    'case 128: a system message between a call and its result stands behind the result (%j)',
    (target) => {
      const { body } = write(
        { messages: [user('hi'), assistant(call('c1')), system('Now Go'), user(result('c1'))] },
        target,
      )
      expect(at(body, 'messages', 2, 'content', 0, 'type')).toBe('tool_result')
      expect(JSON.stringify(at(body, 'messages')).indexOf('Now Go')).toBeGreaterThan(
        JSON.stringify(at(body, 'messages')).indexOf('tool_result'),
      )
    },
  )

  it('case 130: refuses a conversation of system messages only', () => {
    expect(() => write({ messages: [system('a')] })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'messages' }),
    )
  })

  it('case 131: puts a user turn before an assistant’s first message', () => {
    const { body, lost } = write({ messages: [assistant('Welcome'), user('hi')] })
    expect(body['messages']).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }])
    expect(lost).toEqual(['changed messages'])
  })

  it('case 132: an answer to be continued does not end with white space', () => {
    const prefill = { type: 'text' as const, text: 'Sure: {  \n', at: 'messages[1].content' }
    const { body, lost } = write({ messages: [user('hi'), assistant(prefill)] }, OLD)
    expect(at(body, 'messages', 1, 'content')).toEqual([{ type: 'text', text: 'Sure: {' }])
    expect(lost).toEqual(['changed messages[1].content'])
  })

  it('case 133: drops empty texts, and messages that hold nothing else', () => {
    expect(write({ messages: [user('hi', ''), assistant('', ' \n'), user('more')] }).body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ])
    expect(() => write({ messages: [user('')] })).toThrow(/no content to respond to/)
  })

  it('merges consecutive messages of one role', () => {
    expect(write({ messages: [user('a'), user('b')] }).body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('case 143: a refusal of an earlier answer is text', () => {
    const { body, lost } = write({
      messages: [user('hi'), assistant({ type: 'refusal', text: 'No.', at: 'messages[1].content[0]' }), user('why')],
    })
    expect(at(body, 'messages', 1, 'content')).toEqual([{ type: 'text', text: 'No.' }])
    expect(lost).toEqual(['changed messages[1].content[0]'])
  })

  it('drops names of participants and says so', () => {
    expect(write({ messages: [{ ...user('hi'), name: 'ann', at: 'messages[0]' }] }).lost).toEqual([
      'dropped messages[0].name',
    ])
  })

  it('case 189: refuses more than one answer', () => {
    expect(() => write({ n: 3, paths: { n: 'n' } })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'n' }),
    )
    expect(write({ n: 1 }).lost).toEqual([])
  })

  it('case 191: declares the fields that the format has no place for', () => {
    const { body, lost } = write({
      logprobs: { top: 5 },
      logitBias: { 5: 1 },
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      verbosity: 'low',
      metadata: { a: '1' },
      paths: { logprobs: 'logprobs', presencePenalty: 'presence_penalty' },
    })
    expect(lost.toSorted()).toEqual([
      'dropped frequencyPenalty',
      'dropped logitBias',
      'dropped logprobs',
      'dropped metadata',
      'dropped presence_penalty',
      'dropped seed',
      'dropped verbosity',
    ])
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages'])
  })

  it('sends stop sequences, but none of white space only', () => {
    const { body, lost } = write({ stop: ['END', '\n', ''], paths: { stop: 'stop' } })
    expect(body['stop_sequences']).toEqual(['END'])
    expect(lost).toEqual(['dropped stop'])
  })

  it('case 195: maps the service tier where the vendor has it', () => {
    expect(write({ serviceTier: 'auto' }).body['service_tier']).toBe('auto')
    expect(write({ serviceTier: 'default' }).body['service_tier']).toBe('standard_only')
    expect(write({ serviceTier: 'flex', paths: { serviceTier: 'service_tier' } })).toMatchObject({
      lost: ['dropped service_tier'],
    })
  })

  it('sends the user as metadata and asks for a stream', () => {
    expect(write({ user: 'u1', stream: true }).body).toMatchObject({ metadata: { user_id: 'u1' }, stream: true })
  })

  it('case 196: puts back what only this format knows, and declares what only another one knows', () => {
    const own = write({
      user: 'u',
      extensions: { format: 'messages', fields: { speed: 'fast', metadata: { extra: 1 } } },
    })
    expect(own.body).toMatchObject({ speed: 'fast', metadata: { user_id: 'u', extra: 1 } })
    const foreign = write({ extensions: { format: 'chat-completions', fields: { prediction: {} } } })
    expect(foreign.body).not.toHaveProperty('prediction')
    expect(foreign.lost).toEqual(['dropped prediction'])
  })

  describe('sampling', () => {
    const paths = { temperature: 'temperature', topP: 'top_p', topK: 'generationConfig.topK' }

    it('case 181: clamps the temperature for models that take it', () => {
      expect(write({ temperature: 1.7, paths }, MIDDLE)).toMatchObject({
        body: { temperature: 1 },
        lost: ['changed temperature'],
      })
      expect(write({ temperature: 0.3, topK: 5, paths }, MIDDLE)).toMatchObject({
        body: { temperature: 0.3, top_k: 5 },
        lost: [],
      })
    })

    it('case 181: drops it for models that refuse it', () => {
      const { body, lost } = write({ temperature: 1.7, topP: 0.5, topK: 5, paths })
      expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages'])
      expect(lost).toEqual(['dropped temperature', 'dropped top_p', 'dropped generationConfig.topK'])
    })

    it('says nothing of a temperature that is the default', () => {
      expect(write({ temperature: 1, topP: 1 }).lost).toEqual([])
    })

    it('sends temperature and not top_p where both are asked for', () => {
      expect(write({ temperature: 0.3, topP: 0.5, paths }, MIDDLE)).toMatchObject({
        body: { temperature: 0.3 },
        lost: ['dropped top_p'],
      })
    })

    it('case 122: drops it while the model thinks', () => {
      const { body, lost } = write({ temperature: 0.2, reasoning: { budget: 2000 }, paths }, MIDDLE)
      expect(body).not.toHaveProperty('temperature')
      expect(lost).toEqual(['dropped temperature'])
    })

    it('believes what is known of the model', () => {
      expect(write({ temperature: 0.2 }, { ...NEWEST, limits: { id: 'x', sampling: true } }).body['temperature']).toBe(
        0.2,
      )
    })

    it('passes it to models of other makers', () => {
      expect(write({ temperature: 0.2, topK: 3 }, { model: 'kimi-k3' })).toMatchObject({
        body: { temperature: 0.2, top_k: 3 },
        lost: [],
      })
    })
  })

  describe('cache marks', () => {
    it('case 145: keeps the lifetime of a mark', () => {
      const block = { type: 'text' as const, text: 'long', cache: { ttl: '1h' } }
      expect(at(write({ messages: [user(block)] }).body, 'messages', 0, 'content', 0, 'cache_control')).toEqual({
        type: 'ephemeral',
        ttl: '1h',
      })
    })

    it('uses the default for a lifetime that the vendor does not have', () => {
      const block = { type: 'text' as const, text: 'long', cache: { ttl: '30m' }, at: 'messages[0].content[0]' }
      const { body, lost } = write({ messages: [user(block)] })
      expect(at(body, 'messages', 0, 'content', 0, 'cache_control')).toEqual({ type: 'ephemeral' })
      expect(lost).toEqual(['changed messages[0].content[0].cache_control.ttl'])
    })

    it('case 136: puts none on an empty text', () => {
      const { body } = write({ messages: [user({ type: 'text', text: '', cache: {} }, 'hi')] })
      expect(JSON.stringify(body)).not.toContain('cache_control')
    })

    it('case 146: keeps the first and the last three', () => {
      const marked = (text: string, index: number) => ({
        type: 'text' as const,
        text,
        cache: {},
        at: `messages[1].content[${index}]`,
      })
      const { body, lost } = write({
        messages: [system({ type: 'text', text: 's', cache: {} }), user(...['a', 'b', 'c', 'd', 'e'].map(marked))],
      })
      const content = at(body, 'messages', 0, 'content')
      expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
      expect(at(body, 'system', 0, 'cache_control')).toEqual({ type: 'ephemeral' })
      expect(at(content, 4, 'cache_control')).toEqual({ type: 'ephemeral' })
      expect(lost).toEqual([
        'dropped messages[1].content[0].cache_control',
        'dropped messages[1].content[1].cache_control',
      ])
    })

    it('counts the mark of the whole prompt', () => {
      const blocks = ['a', 'b', 'c', 'd'].map((text) => ({ type: 'text' as const, text, cache: {} }))
      const { body, lost } = write({ messages: [user(...blocks)], cache: {} })
      expect(body['cache_control']).toEqual({ type: 'ephemeral' })
      expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
      expect(lost).toHaveLength(1)
    })
  })

  it('case 88: writing the same request twice gives the same body', () => {
    const target = { model: 'claude-sonnet-4-5', signer: 'claude' }
    const fields = {
      tools: [{ type: 'function' as const, name: 'a.b', schema: { properties: {} }, strict: true }],
      messages: [user('hi'), assistant(call('x.1')), user(result('x.1'))],
    }
    expect(write(fields, target)).toEqual(write(fields, target))
  })

  it('amends a body for the vendor with nothing but a missing max_tokens', () => {
    expect(messages.normalize({ model: 'x', messages: [] }, NEWEST)).toEqual({
      edits: [{ path: ['max_tokens'], value: 128_000 }],
    })
    expect(
      messages.normalize({ model: 'x', max_tokens: null }, { model: 'anything', limits: { id: 'x', output: 99 } })
        .edits,
    ).toEqual([{ path: ['max_tokens'], value: 99 }])
    expect(messages.normalize({ model: 'x', max_tokens: 0 }, NEWEST).edits).toEqual([])
  })
})
