import type { ChatRequest } from '../chat/conversation.ts'
import { completionsBody } from './completions-body.ts'
import { literal, members } from './literal.ts'
import { type Place, STRICT } from './place.ts'
import { responsesBody } from './responses-body.ts'

/** The request by the package `openai`. */
export function openaiCode(request: ChatRequest, place: Place): string {
  const head = `${clientOf(place)}
const answer = await client.chat.completions.create(${literal(completionsBody(request))})
`
  return request.streams
    ? `${head}for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? '')`
    : `${head}console.log(answer.choices[0]?.message)`
}

/** The same by the newer half of the package. */
export function openaiResponsesCode(request: ChatRequest, place: Place): string {
  const head = `${clientOf(place)}
const answer = await client.responses.create(${literal(responsesBody(request))})
`
  return request.streams
    ? `${head}for await (const event of answer) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)`
    : `${head}console.log(answer.output)`
}

function clientOf({ origin, variable, isStrict }: Place): string {
  const client = { baseURL: `${origin}/v1`, ...(isStrict && { defaultHeaders: STRICT }) }
  return `import OpenAI from 'openai'

const client = new OpenAI({
${members(client)}
  apiKey: process.env.${variable},
})`
}
