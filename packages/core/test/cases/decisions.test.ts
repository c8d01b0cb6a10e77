import { describe, expect, it } from 'vitest'
import { translateRequest, translateResponse } from '../../src/translate.ts'

describe('A conversation that goes over another format and back', () => {
  it('case 100: has thoughts in the order in which the model had them; chat completions has its texts behind them', () => {
    const content = [
      { type: 'thinking', thinking: 'First I think.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'Then I speak.' },
      { type: 'thinking', thinking: 'Then I think again.', signature: 'YWdhaW4=' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
    ]
    const answer = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'tool_use' }
    const usage = { input_tokens: 1, output_tokens: 1 }
    for (const over of ['chat-completions', 'generate-content'] as const) {
      const { body } = translateResponse({ ...answer, usage }, { from: 'messages', to: over })
      const back = translateRequest(nextTurn(over, body), {
        from: over,
        to: 'messages',
        model: 'claude-sonnet-4-5',
        signer: 'claude',
      })
      const said = Object(Object(back.body?.['messages'])[1]).content
      expect([over, said]).toEqual([
        over,
        over === 'generate-content' ? content : [content[0], content[2], content[1], content[3]],
      ])
    }
  })
})

describe('The order of an answer', () => {
  const order = (...content: object[]) => {
    const body = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn' }
    return translateResponse(body, { from: 'messages', to: 'chat-completions' }).lost.map(
      ({ path, kind }) => `${path} ${kind}`,
    )
  }
  const thought = { type: 'thinking', thinking: 'I think.', signature: 'c2lnbmVk' }
  const text = { type: 'text', text: 'I speak.' }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }

  it('case 100: is declared where a message of chat completions does not tell it', () => {
    expect(order(thought, text, thought, call)).toEqual(['content[2] changed'])
    expect(order(thought, call, text)).toEqual(['content[2] changed'])
    expect(order(text, thought)).toEqual(['content[1] changed'])
  })

  it('is kept where thoughts come first, then text, then calls', () => {
    expect(order(thought, thought, text, text, call, call)).toEqual([])
    expect(order(text, call, { type: 'text', text: '' })).toEqual([])
  })
})

/** What a client sends next that keeps the answer as it came. */
function nextTurn(format: 'chat-completions' | 'generate-content', answer: object) {
  const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'ok' }
  if (format === 'chat-completions')
    return { model: 'm', messages: [{ role: 'user', content: 'Hi' }, Object(answer).choices[0].message, result] }
  const response = { id: 'toolu_1', name: 'f', response: { output: 'ok' } }
  return {
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      Object(answer).candidates[0].content,
      { role: 'user', parts: [{ functionResponse: response }] },
    ],
  }
}

describe('A PDF', () => {
  it.each(['messages', 'generate-content'] as const)(
    'case 172: that is none goes to a provider of %s, which says so',
    (to) => {
      const data = btoa('not a PDF')
      const file = { type: 'file', file: { file_data: `data:application/pdf;base64,${data}`, filename: 'a.pdf' } }
      const { body, lost } = translateRequest(
        { model: 'm', messages: [{ role: 'user', content: [file] }] },
        { from: 'chat-completions', to, model: 'm' },
      )
      expect(JSON.stringify(body)).toContain(data)
      expect(lost.filter(({ path }) => !path.endsWith('filename'))).toEqual([])
    },
  )
})

describe('Usage', () => {
  it('case 233: by modality has no place in messages, and the totals are right', () => {
    const usageMetadata = {
      promptTokenCount: 300,
      candidatesTokenCount: 20,
      totalTokenCount: 320,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 42 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
    }
    const answer = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata,
      modelVersion: 'm',
      responseId: 'r',
    }
    const { body } = translateResponse(answer, { from: 'generate-content', to: 'messages' })
    expect(body).toMatchObject({ usage: { input_tokens: 300, output_tokens: 20 } })
  })
})
