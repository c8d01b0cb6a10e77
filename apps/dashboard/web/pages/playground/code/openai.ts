import type { ChatRequest } from '../chat/conversation.ts'
import { completionsBody } from './completions-body.ts'
import { literal, members } from './literal.ts'
import { type Place, STRICT } from './place.ts'

/** The request by the package `openai`. */
export function openaiCode(request: ChatRequest, { origin, variable, isStrict }: Place): string {
  const client = { baseURL: `${origin}/v1`, ...(isStrict && { defaultHeaders: STRICT }) }
  const head = `import OpenAI from 'openai'

const client = new OpenAI({
${members(client)}
  apiKey: process.env.${variable},
})
const answer = await client.chat.completions.create(${literal(completionsBody(request))})
`
  return request.streams
    ? `${head}for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? '')`
    : `${head}console.log(answer.choices[0]?.message)`
}
