import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import type { Server } from '../../api/models.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { CopyButton, CopyId } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Peek } from '../../components/peek.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { duration } from '../../formats/durations.ts'
import { count, counted } from '../../formats/numbers.ts'
import type { ModelRow } from './facts.ts'
import { PriceForm } from './price-form.tsx'
import { PriceTable } from './price-table.tsx'
import { Failures, Size, TOO_FEW, Unknown, Words, YesNo } from './values.tsx'

export interface ModelPanelProps {
  readonly id: string
  /** Undefined = there is none of that id. */
  readonly of: ModelRow | undefined
  readonly isLoading: boolean
  readonly isCompared: boolean
  /** Absent where no more can be compared. */
  readonly onCompare: (() => void) | undefined
  onClose(): void
}

/** A model in full: who serves it, in the order in which they are asked, and what each takes, costs and was like. */
export function ModelPanel({ id, of, isLoading, isCompared, onCompare, onClose }: ModelPanelProps) {
  return (
    <Peek of={id} title={id} onClose={onClose} actions={<CopyButton text={id} label="Copy the id" />}>
      {of ? (
        <>
          <div className="flex flex-wrap gap-2">
            <Link to="/playground" search={{ models: id, ...kindOf(of) }} className={buttonClass('primary')}>
              Try in the playground
            </Link>
            <Button onClick={onCompare} disabled={!onCompare} aria-pressed={isCompared}>
              {isCompared ? 'Compare no longer' : 'Compare'}
            </Button>
            <Link to="/requests" search={{ model: id }} className={buttonClass()}>
              Its requests
            </Link>
          </div>
          {of.model.aliasOf && (
            <p>
              A name of your configuration for <Words all={of.model.aliasOf} />.
            </p>
          )}
          {of.model.limits && <p>{boundOf(of.model.limits)} of it may be asked here, of all keys together.</p>}
          {of.model.providers.length === 0 && <Note>Nobody who is enabled serves it.</Note>}
          {of.model.providers.map((server) => (
            <ServerPart key={`${server.provider}/${server.model}`} of={server} />
          ))}
        </>
      ) : isLoading ? (
        <Skeleton rows={10} />
      ) : (
        <Note look="plain">There is no such model here. It may have left the list of its provider.</Note>
      )}
    </Peek>
  )
}

/** What the playground is to open for it. */
function kindOf({ families }: ModelRow): { kind?: 'embeddings' | 'video' } {
  if (families.includes('chat')) return {}
  return families.includes('embeddings') ? { kind: 'embeddings' } : families.includes('video') ? { kind: 'video' } : {}
}

function boundOf({ requestsPerMinute, tokensPerMinute, concurrent }: NonNullable<Server['limits']>): string {
  const parts = [
    requestsPerMinute === undefined ? undefined : `${counted(requestsPerMinute, 'request')} a minute`,
    tokensPerMinute === undefined ? undefined : `${counted(tokensPerMinute, 'token')} a minute`,
    concurrent === undefined ? undefined : `${counted(concurrent, 'request')} at the same time`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

function ServerPart({ of }: { readonly of: Server }) {
  const maySet = useMay('prices.write') === 'all'
  const [isSetting, setSetting] = useState(false)
  const { provider, model, price, observed, limits, formats, families, inputs } = of
  const firstByte = observed?.firstByteMs
  return (
    <section aria-label={`At ${provider}`} className="rounded-panel border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">
          <Link to="/providers" search={{ row: provider }}>
            {provider}
          </Link>
        </h3>
        {families && <span className="text-small text-muted">{families.join(', ')}</span>}
      </div>
      <Facts>
        <Fact name="Called there">
          <CopyId id={model} label="the provider’s own id" />
        </Fact>
        <Fact name="Speaks natively">
          <Words all={formats && [...formats]} />
        </Fact>
        <Fact name="Context">
          <Size tokens={of.context} />
        </Fact>
        <Fact name="Longest output">
          <Size tokens={of.output} />
        </Fact>
        <Fact name="Takes">
          <Words all={inputs && [...inputs]} />
        </Fact>
        <Fact name="Tools">
          <YesNo is={of.tools} />
        </Fact>
        <Fact name="Reasoning">
          <YesNo is={of.reasoning} />
        </Fact>
        <Fact name="Its rate limits">{limits ? boundOf(limits) : <Unknown />}</Fact>
        <Fact name="Failed">
          {observed ? <Failures {...observed} /> : <span className="text-muted">no requests in 7 days</span>}
        </Fact>
        <Fact name="First byte">
          {firstByte ? `${duration(firstByte.p50)} at the median, ${duration(firstByte.p95)} at p95` : <Unknown />}
        </Fact>
      </Facts>
      {observed && (
        <p className="mt-1 text-small text-muted">
          Observed over the last 7 days, on {count(observed.requests)} requests. {TOO_FEW}
        </p>
      )}
      <div className="mt-3">
        {price ? (
          <>
            <PriceTable price={price} />
            <p className="text-small wrap-anywhere text-muted">Rows of usage name it as {price.id}.</p>
          </>
        ) : (
          <Note>Nobody knows what it costs: requests are served, have no cost, and count in no budget by cost.</Note>
        )}
        {maySet && (
          <div className="mt-2">
            {isSetting ? (
              <PriceForm provider={provider} model={model} of={price ?? undefined} onDone={() => setSetting(false)} />
            ) : (
              <Button onClick={() => setSetting(true)}>{price ? 'Set another price' : 'Set a price'}</Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
