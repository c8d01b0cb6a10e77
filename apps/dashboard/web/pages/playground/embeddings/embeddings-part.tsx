import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../../../components/announcements.tsx'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { ModelBar } from '../model-bar.tsx'
import { askPlain } from '../wire/call.ts'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import { vectorsOf } from './similarity.ts'
import { SimilarityTable } from './similarity-table.tsx'

/** Most texts that are compared: each with each. */
const MOST = 24
const SAMPLE = 'How do I reset my password?\nI forgot my login\nWhat does shipping cost?'
const TYPES = ['', 'query', 'document', 'similarity', 'classification', 'clustering'].map((value) => ({
  value,
  title: value === '' ? 'As the model has it' : value,
}))

export interface EmbeddingsPartProps {
  readonly model: string | undefined
  readonly known: readonly string[]
  readonly project: string | undefined
  onModels(models: readonly string[]): void
}

/** How near texts are to each other, by the vectors of a model. */
export function EmbeddingsPart({ model, known, project, onModels }: EmbeddingsPartProps) {
  const [text, setText] = useState(SAMPLE)
  const [dimensions, setDimensions] = useState('')
  const [type, setType] = useState('')
  const texts = text.split('\n').filter((line) => line.trim() !== '')
  const length = dimensions.trim() === '' ? undefined : Number(dimensions)
  const isWrongLength = length !== undefined && !(Number.isInteger(length) && length > 0)
  const areTooMany = texts.length > MOST
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
        label="Texts"
        hint="One on each line."
        rows={5}
        value={text}
        error={areTooMany ? `At most ${MOST} texts are compared.` : undefined}
        onText={setText}
      />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Dimensions"
          inputMode="numeric"
          placeholder="as the model"
          value={dimensions}
          error={isWrongLength ? 'A whole number above 0.' : undefined}
          onText={setDimensions}
        />
        <SelectField label="What they are for" choices={TYPES} value={type} onPick={setType} />
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
        <Empty title="No model that makes vectors is known">Name one above, or set a provider up that has one.</Empty>
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
      const exchange = await askPlain({ method: 'POST', path: 'v1/embeddings', body, project })
      return { input, asked: model, ...exchange }
    },
    onSuccess: () => announce('Vectors are there.'),
  })
}

type Embedded = NonNullable<ReturnType<typeof useEmbeddings>['data']>

/** How near the texts of an answer are to each other, and the exchange itself. */
function Vectors({ of }: { readonly of: Embedded }) {
  const vectors = vectorsOf(of.answer)
  return (
    <ExchangeTabs label="About the vectors" exchange={of}>
      {vectors ? (
        <div className="flex flex-col gap-3">
          <SimilarityTable texts={of.input} vectors={vectors} />
          <p className="text-small text-muted">
            {of.asked} of {of.provider} · {count(vectors[0]?.length ?? 0)} dimensions ·{' '}
            <Duration ms={Math.round(of.ms)} />
          </p>
        </div>
      ) : (
        <p>The answer has no vectors of one length: Raw shows what it has.</p>
      )}
    </ExchangeTabs>
  )
}
