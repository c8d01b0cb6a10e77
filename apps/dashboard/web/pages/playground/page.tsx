import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/me.ts'
import { modelsQuery } from '../../api/models.ts'
import { Page } from '../../components/page.tsx'
import { Failed, Forbidden, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { type Kind, modelsOf, type PlaygroundSearch } from './search.ts'

const ChatPart = lazy(() => import('./chat/chat.tsx').then(({ ChatPart: component }) => ({ default: component })))
const SearchPart = lazy(() =>
  import('./search/search-part.tsx').then(({ SearchPart: component }) => ({ default: component })),
)
const EmbeddingsPart = lazy(() =>
  import('./embeddings/embeddings-part.tsx').then(({ EmbeddingsPart: component }) => ({ default: component })),
)
const VideoPart = lazy(() =>
  import('./video/video-part.tsx').then(({ VideoPart: component }) => ({ default: component })),
)

const KIND_TABS = [
  { id: 'chat', title: 'Chat' },
  { id: 'search', title: 'Search' },
  { id: 'embeddings', title: 'Embeddings' },
  { id: 'video', title: 'Video' },
] as const

/** Family of models for each; searches have none. */
const FAMILIES = { chat: 'chat', search: undefined, embeddings: 'embeddings', video: 'video' } as const

/** Does it do what I think, on which model? */
export function PlaygroundPage() {
  const { kind = 'chat', models: asked } = useSearch({ from: '/within/playground' })
  const { project } = useView()
  const change = useChangeSearch<PlaygroundSearch>()
  const mayUse = useMay('playground.use') !== undefined
  const { data, error, isPending, refetch } = useQuery(modelsQuery)
  const family = FAMILIES[kind]
  // What is not known of a model is no reason to leave it out.
  const serves =
    data?.items.filter(({ providers }) =>
      providers.some(({ families }) => families === undefined || families.includes(family ?? '')),
    ) ?? []
  // Those of which it is known come before those that may.
  const isKnown = ({ providers }: (typeof serves)[number]) =>
    providers.some(({ families }) => families?.includes(family ?? ''))
  const known = [...serves.filter(isKnown), ...serves.filter((model) => !isKnown(model))].map(({ id }) => id)
  const named = modelsOf(asked)
  // Until somebody chooses, it is the first that there is.
  const models = named.length > 0 || asked !== undefined ? named : known.slice(0, 1)
  const shared = {
    known,
    project,
    onModels: (next: readonly string[]) =>
      change({ models: next.length > 0 ? next.join(',') : undefined }, { replace: true }),
  }
  if (!mayUse)
    return (
      <Page title="Playground">
        <Forbidden>Viewers ask no models. Ask an owner or an admin to make you a member.</Forbidden>
      </Page>
    )
  return (
    <Page
      title="Playground"
      lead="Requests go by a key of your own: budgets and limits hold, and each has a row."
      isWide
    >
      <p className="mb-3 text-small text-muted">
        Headgate stores what you send here and the responses, encrypted, for 24 hours. Owners and admins of your
        organization can read them.
      </p>
      <Tabs<Kind>
        label="What is tried"
        tabs={KIND_TABS}
        chosen={kind}
        onChoose={(next) => change({ kind: next, models: undefined })}
      >
        {error && <Failed error={error} retry={() => void refetch()} />}
        {isPending ? (
          <Skeleton rows={10} />
        ) : (
          <Suspense fallback={<Skeleton rows={10} />}>
            {kind === 'chat' && <ChatPart models={models} {...shared} />}
            {kind === 'search' && <SearchPart project={project} />}
            {kind === 'embeddings' && <EmbeddingsPart model={models[0]} {...shared} />}
            {kind === 'video' && <VideoPart model={models[0]} {...shared} />}
          </Suspense>
        )}
      </Tabs>
    </Page>
  )
}
