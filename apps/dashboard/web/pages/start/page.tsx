import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useMay, useMe } from '../../api/me.ts'
import { modelsQuery } from '../../api/models.ts'
import { gatewayUrl } from '../../app/base.ts'
import { SelectField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Forbidden, Note } from '../../components/states.tsx'
import { Secret } from '../../secrets/secret.tsx'
import { SnippetTabs } from '../../snippets/snippet-tabs.tsx'
import { Arrival } from './arrival.tsx'
import { type MadeKey, NewKey } from './new-key.tsx'
import { Step } from './step.tsx'

const PROMPT = 'Say hello.'
/** What stands in snippets while there is no key. */
const NO_KEY = 'YOUR_KEY'

/** From an account to the first request, on one page. */
export function StartPage() {
  const me = useMe()
  const mayMake = useMay('keys.write') !== undefined
  const navigate = useNavigate()
  const { model: asked } = useSearch({ from: '/within/start' })
  const [key, setKey] = useState<MadeKey>()
  const [hasArrived, setArrived] = useState(false)
  const arrived = useCallback(() => setArrived(true), [])
  const { data } = useQuery(modelsQuery)
  // What is known not to chat is no model for this.
  const models = (data?.items ?? []).filter(({ providers }) =>
    providers.some(({ families }) => families === undefined || families.includes('chat')),
  )
  const model = asked ?? models[0]?.id ?? 'demo'
  const choices = [...new Set([model, ...models.map(({ id }) => id)])].map((value) => ({ value, title: value }))
  return (
    <Page title="Start" lead="Three steps to the first request.">
      <ol className="max-w-3xl">
        <Step number={1} title="An account" isDone={me !== undefined}>
          <p className="text-muted">{me && `You are ${me.name}${me.email === undefined ? '' : `, ${me.email}`}.`}</p>
        </Step>
        <Step number={2} title="A key" isDone={key !== undefined}>
          {key ? (
            <Secret secret={key.secret} label="The key" />
          ) : mayMake ? (
            <NewKey onMade={setKey} />
          ) : (
            <Forbidden>Viewers have no keys. Ask an owner or an admin to make you a member.</Forbidden>
          )}
        </Step>
        <Step number={3} title="A request" isDone={hasArrived}>
          <div className="max-w-72">
            <SelectField
              label="Model"
              value={model}
              onPick={(value) => void navigate({ to: '/start', search: { model: value } })}
              choices={choices}
            />
          </div>
          <SnippetTabs origin={gatewayUrl()} secret={key?.secret ?? NO_KEY} model={model} prompt={PROMPT} />
          {key ? (
            <Arrival of={key.id} onArrived={arrived} />
          ) : (
            <Note look="plain">Make a key first: it is filled in here.</Note>
          )}
        </Step>
      </ol>
    </Page>
  )
}
