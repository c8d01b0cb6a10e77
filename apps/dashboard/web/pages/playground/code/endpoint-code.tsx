import { useState } from 'react'
import { gatewayUrl } from '../../../app/base.ts'
import { Code } from '../../../components/code.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import type { EndpointRequest } from '../endpoint/request.ts'
import type { SnippetTarget } from './clients.ts'
import { endpointCurl, endpointJavaScript, endpointPython } from './endpoint-clients.ts'

const CLIENTS = [
  { id: 'curl', title: 'curl' },
  { id: 'javascript', title: 'OpenAI' },
  { id: 'python', title: 'OpenAI (Python)' },
] as const
type EndpointClient = (typeof CLIENTS)[number]['id']

const WRITERS = { curl: endpointCurl, javascript: endpointJavaScript, python: endpointPython }

/** Code of a request, in a tab for each client. */
export function EndpointCode({ request }: { readonly request: EndpointRequest }) {
  const [client, setClient] = useState<EndpointClient>('curl')
  const target: SnippetTarget = { origin: gatewayUrl(), variable: 'HEADGATE_API_KEY', isStrict: false }
  return (
    <Tabs<EndpointClient> label="Clients" tabs={CLIENTS} chosen={client} onChoose={setClient}>
      <div className="flex flex-col gap-3">
        <Code text={WRITERS[client](request, target)} label={`Code for ${client}`} />
        <p className="text-small text-muted">
          Set HEADGATE_API_KEY to your key. Long file data is shortened; insert your own.
        </p>
      </div>
    </Tabs>
  )
}
