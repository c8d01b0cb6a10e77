import type { IncomingMessage } from 'node:http'
import type { PlainAnswer } from './plain-answer.ts'

const DOCS = 'https://github.com/headgate/headgate/tree/main/docs'

function text(url: string): string {
  return `This is Headgate, one gateway in front of every model.

Create a key on the gateway's machine:

  headgate keys create

Call a model:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer <API_KEY>" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "<MODEL>", "messages": [{"role": "user", "content": "Say hello."}]}'

List of models              GET /v1/models, with a key
Base URL of OpenAI's SDK    ${url}/v1
Anthropic's and Google's    ${url}
API description             GET /openapi.json, with a key
Health checks               GET /healthz, GET /readyz
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

/** Page at the gateway's address, with public information only. HTML for browsers, plain text for other clients. */
export function frontPage({ headers }: Pick<IncomingMessage, 'headers'>, url: string): PlainAnswer {
  return headers.accept?.includes('text/html')
    ? { status: 200, type: 'text/html; charset=utf-8', body: page(url) }
    : { status: 200, type: 'text/plain; charset=utf-8', body: text(url) }
}
