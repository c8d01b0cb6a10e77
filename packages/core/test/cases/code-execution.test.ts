import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { readFrames } from '../../src/formats/sse.ts'
import { translateResponse, translateStream } from '../../src/translate.ts'
import { G, GEMINI, send } from './way.ts'

const R = 'responses'
const code = { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } }
const result = (outcome: string, output: string): Json => ({ codeExecutionResult: { outcome, output } })

/** An answer with code that ran, written from https://ai.google.dev/gemini-api/docs/code-execution. */
const answer = (...parts: Json[]): Json => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
})

const call = (fields: Json): unknown =>
  expect.objectContaining({ type: 'code_interpreter_call', code: 'print(6 * 7)', ...fields })
const text = (words: string): unknown =>
  expect.objectContaining({ type: 'message', content: [expect.objectContaining({ text: words })] })

describe('Code that Gemini ran', () => {
  it.each<[string, Json[], unknown[]]>([
    [
      'with its output',
      [{ text: 'So:' }, code, result('OUTCOME_OK', '42\n'), { text: '42.' }],
      [text('So:'), call({ status: 'completed', outputs: [{ type: 'logs', logs: '42\n' }] }), text('42.')],
    ],
    [
      'that failed',
      [code, result('OUTCOME_FAILED', 'NameError')],
      [call({ status: 'failed', outputs: [{ type: 'logs', logs: 'NameError' }] })],
    ],
    ['without a result', [code], [call({ status: 'completed', outputs: null })]],
    [
      'twice',
      [code, code, result('OUTCOME_OK', '42\n')],
      [call({ outputs: null }), call({ outputs: [{ type: 'logs', logs: '42\n' }] })],
    ],
  ])('%s is an item of a code interpreter to callers of responses', async (_, parts, due) => {
    const whole = translateResponse(answer(...parts), { from: G, to: R, model: 'm' })
    expect(whole.body['output']).toEqual(due)
    async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
      for (const part of parts) {
        const chunk = { candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] }
        yield new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\r\n\r\n`)
      }
      yield new TextEncoder().encode(`data: ${JSON.stringify(answer({ text: '' }))}\r\n\r\n`)
    }
    const stream = translateStream(chunks(), { from: G, to: R, model: 'm' })
    let out = ''
    for await (const chunk of stream) out += new TextDecoder().decode(chunk)
    const events = readFrames(out).map(({ data }) => JSON.parse(data) as Json)
    const last = events.at(-1) as { response: Json }
    expect(last.response['output']).toEqual(due)
    expect(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toEqual(due)
    expect([...whole.lost, ...stream.lost]).toEqual([])
  })

  it('comes back to Gemini with its output', () => {
    const item = {
      id: 'ci_1',
      type: 'code_interpreter_call',
      status: 'completed',
      code: 'print(6 * 7)',
      container_id: '',
    }
    const input = [
      { role: 'user', content: 'Go' },
      { ...item, outputs: [{ type: 'logs', logs: '42\n' }] },
      { role: 'user', content: 'And?' },
    ]
    const { body, lost } = send(R, G, { model: 'm', input }, GEMINI)
    expect(body['contents']).toMatchObject([{}, { role: 'model', parts: [code, result('OUTCOME_OK', '42\n')] }, {}])
    expect(lost).toEqual(['input[1] changed'])
  })
})
