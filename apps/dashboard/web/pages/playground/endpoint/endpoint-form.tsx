import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { LABELS } from '../../../labels.ts'
import { EndpointCode } from '../code/endpoint-code.tsx'
import { ModelBar } from '../model-bar.tsx'
import { Fold } from '../panel-fold.tsx'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import type { EndpointRequest } from './request.ts'
import type { EndpointResponse } from './response.ts'
import { ResponseFoot } from './response-foot.tsx'
import { useEndpoint } from './use-endpoint.ts'

export interface FamilyPartProps {
  readonly model: string | undefined
  /** Suggested models. */
  readonly known: readonly string[]
  readonly project: string | undefined
  onModels(models: readonly string[]): void
}

export interface EndpointFormProps extends FamilyPartProps {
  /** Title of the responses: `Images`. */
  readonly title: string
  /** Kind of model: `an image model`. */
  readonly kind: string
  /** Label of the submit button. */
  readonly action: string
  /** Sentence for screen readers when a response is complete. */
  readonly announcement: string
  readonly request: EndpointRequest
  /** True if the request can be sent. */
  readonly isReady: boolean
  /** Fields of the request. */
  readonly children: ReactNode
  /** View of a response. */
  view(response: EndpointResponse): ReactNode
}

/** Form of a request, its response, and the request as code. */
export function EndpointForm({
  model,
  known,
  project,
  onModels,
  title,
  kind,
  action,
  announcement,
  request,
  isReady,
  children,
  view,
}: EndpointFormProps) {
  const { response, isBusy, error, send, again, stop } = useEndpoint(project, announcement)
  return (
    <div className="grid items-start gap-6 md:grid-cols-[22rem_minmax(0,1fr)]">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          send(request)
        }}
      >
        <ModelBar key={model} models={model === undefined ? [] : [model]} known={known} most={1} onChange={onModels} />
        {children}
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={isBusy} disabled={model === undefined || !isReady}>
            {action}
          </Button>
          {isBusy && <Button onClick={stop}>{LABELS.stop}</Button>}
        </div>
      </form>
      <section aria-label={title} className="flex min-w-0 flex-col gap-4">
        {model === undefined && (
          <Empty title={`No ${kind}`}>Type the name of a model, or configure a provider that has one.</Empty>
        )}
        {isBusy && <Skeleton rows={6} />}
        {error && <Failed error={error} retry={again} />}
        {response && (
          <ExchangeTabs label={title} exchange={response}>
            <div className="flex flex-col gap-3">
              {view(response)}
              <ResponseFoot response={response} />
            </div>
          </ExchangeTabs>
        )}
        {model !== undefined && (
          <Fold title="Code" note={model}>
            <EndpointCode request={request} />
          </Fold>
        )}
      </section>
    </div>
  )
}
