import type { IncomingMessage } from 'node:http'
import type { PlainAnswer } from './plain-answer.ts'

const DOCS = 'https://github.com/headgate/headgate/tree/main/docs'

function text(url: string): string {
  return `Headgate runs here: one gateway in front of every model.

Get a key, where it runs:

  headgate keys create

Ask a model:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer <API_KEY>" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "<MODEL>", "messages": [{"role": "user", "content": "Say hello."}]}'

Models that can be called   GET /v1/models, with a key
Base URL of OpenAI's SDK    ${url}/v1
Of Anthropic's and Google's ${url}
Every path                  GET /openapi.json, with a key
Whether it is well          GET /healthz, GET /readyz
Documentation               ${DOCS}
`
}

function page(url: string): string {
  const escaped = text(url)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(DOCS, `<a href="${DOCS}">${DOCS}</a>`)
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Headgate</title>\n<pre>${escaped}</pre></html>\n`
}

/** What whoever opens the gateway's address is told: nothing that needs a key. HTML for browsers, text for others. */
export function frontPage({ headers }: Pick<IncomingMessage, 'headers'>, url: string): PlainAnswer {
  return headers.accept?.includes('text/html')
    ? { status: 200, type: 'text/html; charset=utf-8', body: page(url) }
    : { status: 200, type: 'text/plain; charset=utf-8', body: text(url) }
}
