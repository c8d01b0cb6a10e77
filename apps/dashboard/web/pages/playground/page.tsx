import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/me.ts'
import { modelsQuery } from '../../api/models.ts'
import { Page } from '../../components/page.tsx'
import { Failed, Forbidden, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { KINDS, modelsOf, type PlaygroundSearch, type PlaygroundTab } from './search.ts'

const ChatPart = lazy(() => import('./chat/chat.tsx').then(({ ChatPart: component }) => ({ default: component })))
const SearchPart = lazy(() =>
  import('./search/search-part.tsx').then(({ SearchPart: component }) => ({ default: component })),
)
const EmbeddingsPart = lazy(() =>
  import('./embeddings/embeddings-part.tsx').then(({ EmbeddingsPart: component }) => ({ default: component })),
)
const ImagesPart = lazy(() =>
  import('./images/images-part.tsx').then(({ ImagesPart: component }) => ({ default: component })),
)
const SpeechPart = lazy(() =>
  import('./speech/speech-part.tsx').then(({ SpeechPart: component }) => ({ default: component })),
)
const TranscriptionPart = lazy(() =>
  import('./transcription/transcription-part.tsx').then(({ TranscriptionPart: component }) => ({ default: component })),
)
const ModerationsPart = lazy(() =>
  import('./moderations/moderations-part.tsx').then(({ ModerationsPart: component }) => ({ default: component })),
)
const VideoPart = lazy(() =>
  import('./video/video-part.tsx').then(({ VideoPart: component }) => ({ default: component })),
)

const KIND_TABS = [
  { id: 'chat', title: 'Chat' },
  { id: 'search', title: 'Search' },
  { id: 'embeddings', title: 'Embeddings' },
  { id: 'images', title: 'Images' },
  { id: 'speech', title: 'Speech' },
  { id: 'transcription', title: 'Transcription' },
  { id: 'moderations', title: 'Moderations' },
  { id: 'video', title: 'Video' },
] as const

/** Model family of each tab. Search has none. */
const FAMILIES: Readonly<Partial<Record<PlaygroundTab, string>>> = Object.fromEntries(
  KINDS.filter((kind) => kind !== 'search').map((kind) => [kind, kind]),
)

/** Playground for all request types. */
export function PlaygroundPage() {
  const { kind = 'chat', models: parameter } = useSearch({ from: '/within/playground' })
  const { project } = useView()
  const change = useChangeSearch<PlaygroundSearch>()
  const mayUse = useMay('playground.use') !== undefined
  const { data, error, isPending, refetch } = useQuery(modelsQuery)
  const family = FAMILIES[kind]
  // A model with unknown families is included.
  const serves =
    data?.items.filter(({ providers }) =>
      providers.some(({ families }) => families === undefined || families.includes(family ?? '')),
    ) ?? []
  // Models that are known to support the family come first.
  const isKnown = ({ providers }: (typeof serves)[number]) =>
    providers.some(({ families }) => families?.includes(family ?? ''))
  const known = [...serves.filter(isKnown), ...serves.filter((model) => !isKnown(model))].map(({ id }) => id)
  const named = modelsOf(parameter)
  // The first model is the default.
  const models = named.length > 0 || parameter !== undefined ? named : known.slice(0, 1)
  const shared = {
    known,
    project,
    onModels: (next: readonly string[]) =>
      change({ models: next.length > 0 ? next.join(',') : undefined }, { replace: true }),
  }
  if (!mayUse)
    return (
      <Page title="Playground">
        <Forbidden>Viewers cannot use the playground. Ask an owner or an admin for the member role.</Forbidden>
      </Page>
    )
  return (
    <Page title="Playground" lead="Uses your personal playground key; budgets and limits apply." isWide>
      <p className="mb-3 text-small text-muted">
        Prompts and responses are kept for 24 hours, encrypted. Owners and admins of your organization can read them.
      </p>
      <Tabs<PlaygroundTab>
        label="Kind of request"
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
            {kind === 'images' && <ImagesPart model={models[0]} {...shared} />}
            {kind === 'speech' && <SpeechPart model={models[0]} {...shared} />}
            {kind === 'transcription' && <TranscriptionPart model={models[0]} {...shared} />}
            {kind === 'moderations' && <ModerationsPart model={models[0]} {...shared} />}
            {kind === 'video' && <VideoPart model={models[0]} {...shared} />}
          </Suspense>
        )}
      </Tabs>
    </Page>
  )
}
