/** Code of a request for one client. */
export interface Snippet {
  /** Format of the request, or `terminal`. */
  readonly id:
    | 'terminal'
    | 'chat-completions'
    | 'responses'
    | 'messages'
    | 'generate-content'
    | 'ai-sdk'
    | 'ai-sdk-openai'
  readonly title: string
  readonly language: 'sh' | 'python' | 'ts'
  readonly text: string
}

export interface SnippetOf {
  /** Base URL of the gateway: `http://127.0.0.1:8787`. */
  readonly origin: string
  /** API key. */
  readonly secret: string
  readonly model: string
  readonly prompt: string
}

/** Snippets of a request for all clients. Values are quoted for each language. */
export function snippetsOf({ origin, secret, model, prompt }: SnippetOf): readonly Snippet[] {
  const [quotedKey, quotedModel, quotedPrompt] = [secret, model, prompt].map((text) => JSON.stringify(text))
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] })
  return [
    {
      id: 'terminal',
      title: 'curl',
      language: 'sh',
      text: `curl ${origin}/v1/chat/completions \\
  -H ${inShell(`Authorization: Bearer ${secret}`)} \\
  -H "Content-Type: application/json" \\
  -d ${inShell(body)}`,
    },
    {
      id: 'chat-completions',
      title: 'OpenAI',
      language: 'python',
      text: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${quotedKey})
answer = client.chat.completions.create(
    model=${quotedModel},
    messages=[{"role": "user", "content": ${quotedPrompt}}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'responses',
      title: 'OpenAI responses',
      language: 'python',
      text: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${quotedKey})
answer = client.responses.create(model=${quotedModel}, input=${quotedPrompt})
print(answer.output_text)`,
    },
    {
      id: 'messages',
      title: 'Anthropic',
      language: 'python',
      text: `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=${quotedKey})
answer = client.messages.create(
    model=${quotedModel},
    max_tokens=200,
    messages=[{"role": "user", "content": ${quotedPrompt}}],
)
print(answer.content[0].text)`,
    },
    {
      id: 'generate-content',
      title: 'Google',
      language: 'python',
      text: `from google import genai

client = genai.Client(api_key=${quotedKey}, http_options={"base_url": "${origin}"})
answer = client.models.generate_content(model=${quotedModel}, contents=${quotedPrompt})
print(answer.text)`,
    },
    {
      id: 'ai-sdk',
      title: 'AI SDK',
      language: 'ts',
      text: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const headgate = createOpenAICompatible({ name: 'headgate', baseURL: '${origin}/v1', apiKey: ${quotedKey} })
const { text } = await generateText({ model: headgate(${quotedModel}), prompt: ${quotedPrompt} })
console.log(text)`,
    },
    {
      id: 'ai-sdk-openai',
      title: 'AI SDK openai()',
      language: 'ts',
      text: `import { createOpenAI } from '@ai-sdk/openai'
import { generateText } from 'ai'

const openai = createOpenAI({ baseURL: '${origin}/v1', apiKey: ${quotedKey} })
const { text } = await generateText({ model: openai(${quotedModel}), prompt: ${quotedPrompt} })
console.log(text)`,
    },
  ]
}

/** Quotes text for a shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
