import { describe, expect, it } from 'vitest'
import type { Block, MediaBlock, ToolResultBlock } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Target } from '../../../src/canonical/target.ts'
import { assistant, call, contents, errorOf, GEMINI, result, user, write } from './values.ts'

const HALF = { ...GEMINI, model: 'gemini-2.5-flash' }
const VERTEX = { ...GEMINI, facts: { toolCallIds: false } }
const SKIP = 'skip_thought_signature_validator'
const image = (more: Partial<MediaBlock> = {}): Block => ({
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  at: 'messages[0].content[1]',
  source: { type: 'base64', data: 'aGk=' },
  ...more,
})

describe('calls and results', () => {
  it('case 4: empty arguments become {}', () => {
    expect(contents([assistant(call('a', 'f', '')), user(result('a', 'x'))])).toMatchObject([
      { parts: [{ functionCall: { name: 'f', args: {} } }] },
      {},
    ])
  })

  it.each([
    ['{"a":1, "b":', {}],
    ['text', {}],
    ['[1,2]', { _value: [1, 2] }],
    ['7', { _value: 7 }],
  ])('case 5: arguments that are no JSON object (%s) become one and are declared', (args, sent) => {
    const { body, losses } = write({
      messages: [assistant(call('a', 'f', args, { at: 'messages[1].tool_calls[0]' })), user(result('a', 'x'))],
    })
    expect(body).toMatchObject({ contents: [{ parts: [{ functionCall: { args: sent } }] }, {}] })
    expect(losses).toMatchObject([{ path: 'messages[1].tool_calls[0].arguments', kind: 'changed' }])
  })

  it('case 331: numbers that do not fit keep their digits in arguments and results', () => {
    const { body, losses } = write({
      messages: [assistant(call('a', 'f', '{"n":9007199254740993}')), user(result('a', '{"n":9007199254740993}'))],
    })
    expect(losses).toEqual([])
    expect(JSON.stringify(body)).toMatch(/"args":\{"n":9007199254740993\}.*"response":\{"n":9007199254740993\}/)
  })

  it('case 11: parallel results stand in one turn', () => {
    const written = contents([
      user('go'),
      assistant(call('a', 'f'), call('b', 'g')),
      user(result('a', '1')),
      user(result('b', '2')),
    ])
    expect(written).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { functionResponse: { name: 'g' } }] },
    ])
  })

  it('case 12: results stand in the order of their calls, those of no call at the end', () => {
    const results = user(result('x', '', { name: 'other' }), result('c', ''), result('a', ''), result('b', ''))
    expect(contents([assistant(call('a', 'f1'), call('b', 'f2'), call('c', 'f3')), results])).toMatchObject([
      {},
      { parts: ['f1', 'f2', 'f3', 'other'].map((name) => ({ functionResponse: { name } })) },
    ])
  })

  it('each of several calls of one id gets one result, and the last what is left', () => {
    const calls = assistant(call('a', 'f'), call('b', 'g'), call('a', 'f'))
    const results = user(result('b', 'b'), result('a', '1'), result('a', '2'), result('a', '3'))
    expect(contents([calls, results])).toMatchObject([
      {},
      { parts: ['1', 'b', '2', '3'].map((output) => ({ functionResponse: { response: { output } } })) },
    ])
    expect(errorOf(() => contents([calls, user(result('a', '1'), result('b', 'b'))])).message).toContain(
      '"a" has no result',
    )
  })

  it('case 8: results stand before what else the user said', () => {
    expect(contents([assistant(call('a', 'f')), user('hm'), user(result('a', 'x'))])).toMatchObject([
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { text: 'hm' }] },
    ])
  })

  it('case 10: a call without a result is refused, by its id', () => {
    const error = errorOf(() =>
      contents([
        assistant(call('a', 'f'), call('b', 'g', '{}', { at: 'messages[0].tool_calls[1]' })),
        user(result('a', 'x')),
      ]),
    )
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].tool_calls[1]' })
    expect(error.message).toContain('"b"')
    expect(errorOf(() => contents([assistant(call('a', 'f'))])).message).toContain('"a"')
  })

  it('a result of a call that is not in the conversation is refused, unless it names the function', () => {
    expect(errorOf(() => contents([user(result('z', 'x', { at: 'messages[0]' }))])).param).toBe('messages[0]')
    expect(contents([user(result('z', 'x', { name: 'f' }))])).toMatchObject([
      { parts: [{ functionResponse: { name: 'f' } }] },
    ])
  })

  it('case 13: a result without a name has that of its call', () => {
    expect(contents([assistant(call('a', 'f')), user(result('a', 'x'))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { name: 'f' } }] },
    ])
  })

  it.each([
    ['{"t":72}', { t: 72 }],
    ['72', { output: '72' }],
    ['[1]', { output: '[1]' }],
    ['', { output: '' }],
    ['{}', { output: '{}' }],
    ['{"output":"x"}', { output: '{"output":"x"}' }],
    ['{"error":"x"}', { output: '{"error":"x"}' }],
    ['{broken', { output: '{broken' }],
  ])('case 15: the result %s is an object', (text, response) => {
    expect(contents([assistant(call('a', 'f')), user(result('a', text))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { response } }] },
    ])
  })

  it('case 16: a result with $ref or $defs stays text', () => {
    const text = '{"schema":{"$ref":"#/$defs/a"}}'
    const written = contents([assistant(call('a', 'f')), user(result('a', text))])
    expect(written).toMatchObject([{}, { parts: [{ functionResponse: { response: { output: text } } }] }])
  })

  it('case 27: a failure is an error', () => {
    const written = contents([assistant(call('a', 'f')), user(result('a', 'boom', { error: true }))])
    expect(written).toMatchObject([{}, { parts: [{ functionResponse: { response: { error: 'boom' } } }] }])
  })

  it('case 24: images of results stand inside them on Gemini 3, and after them before, which is said in text and declared', () => {
    const messages = [assistant(call('a', 'f')), user({ type: 'tool-result', id: 'a', blocks: [image()] }, 'and?')]
    const inlineData = { mimeType: 'image/png', data: 'aGk=' }
    expect(contents(messages)).toMatchObject([
      {},
      { parts: [{ functionResponse: { parts: [{ inlineData }] } }, { text: 'and?' }] },
    ])
    expect(write({ messages }).losses).toEqual([])
    const { body, losses } = write({ messages }, HALF)
    expect(body).toMatchObject({
      contents: [
        {},
        {
          parts: [
            { functionResponse: { response: { output: '[image attached below]' } } },
            { text: 'Attachment of tool result a:' },
            { inlineData },
            { text: 'and?' },
          ],
        },
      ],
    })
    expect(losses).toMatchObject([{ path: 'messages[0].content[1]', kind: 'changed' }])
  })

  it('case 24: images of several results are told apart, by place where the model sees no ids', () => {
    const results = ['b', 'a'].map((id) => ({ ...result(id, `text of ${id}`), id }) as ToolResultBlock)
    const withImages = results.map(
      (block): Block => ({ ...block, blocks: [...block.blocks, image({ name: `${block.id}.png` })] }),
    )
    const messages = [assistant(call('a', 'f'), call('b', 'f')), user(...withImages)]
    const textsOf = (target: Target) => {
      const [, { parts }] = contents(messages, target) as [
        unknown,
        { parts: { text?: string; functionResponse?: Json }[] },
      ]
      return parts.map(({ text, functionResponse }) => text ?? functionResponse?.['response'] ?? 'image')
    }
    const answers = [{ output: 'text of a' }, { output: 'text of b' }]
    expect(textsOf(HALF)).toEqual([
      ...answers,
      'Attachment of tool result a:',
      'image',
      'Attachment of tool result b:',
      'image',
    ])
    const vertex = { ...HALF, facts: { toolCallIds: false } }
    expect(textsOf(vertex)).toEqual([
      ...answers,
      'Attachment of tool result 1:',
      'image',
      'Attachment of tool result 2:',
      'image',
    ])
  })

  it('images of results by URL stand inside them on Gemini 3 as well, and so do texts', () => {
    const blocks: Block[] = [
      image({ mime: 'image/png', source: { type: 'file', id: 'gs://bucket/a' } }),
      { type: 'media', kind: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'media', kind: 'document', source: { type: 'text', text: 'hi' } },
    ]
    const [, turn] = contents([assistant(call('a', 'f')), user({ type: 'tool-result', id: 'a', blocks })]) as [
      unknown,
      Json,
    ]
    expect(turn['parts']).toMatchObject([
      {
        functionResponse: {
          parts: [
            { fileData: { fileUri: 'gs://bucket/a', mimeType: 'image/png' } },
            { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
            { inlineData: { mimeType: 'text/plain', data: 'aGk=' } },
          ],
        },
      },
    ])
  })

  it('case 31: ids are sent to the Gemini API and not to Vertex', () => {
    const messages = [assistant(call('a', 'f')), user(result('a', 'x'))]
    expect(contents(messages)).toMatchObject([
      { parts: [{ functionCall: { id: 'a' } }] },
      { parts: [{ functionResponse: { id: 'a' } }] },
    ])
    expect(JSON.stringify(contents(messages, VERTEX))).not.toContain('"id"')
    expect(JSON.stringify(contents(messages, { model: 'other' }))).not.toContain('"id"')
  })

  it('case 49: calls of tools that another provider ran are dropped, and declared', () => {
    const hosted: Block[] = [
      { type: 'hosted-call', id: 's', name: 'web-search', arguments: '{}', at: 'messages[1].content[0]' },
      {
        type: 'hosted-result',
        id: 's',
        name: 'web-search',
        at: 'messages[1].content[1]',
        extensions: { format: 'messages', fields: { content: [] } },
      },
    ]
    const { body, lost } = write({ messages: [user('q'), assistant(...hosted, 'a')] })
    expect(body).toMatchObject({ contents: [{}, { parts: [{ text: 'a' }] }] })
    expect(lost).toEqual(['messages[1].content[0]', 'messages[1].content[1]'])
  })
})

