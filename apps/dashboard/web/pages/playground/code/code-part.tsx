import { useState } from 'react'
import { gatewayUrl } from '../../../app/base.ts'
import { Code } from '../../../components/code.tsx'
import { SelectField } from '../../../components/field.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import type { ChatRequest } from '../chat/conversation.ts'
import { aiCode, aiOpenAICode } from './ai.ts'
import {
  anthropicCode,
  curlOf,
  type Format,
  googleCode,
  openaiCode,
  openaiResponsesCode,
  type Place,
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

const FORMATS: readonly { readonly value: Format; readonly title: string }[] = [
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

/** The request as code, one client at a time. */
export function CodePart({ request }: { readonly request: ChatRequest }) {
  const [client, setClient] = useState<Client>('curl')
  const [format, setFormat] = useState<Format>('chat-completions')
  const place: Place = { origin: gatewayUrl(), variable: 'HEADGATE_API_KEY', isStrict: request.isStrict }
  const text = client === 'curl' ? curlOf(request, format, place) : WRITERS[client](request, place)
  return (
    <Tabs<Client> label="Clients" tabs={CLIENTS} chosen={client} onChoose={setClient}>
      <div className="flex flex-col gap-3">
        {client === 'curl' && (
          <div className="max-w-60">
            <SelectField label="Format" choices={FORMATS} value={format} onPick={setFormat} />
          </div>
        )}
        <Code text={text} label={`Code for ${client}`} />
        <p className="text-small text-muted">
          The key stands in HEADGATE_API_KEY. Long data of files is cut: put your own there.
        </p>
      </div>
    </Tabs>
  )
}
