import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { type TranslatedFormat, translateRequest, translateResponse, translateStream } from '../../src/translate.ts'

/**
 * OpenAI gives the call of a tool outside of namespaces a `namespace` that is the tool's name.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 */
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'f',
  namespace: 'f',
  arguments: '{}',
  status: 'completed',
}
const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }
const request = {
  model: 'm',
  input: [{ role: 'user', content: 'Hello' }, call, { type: 'function_call_output', call_id: 'c1', output: 'ok' }],
  tools: [tool],
  tool_choice: { type: 'function', name: 'f', namespace: 'f' },
}
const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [call] }
const CALLERS: readonly TranslatedFormat[] = ['chat-completions', 'messages', 'generate-content']

async function* stream(events: readonly Json[]): AsyncGenerator<Uint8Array, void, void> {
  for (const event of events)
    yield new TextEncoder().encode(`event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`)
}

describe('A call whose namespace is its own name', () => {
  it.each(CALLERS)('goes up to %s under its name, as does the choice of its tool', (to) => {
    const { body } = translateRequest(request, { from: 'responses', to, model: 'm' })
    const sent = JSON.stringify(body)
    expect(sent.match(/"name":"f"/g)?.length).toBeGreaterThan(1)
    expect(sent).not.toContain('f__f')
  })

  it.each(CALLERS)('reaches callers of %s under its name, whole and streamed', async (to) => {
    const whole = JSON.stringify(translateResponse(answer, { from: 'responses', to, model: 'm' }).body)
    let text = ''
    const events = [
      { type: 'response.created', response: { ...answer, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress', arguments: '' } },
      { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_1', arguments: '{}' },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.completed', response: answer },
    ]
    for await (const chunk of translateStream(stream(events), { from: 'responses', to, model: 'm' }))
      text += new TextDecoder().decode(chunk)
    for (const said of [whole, text]) {
      expect(said).toContain('"name":"f"')
      expect(said).not.toContain('f__f')
    }
  })

  it('keeps its namespace where the vendor’s own format is written again', () => {
    const { body } = translateRequest(request, { from: 'responses', to: 'responses', model: 'm' })
    expect(body).toMatchObject({ input: [{}, { name: 'f', namespace: 'f' }, {}], tools: [{ name: 'f' }] })
  })
})
