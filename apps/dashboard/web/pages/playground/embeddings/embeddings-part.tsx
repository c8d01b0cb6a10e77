import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../../../components/announcements.tsx'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { ModelBar } from '../model-bar.tsx'
import { completeCall } from '../wire/call.ts'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import { vectorsOf } from './similarity.ts'
import { SimilarityTable } from './similarity-table.tsx'

/** Maximum number of inputs to compare. */
const MAX_TEXTS = 24
const SAMPLE = 'How do I reset my password?\nI forgot my login\nWhat does shipping cost?'
const TYPES = ['', 'query', 'document', 'similarity', 'classification', 'clustering'].map((value) => ({
  value,
  title: value === '' ? LABELS.modelDefault : value,
}))

export interface EmbeddingsPartProps {
  readonly model: string | undefined
  readonly known: readonly string[]
  readonly project: string | undefined
  onModels(models: readonly string[]): void
}

/** Similarity of inputs, computed from embeddings. */
export function EmbeddingsPart({ model, known, project, onModels }: EmbeddingsPartProps) {
  const [text, setText] = useState(SAMPLE)
  const [dimensions, setDimensions] = useState('')
  const [type, setType] = useState('')
  const texts = text.split('\n').filter((line) => line.trim() !== '')
  const length = dimensions.trim() === '' ? undefined : Number(dimensions)
  const isWrongLength = length !== undefined && !(Number.isInteger(length) && length > 0)
  const areTooMany = texts.length > MAX_TEXTS
  const embed = useEmbeddings(project)
  const send = (): void =>
    embed.mutate({ model, input: texts, dimensions: length, input_type: type === '' ? undefined : type })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <ModelBar key={model} models={model === undefined ? [] : [model]} known={known} most={1} onChange={onModels} />
      <TextArea
        label="Inputs"
        hint="One per line."
        rows={5}
        value={text}
        error={areTooMany ? `Enter at most ${MAX_TEXTS} inputs.` : undefined}
        onText={setText}
      />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Dimensions"
          inputMode="numeric"
          placeholder="default"
          value={dimensions}
          error={isWrongLength ? 'Enter a whole number above 0.' : undefined}
          onText={setDimensions}
        />
        <SelectField label="Input type" choices={TYPES} value={type} onPick={setType} />
        <Button
          type="submit"
          look="primary"
          isBusy={embed.isPending}
          disabled={model === undefined || texts.length === 0 || isWrongLength || areTooMany}
        >
          Compare
        </Button>
      </div>
      {model === undefined && (
        <Empty title="No embedding model">Type the name of a model above, or configure a provider that has one.</Empty>
      )}
      {embed.isPending && <Skeleton rows={texts.length + 1} />}
      {embed.error && <Failed error={embed.error} retry={send} />}
      {embed.isSuccess && <Vectors of={embed.data} />}
    </form>
  )
}

interface EmbeddingsBody {
  readonly model: string | undefined
  readonly input: readonly string[]
  readonly dimensions: number | undefined
  readonly input_type: string | undefined
}

function useEmbeddings(project: string | undefined) {
  return useMutation({
    mutationFn: async ({ model, input, ...rest }: EmbeddingsBody) => {
      const body = JSON.stringify({ model, input, encoding_format: 'float', ...rest })
      const exchange = await completeCall({ method: 'POST', path: 'v1/embeddings', body, project })
      return { input, model, ...exchange }
    },
    onSuccess: () => announce('Embeddings received.'),
  })
}

type EmbeddingsResult = NonNullable<ReturnType<typeof useEmbeddings>['data']>

/** Similarities of the inputs, and details of the request. */
function Vectors({ of }: { readonly of: EmbeddingsResult }) {
  const vectors = vectorsOf(of.answer)
  return (
    <ExchangeTabs label="Embeddings" exchange={of}>
      {vectors ? (
        <div className="flex flex-col gap-3">
          <SimilarityTable texts={of.input} vectors={vectors} />
          <p className="text-small text-muted">
            {of.model} of {of.provider} · {count(vectors[0]?.length ?? 0)} dimensions ·{' '}
            <Duration ms={Math.round(of.ms)} />
          </p>
        </div>
      ) : (
        <p>The response has no vectors of equal length. See the Raw tab.</p>
      )}
    </ExchangeTabs>
  )
}
