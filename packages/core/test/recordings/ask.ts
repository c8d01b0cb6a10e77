import type { FormatId } from './recordings.ts'

/** The smallest request of a format: for runs where only the answer matters. */
export function smallRequest(format: FormatId, model: string, stream: boolean, choices = 1): string {
  const turn = { role: 'user', content: 'Hello' }
  switch (format) {
    case 'chat-completions':
      return JSON.stringify({
        model,
        messages: [turn],
        ...(choices > 1 && { n: choices }),
        ...(stream && { stream, stream_options: { include_usage: true } }),
      })
    case 'messages':
      return JSON.stringify({ model, max_tokens: 1024, messages: [turn], ...(stream && { stream }) })
    case 'generate-content':
      return JSON.stringify({
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        ...(choices > 1 && { generationConfig: { candidateCount: choices } }),
      })
  }
}
