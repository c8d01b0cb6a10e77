import type { ChatRequest } from '../chat/conversation.ts'
import { literal, members } from './literal.ts'
import { messagesBody } from './messages-body.ts'
import { type Place, STRICT } from './place.ts'

/** The request by the package `@anthropic-ai/sdk`. */
export function anthropicCode(request: ChatRequest, { origin, variable, isStrict }: Place): string {
  const client = { baseURL: origin, ...(isStrict && { defaultHeaders: STRICT }) }
  const head = `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
${members(client)}
  apiKey: process.env.${variable},
})
const answer = await client.messages.create(${literal(messagesBody(request))})
`
  return request.streams
    ? `${head}for await (const event of answer) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)
}`
    : `${head}console.log(answer.content)`
}
