import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useMay, useMe } from '../../api/me.ts'
import { modelsQuery } from '../../api/models.ts'
import { gatewayUrl } from '../../app/base.ts'
import { SelectField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Forbidden, Note } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'
import { Secret } from '../../secrets/secret.tsx'
import { SnippetTabs } from '../../snippets/snippet-tabs.tsx'
import { Arrival } from './arrival.tsx'
import { type CreatedKey, NewKey } from './new-key.tsx'
import { Step } from './step.tsx'

const PROMPT = 'Say hello.'
/** Placeholder in snippets until a key exists. */
const NO_KEY = 'YOUR_KEY'

/** Onboarding page: account, key and first request. */
export function StartPage() {
  const me = useMe()
  const mayCreate = useMay('keys.write') !== undefined
  const navigate = useNavigate()
  const { model: chosen } = useSearch({ from: '/within/start' })
  const [key, setKey] = useState<CreatedKey>()
  const [hasArrived, setArrived] = useState(false)
  const arrived = useCallback(() => setArrived(true), [])
  const { data } = useQuery(modelsQuery)
  // Models that cannot chat are left out.
  const models = (data?.items ?? []).filter(({ providers }) =>
    providers.some(({ families }) => families === undefined || families.includes('chat')),
  )
  const model = chosen ?? models[0]?.id ?? 'demo'
  const choices = [...new Set([model, ...models.map(({ id }) => id)])].map((value) => ({ value, title: value }))
  return (
    <Page title="Start" lead="Send your first request in three steps.">
      <ol className="max-w-3xl">
        <Step number={1} title="Account" isDone={me !== undefined}>
          <p className="text-muted">
            {me && `Signed in as ${me.name}${me.email === undefined ? '' : `, ${me.email}`}.`}
          </p>
        </Step>
        <Step number={2} title="API key" isDone={key !== undefined}>
          {key ? (
            <Secret secret={key.secret} label={LABELS.key} />
          ) : mayCreate ? (
            <NewKey onCreated={setKey} />
          ) : (
            <Forbidden>Viewers cannot create keys. Ask an owner or an admin for the member role.</Forbidden>
          )}
        </Step>
        <Step number={3} title="Request" isDone={hasArrived}>
          <div className="max-w-72">
            <SelectField
              label={LABELS.model}
              value={model}
              onPick={(value) => void navigate({ to: '/start', search: { model: value } })}
              choices={choices}
            />
          </div>
          <SnippetTabs origin={gatewayUrl()} secret={key?.secret ?? NO_KEY} model={model} prompt={PROMPT} />
          {key ? (
            <Arrival of={key.id} onArrived={arrived} />
          ) : (
            <Note look="plain">Create a key first. It is inserted into the code above.</Note>
          )}
        </Step>
      </ol>
    </Page>
  )
}
