import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useMay, useMe } from '../../api/me.ts'
import { type ModelItem, modelsQuery } from '../../api/models.ts'
import { gatewayUrl } from '../../app/base.ts'
import { buttonClass } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Note } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'
import { masked, Secret } from '../../secrets/secret.tsx'
import { SnippetTabs } from '../../snippets/snippet-tabs.tsx'
import { Arrival } from './arrival.tsx'
import { type CreatedKey, NewKey } from './new-key.tsx'
import { SendHere } from './send-here.tsx'
import { Step } from './step.tsx'

const PROMPT = 'Say hello.'
/** Placeholder in snippets until a key exists. */
const NO_KEY = 'YOUR_KEY'

/** Page for the first key and request. */
export function StartPage() {
  const mayCreate = useMay('keys.write') !== undefined
  return (
    <Page title="Start" lead={mayCreate && 'Send your first request in three steps.'}>
      {mayCreate ? <Steps /> : <NothingToDo />}
    </Page>
  )
}

/** Note for viewers, who cannot create keys. */
function NothingToDo() {
  return (
    <Empty
      title="Nothing to set up"
      action={
        <Link to="/now" className={buttonClass('primary')}>
          Open Now
        </Link>
      }
    >
      Viewers cannot create keys. Ask an owner or an admin for the member role.
    </Empty>
  )
}

/** Chat models. Aliases, which the operator has configured, come first. */
export function startModels(models: readonly ModelItem[]): readonly string[] {
  const chat = models.filter(({ providers }) =>
    providers.some(({ families }) => families === undefined || families.includes('chat')),
  )
  const [aliases, others] = [
    chat.filter(({ aliasOf }) => aliasOf !== undefined),
    chat.filter(({ aliasOf }) => aliasOf === undefined),
  ]
  return [...aliases, ...others].map(({ id }) => id)
}

/** Account, key and first request. */
function Steps() {
  const me = useMe()
  const navigate = useNavigate()
  const { model: chosen } = useSearch({ from: '/within/start' })
  const [key, setKey] = useState<CreatedKey>()
  const [isShown, setShown] = useState(false)
  const [hasArrived, setArrived] = useState(false)
  const arrived = useCallback(() => setArrived(true), [])
  const { data } = useQuery(modelsQuery)
  const models = startModels(data?.items ?? [])
  const model = chosen ?? models[0] ?? 'demo'
  const choices = [...new Set([model, ...models])].map((value) => ({ value, title: value }))
  return (
    <ol className="max-w-4xl">
      <Step number={1} title="Account" isDone={me !== undefined}>
        <p className="text-muted">{me && `Signed in as ${me.name}${me.email === undefined ? '' : `, ${me.email}`}.`}</p>
      </Step>
      <Step number={2} title="API key" isDone={key !== undefined}>
        {key ? <Secret secret={key.secret} label={LABELS.key} onShown={setShown} /> : <NewKey onCreated={setKey} />}
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
        <SnippetTabs
          origin={gatewayUrl()}
          secret={key?.secret ?? NO_KEY}
          shownSecret={key && !isShown ? masked(key.secret) : undefined}
          model={model}
          prompt={PROMPT}
        />
        {key ? (
          <Arrival of={key.id} onArrived={arrived} />
        ) : (
          <Note look="plain">Create a key first. It is inserted into the code above.</Note>
        )}
        <SendHere model={model} prompt={PROMPT} onSent={arrived} />
      </Step>
    </ol>
  )
}
