import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../../../components/announcements.tsx'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { Duration } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { ModelBar } from '../model-bar.tsx'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import { askPlain } from '../wire/plain.ts'
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
  const wrongLength =
    length !== undefined && !(Number.isInteger(length) && length > 0) ? 'A whole number above 0.' : undefined
  const wrongTexts = texts.length > MOST ? `At most ${MOST} texts are compared.` : undefined
  const embed = useMutation({
    mutationFn: async (input: readonly string[]) => {
      const body = {
        model,
        input,
        encoding_format: 'float',
        ...(length && { dimensions: length }),
        ...(type !== '' && { input_type: type }),
      }
      return {
        input,
        asked: model,
        ...(await askPlain({ method: 'POST', path: 'v1/embeddings', body: JSON.stringify(body), project })),
      }
    },
    onSuccess: () => announce('Vectors are there.'),
  })
  const vectors = embed.data && vectorsOf(embed.data.answer)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        embed.mutate(texts)
      }}
    >
      <ModelBar key={model} models={model === undefined ? [] : [model]} known={known} most={1} onChange={onModels} />
      <TextArea
        label="Texts"
        hint="One on each line."
        rows={5}
        value={text}
        error={wrongTexts}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Dimensions"
          inputMode="numeric"
          placeholder="as the model"
          value={dimensions}
          error={wrongLength}
          onChange={({ target }) => setDimensions(target.value)}
        />
        <SelectField
          label="What they are for"
          choices={TYPES}
          value={type}
          onChange={({ target }) => setType(target.value)}
        />
        <Button
          type="submit"
          look="primary"
          isBusy={embed.isPending}
          disabled={model === undefined || texts.length === 0 || wrongLength !== undefined || wrongTexts !== undefined}
        >
          Compare
        </Button>
      </div>
      {model === undefined && (
        <Empty title="No model that makes vectors is known">Name one above, or set a provider up that has one.</Empty>
      )}
      {embed.isPending && <Skeleton rows={texts.length + 1} />}
      {embed.error && <Failed error={embed.error} retry={() => embed.mutate(texts)} />}
      {embed.data && !embed.isPending && !embed.error && (
        <ExchangeTabs label="About the vectors" exchange={embed.data}>
          {vectors ? (
            <div className="flex flex-col gap-3">
              <SimilarityTable texts={embed.data.input} vectors={vectors} />
              <p className="text-small text-muted">
                {embed.data.asked} of {embed.data.provider} · {count(vectors[0]?.length ?? 0)} dimensions ·{' '}
                <Duration ms={Math.round(embed.data.ms)} />
              </p>
            </div>
          ) : (
            <p>The answer has no vectors of one length: Raw shows what it has.</p>
          )}
        </ExchangeTabs>
      )}
    </form>
  )
}
