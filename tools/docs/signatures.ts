import type { Reply } from '../../packages/core/src/canonical/format.ts'
import { isObject, type Json, objects } from '../../packages/core/src/canonical/json.ts'
import type { ChatResponse } from '../../packages/core/src/canonical/response.ts'
import { formats } from '../../packages/core/src/formats/index.ts'
import { fence } from './markdown.ts'

/** Response whose signatures no format has a field for. */
const ANSWER: ChatResponse = {
  choices: [
    {
      blocks: [
        { type: 'reasoning', text: 'It is about the weather.', signature: { signer: 'acme', value: 'proof-1' } },
        {
          type: 'tool-call',
          id: 'call_1',
          name: 'weather',
          arguments: '{}',
          signature: { signer: 'acme', value: 'proof-2' },
        },
      ],
      finish: { reason: 'tool-calls' },
    },
  ],
}

/** Assistant's turn in each format. */
export function signatureCarriers(): string {
  return [...formats.values()]
    .map((format) => {
      const request = format.readRequest({ [format.turns]: [turnOf(format.id)] }, { model: 'acme-1' })
      const reply: Reply = { id: 'req_1', model: 'acme-1', request }
      const answer = format.writeResponse(ANSWER, reply, [])
      return `**${format.id}**\n\n${fence('json', JSON.stringify(turnIn(answer), null, 2))}`
    })
    .join('\n\n')
}

function turnOf(format: string): Json {
  return format === 'generate-content'
    ? { role: 'user', parts: [{ text: 'Hello.' }] }
    : { role: 'user', content: 'Hello.' }
}

/** Assistant's turn, or its items, in a response of any format. */
function turnIn(answer: Json): unknown {
  if (Array.isArray(answer['output'])) return answer['output']
  const [first] = [...objects(answer['choices']), ...objects(answer['candidates'])]
  if (isObject(first)) return first['message'] ?? first['content']
  return { role: answer['role'], content: answer['content'] }
}
