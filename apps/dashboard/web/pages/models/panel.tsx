import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import type { ModelProvider } from '../../api/models.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { CopyButton, CopyId } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Peek } from '../../components/peek.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { duration } from '../../formats/durations.ts'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { KINDS, type PlaygroundTab } from '../playground/search.ts'
import { AliasPart } from './alias-part.tsx'
import type { ModelRow } from './facts.ts'
import { PriceForm } from './price-form.tsx'
import { PriceTable } from './price-table.tsx'
import { UnpricedRequests } from './unpriced.tsx'
import { Failures, NameList, RATES_NOTE, Size, Unknown, YesNo } from './values.tsx'

export interface ModelPanelProps {
  readonly id: string
  /** Undefined = not found. */
  readonly of: ModelRow | undefined
  readonly isLoading: boolean
  readonly isCompared: boolean
  /** Absent if no more models can be compared. */
  readonly onCompare: (() => void) | undefined
  onClose(): void
}

/** Panel of a model: its providers in routing order, each with capabilities, prices and statistics. */
export function ModelPanel({ id, of, isLoading, isCompared, onCompare, onClose }: ModelPanelProps) {
  return (
    <Peek of={id} title={id} onClose={onClose} actions={<CopyButton text={id} label="Copy ID" />}>
      {of ? (
        <>
          <div className="flex flex-wrap gap-2">
            <Link to="/playground" search={{ models: id, ...playgroundTabOf(of) }} className={buttonClass('primary')}>
              Try in the playground
            </Link>
            <Button onClick={onCompare} disabled={!onCompare} aria-pressed={isCompared}>
              {isCompared ? 'Remove from comparison' : 'Compare'}
            </Button>
            <Link to="/requests" search={{ model: id }} className={buttonClass()}>
              {LABELS.requests}
            </Link>
          </div>
          {of.model.alias && <AliasPart id={id} of={of.model.alias} />}
          {of.model.limits && <p>Rate limits for all keys together: {limitsText(of.model.limits)}.</p>}
          {of.model.providers.length === 0 && <Note>No enabled provider serves this model.</Note>}
          {of.model.providers.map((server) => (
            <ServerPart key={`${server.provider}/${server.model}`} of={server} />
          ))}
        </>
      ) : isLoading ? (
        <Skeleton rows={10} />
      ) : (
        <Note look="plain">Model not found. Its provider may no longer list it.</Note>
      )}
    </Peek>
  )
}

/** Tab of the playground for a model. */
function playgroundTabOf({ families }: ModelRow): { kind?: PlaygroundTab } {
  const kind = KINDS.find((one) => families.includes(one))
  return kind === undefined || kind === 'chat' ? {} : { kind }
}

function limitsText({ requestsPerMinute, tokensPerMinute, concurrent }: NonNullable<ModelProvider['limits']>): string {
  const parts = [
    requestsPerMinute === undefined ? undefined : `${counted(requestsPerMinute, 'request')} per minute`,
    tokensPerMinute === undefined ? undefined : `${counted(tokensPerMinute, 'token')} per minute`,
    concurrent === undefined ? undefined : counted(concurrent, 'concurrent request'),
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

function ServerPart({ of }: { readonly of: ModelProvider }) {
  const maySet = useMay('prices.write') === 'all'
  const [isSetting, setSetting] = useState(false)
  const { provider, model, price, observed, limits, formats, families, inputs } = of
  const firstByte = observed?.firstByteMs
  return (
    <section aria-label={`Provider ${provider}`} className="rounded-panel border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">
          <Link to="/providers" search={{ row: provider }}>
            {provider}
          </Link>
        </h3>
        {families && <span className="text-small text-muted">{families.join(', ')}</span>}
      </div>
      <Facts>
        <Fact name="Provider model ID">
          <CopyId id={model} label="provider model ID" />
        </Fact>
        <Fact name={LABELS.formats}>
          <NameList all={formats && [...formats]} />
        </Fact>
        <Fact name={LABELS.context}>
          <Size tokens={of.context} />
        </Fact>
        <Fact name={LABELS.maxOutput}>
          <Size tokens={of.output} />
        </Fact>
        <Fact name={LABELS.inputs}>
          <NameList all={inputs && [...inputs]} />
        </Fact>
        <Fact name={LABELS.tools}>
          <YesNo is={of.tools} />
        </Fact>
        <Fact name={LABELS.reasoning}>
          <YesNo is={of.reasoning} />
        </Fact>
        <Fact name="Provider rate limits">{limits ? limitsText(limits) : <Unknown />}</Fact>
        <Fact name={LABELS.failures}>
          {observed ? <Failures {...observed} /> : <span className="text-muted">no requests in 7 days</span>}
        </Fact>
        <Fact name={LABELS.ttft}>
          {firstByte ? `p50 ${duration(firstByte.p50)}, p95 ${duration(firstByte.p95)}` : <Unknown />}
        </Fact>
      </Facts>
      {observed && (
        <p className="mt-1 text-small text-muted">
          Observed in {counted(observed.requests, 'request')} of the last 7 days. {RATES_NOTE}
        </p>
      )}
      <div className="mt-3">
        {price ? (
          <>
            <PriceTable price={price} />
            <p className="text-small wrap-anywhere text-muted">Price ID in usage rows: {price.id}</p>
          </>
        ) : (
          <Note>No price set. Costs are not tracked, and keys with a budget cannot use this model.</Note>
        )}
        {maySet && price && <UnpricedRequests provider={provider} model={model} />}
        {maySet && (
          <div className="mt-2">
            {isSetting ? (
              <PriceForm provider={provider} model={model} of={price ?? undefined} onDone={() => setSetting(false)} />
            ) : (
              <Button onClick={() => setSetting(true)}>{price ? 'Change price' : 'Set price'}</Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