describe('signatures', () => {
  const signed = { signature: { signer: 'gemini', value: 'c2ln' } }
  const foreign = { signature: { signer: 'claude', value: 'x' } }

  it('case 104: the first call of a turn without a signature gets the one that stands for none', () => {
    expect(contents([assistant(call('a', 'f'), call('b', 'g')), user(result('a', ''), result('b', ''))])).toMatchObject(
      [{ parts: [{ functionCall: { name: 'f' }, thoughtSignature: SKIP }, { functionCall: { name: 'g' } }] }, {}],
    )
    expect(
      JSON.stringify(contents([assistant(call('a', 'f'), call('b', 'g')), user(result('a', ''), result('b', ''))])),
    ).toMatch(/^((?!skip_).)*skip_((?!skip_).)*$/)
    expect(JSON.stringify(contents([assistant(call('a', 'f')), user(result('a', ''))], HALF))).not.toContain(SKIP)
  })

  it('case 106: calls that were made at once stay in one turn', () => {
    const written = contents([
      assistant(call('a', 'f', '{}', signed)),
      assistant(call('b', 'g')),
      user(result('a', ''), result('b', '')),
    ])
    expect(written).toMatchObject([
      { role: 'model', parts: [{ thoughtSignature: 'c2ln' }, { functionCall: { name: 'g' } }] },
      { role: 'user' },
    ])
  })

  it('case 109: a signature of plain text is sent', () => {
    expect(contents([user('q'), assistant({ type: 'text', text: 'a', ...signed })])).toMatchObject([
      {},
      { parts: [{ text: 'a', thoughtSignature: 'c2ln' }] },
    ])
    expect(contents([user('q'), assistant({ type: 'text', text: '', ...signed })])).toMatchObject([
      {},
      { parts: [{ text: '', thoughtSignature: 'c2ln' }] },
    ])
  })

  it('case 111: a signature that came back on reasoning before a call belongs to the call', () => {
    const messages = [assistant({ type: 'reasoning', text: '', ...signed }, call('a', 'f')), user(result('a', ''))]
    const [turn] = contents(messages) as [{ parts: unknown[] }]
    expect(turn.parts).toMatchObject([{ functionCall: { name: 'f' }, thoughtSignature: 'c2ln' }])
    expect(
      contents([assistant({ type: 'reasoning', text: 'hm', ...signed }, call('a', 'f')), user(result('a', ''))]),
    ).toMatchObject([
      {
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'f' }, thoughtSignature: 'c2ln' },
        ],
      },
      {},
    ])
  })

  it('case 113: reasoning of another model is dropped, and the call beside it stays', () => {
    const reasoning: Block = { type: 'reasoning', text: 'hm', at: 'messages[0].content[0]', ...foreign }
    const { body, lost } = write({ messages: [assistant(reasoning, call('a', 'f')), user(result('a', ''))] })
    expect(body['contents']).toMatchObject([{ parts: [{ functionCall: { name: 'f' }, thoughtSignature: SKIP }] }, {}])
    expect(JSON.stringify(body)).not.toContain('hm')
    expect(lost).toEqual(['messages[0].content[0]'])
  })

  it('a signature of another model on a call is dropped, and declared', () => {
    const { body, lost } = write({
      messages: [
        assistant(call('a', 'f', '{}', { at: 'messages[0].tool_calls[0]', ...foreign })),
        user(result('a', '')),
      ],
    })
    expect(body['contents']).toMatchObject([{ parts: [{ thoughtSignature: SKIP }] }, {}])
    expect(lost).toEqual(['messages[0].tool_calls[0].signature'])
  })

  it('goes to none but its signer', () => {
    const messages = [user('q'), assistant({ type: 'text', text: 'a', at: 'm', ...signed })]
    expect(JSON.stringify(write({ messages }, { model: 'gemini-3.5-flash' }).body)).not.toContain('c2ln')
  })
})
