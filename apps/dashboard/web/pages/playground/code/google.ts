import type { ChatRequest } from '../chat/conversation.ts'
import { contentsOf, generateConfig } from './generate-body.ts'
import { literal, members } from './literal.ts'
import { type Place, STRICT } from './place.ts'

/** The request by the package `@google/genai`. */
export function googleCode(request: ChatRequest, { origin, variable, isStrict }: Place): string {
  const config = generateConfig(request)
  const asked = {
    model: request.model,
    contents: contentsOf(request.turns),
    ...(Object.keys(config).length > 0 && { config }),
  }
  const head = `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
${members({ httpOptions: { baseUrl: origin, ...(isStrict && { headers: STRICT }) } })}
  apiKey: process.env.${variable},
})
const answer = await client.models.${request.streams ? 'generateContentStream' : 'generateContent'}(${literal(asked)})
`
  return request.streams
    ? `${head}for await (const { text } of answer) process.stdout.write(text ?? '')`
    : `${head}console.log(answer.candidates?.[0]?.content)`
}
