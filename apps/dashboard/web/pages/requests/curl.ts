import type { RecordedCall, RequestRow } from '../../api/usage.ts'

/** Headers of a recorded request that change the response. Credentials are not recorded. */
const KEPT = /^(?:content-type|accept|anthropic-version|anthropic-beta|openai-beta|headgate-[a-z-]+)$/

/** Command that repeats a recorded request of a caller, with the key from the environment. */
export function recordedCurl(origin: string, { method, url, headers, body }: RecordedCall): string {
  const kept = Object.entries(headers).filter(([name]) => KEPT.test(name.toLowerCase()))
  const lines = [
    `curl -X ${method} ${inShell(`${origin}${url}`)}`,
    AUTHORIZATION,
    ...kept.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body.text === '' ? [] : [`-d ${inShell(body.text)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Double quotes let the shell insert the variable. */
const AUTHORIZATION = '-H "Authorization: Bearer $HEADGATE_API_KEY"'

const PROMPT = 'Hello'

/** Path and body of a sample request. */
interface SampleRequest {
  readonly path: string
  readonly body?: object | undefined
}

/** Command that sends a short request to the same model in the same format. The original body is not part of it. */
export function sampleCurl(origin: string, row: Pick<RequestRow, 'family' | 'format' | 'model' | 'stream'>): string {
  const { path, body } = sampleOf(row)
  const lines = [`curl ${inShell(`${origin}${path}`)}`, AUTHORIZATION]
  if (body) lines.push('-H "Content-Type: application/json"', `-d ${inShell(JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}

function sampleOf({ family, format, model, stream }: Parameters<typeof sampleCurl>[1]): SampleRequest {
  const streamed = stream ? { stream: true } : undefined
  const messages = [{ role: 'user', content: PROMPT }]
  if (family === 'embeddings') return { path: '/v1/embeddings', body: { model, input: PROMPT } }
  if (family === 'rerank') return { path: '/v1/rerank', body: { model, query: PROMPT, documents: [PROMPT] } }
  if (family === 'search') return { path: `/customsearch/v1?cx=${encodeURIComponent(model)}&q=${PROMPT}` }
  if (family === 'video') return { path: '/v1/videos', body: { model, prompt: PROMPT } }
  if (format === 'responses') return { path: '/v1/responses', body: { model, input: PROMPT, ...streamed } }
  if (format === 'messages') return { path: '/v1/messages', body: { model, max_tokens: 200, messages, ...streamed } }
  if (format === 'generate-content') {
    const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    const contents = [{ role: 'user', parts: [{ text: PROMPT }] }]
    return { path: `/v1beta/models/${encodeURIComponent(model)}:${verb}`, body: { contents } }
  }
  return { path: '/v1/chat/completions', body: { model, messages, ...streamed } }
}

/** Quotes text for a shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
