import { useState } from 'react'
import { gatewayUrl } from '../../../app/base.ts'
import { Code } from '../../../components/code.tsx'
import { SelectField } from '../../../components/field.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { LABELS } from '../../../labels.ts'
import type { PlaygroundRequest } from '../chat/conversation.ts'
import { aiCode, aiOpenAICode } from './ai.ts'
import {
  anthropicCode,
  curlOf,
  googleCode,
  openaiCode,
  openaiResponsesCode,
  type SnippetFormat,
  type SnippetTarget,
} from './clients.ts'

const CLIENTS = [
  { id: 'curl', title: 'curl' },
  { id: 'chat-completions', title: 'OpenAI' },
  { id: 'responses', title: 'OpenAI responses' },
  { id: 'messages', title: 'Anthropic' },
  { id: 'generate-content', title: 'Google' },
  { id: 'ai', title: 'AI SDK' },
  { id: 'ai-openai', title: 'AI SDK openai()' },
] as const
type Client = (typeof CLIENTS)[number]['id']

const FORMATS: readonly { readonly value: SnippetFormat; readonly title: string }[] = [
  { value: 'chat-completions', title: 'chat completions' },
  { value: 'messages', title: 'messages' },
  { value: 'generate-content', title: 'generateContent' },
  { value: 'responses', title: 'responses' },
]

const WRITERS = {
  'chat-completions': openaiCode,
  responses: openaiResponsesCode,
  messages: anthropicCode,
  'generate-content': googleCode,
  ai: aiCode,
  'ai-openai': aiOpenAICode,
}

/** Code of the request, in a tab for each client. */
export function CodePart({ request }: { readonly request: PlaygroundRequest }) {
  const [client, setClient] = useState<Client>('curl')
  const [format, setFormat] = useState<SnippetFormat>('chat-completions')
  const target: SnippetTarget = { origin: gatewayUrl(), variable: 'HEADGATE_API_KEY', isStrict: request.isStrict }
  const text = client === 'curl' ? curlOf(request, format, target) : WRITERS[client](request, target)
  return (
    <Tabs<Client> label="Clients" tabs={CLIENTS} chosen={client} onChoose={setClient}>
      <div className="flex flex-col gap-3">
        {client === 'curl' && (
          <div className="max-w-60">
            <SelectField label={LABELS.format} choices={FORMATS} value={format} onPick={setFormat} />
          </div>
        )}
        <Code text={text} label={`Code for ${client}`} />
        <p className="text-small text-muted">
          Set HEADGATE_API_KEY to your key. Long file data is shortened; insert your own.
        </p>
      </div>
    </Tabs>
  )
}
