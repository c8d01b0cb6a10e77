import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { LABELS } from '../../labels.ts'
import { MAX_MODELS } from './search.ts'

export interface ModelBarProps {
  readonly models: readonly string[]
  /** Suggested models. */
  readonly known: readonly string[]
  /** Maximum number of models. */
  readonly most?: number
  onChange(models: readonly string[]): void
}

/** Selected models. Users can type any model name, including names without a suggestion. */
export function ModelBar({ models, known, most = MAX_MODELS, onChange }: ModelBarProps) {
  const [isAdding, setAdding] = useState(models.length === 0)
  const isLast = isAdding || models.length === 0
  const shown = isLast && models.length < most ? [...models, ''] : models
  const options = known.map((id) => ({ value: id, title: id }))
  const choose = (index: number, typed: string): void => {
    setAdding(false)
    // A comma separates models in the address.
    const name = typed.replaceAll(',', '').trim()
    const others = models.filter((model, at) => at === index || model !== name)
    onChange(name === '' ? models.toSpliced(index, 1) : others.toSpliced(index, 1, name))
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      {shown.map((model, index) => (
        <div key={model} className="flex min-w-0 items-end gap-1 max-sm:w-full">
          <Combobox
            label={most === 1 ? LABELS.model : `${LABELS.model} ${index + 1}`}
            className="w-full sm:w-64"
            value={model}
            options={options}
            allowsOther
            placeholder="Model name"
            onChange={(name) => choose(index, name)}
          />
          {most > 1 && shown.length > 1 && (
            <IconButton
              label={`Remove ${model || 'this model'}`}
              onClick={() => {
                setAdding(false)
                if (model !== '') onChange(models.toSpliced(index, 1))
              }}
            >
              <X aria-hidden size={14} />
            </IconButton>
          )}
        </div>
      ))}
      {!isLast && models.length < most && (
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden size={14} /> Add model
        </Button>
      )}
    </div>
  )
}
