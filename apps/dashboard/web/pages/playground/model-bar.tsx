import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
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
  const list = useId()
  const [isAdding, setAdding] = useState(models.length === 0)
  const isLast = isAdding || models.length === 0
  return (
    <div className="flex flex-wrap items-end gap-2">
      <datalist id={list}>
        {known.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {models.map((model, index) => (
        <ModelField
          key={model}
          {...{ list, model }}
          label={most === 1 ? LABELS.model : `${LABELS.model} ${index + 1}`}
          onChoose={(name) => onChange(name === '' ? models.toSpliced(index, 1) : models.toSpliced(index, 1, name))}
          onRemove={most > 1 && models.length > 1 ? () => onChange(models.toSpliced(index, 1)) : undefined}
        />
      ))}
      {isLast && models.length < most && (
        <ModelField
          key={`new ${models.length}`}
          list={list}
          model=""
          label={most === 1 ? LABELS.model : `${LABELS.model} ${models.length + 1}`}
          onChoose={(name) => {
            setAdding(false)
            if (name !== '') onChange([...models, name])
          }}
          onRemove={models.length > 0 ? () => setAdding(false) : undefined}
        />
      )}
      {!isLast && models.length < most && (
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden size={14} /> Add model
        </Button>
      )}
    </div>
  )
}

interface ModelFieldProps {
  readonly list: string
  readonly model: string
  readonly label: string
  onChoose(name: string): void
  readonly onRemove?: (() => void) | undefined
}

function ModelField({ list, model, label, onChoose, onRemove }: ModelFieldProps) {
  const id = useId()
  const [typed, setTyped] = useState(model)
  // A comma separates models in the address.
  const choose = (): void => onChoose(typed.replaceAll(',', '').trim())
  return (
    <form
      className="flex min-w-0 flex-col gap-1 max-sm:w-full"
      onSubmit={(event) => {
        event.preventDefault()
        choose()
      }}
    >
      <label htmlFor={id} className="text-small font-medium text-muted">
        {label}
      </label>
      <div className="flex items-center gap-1">
        <input
          id={id}
          list={list}
          value={typed}
          placeholder="Model name"
          autoComplete="off"
          spellCheck={false}
          className="min-h-8 w-full min-w-0 rounded-field border border-field bg-bg px-2.5 placeholder:text-muted sm:w-56 pointer-coarse:min-h-11"
          onChange={({ target, nativeEvent }) => {
            setTyped(target.value)
            // A suggestion is applied immediately. Browsers report it without an input type, or as a replacement.
            if (!('inputType' in nativeEvent) || nativeEvent.inputType === 'insertReplacementText')
              onChoose(target.value.trim())
          }}
          onBlur={() => typed.trim() !== model && choose()}
        />
        {onRemove && (
          <IconButton label={`Remove ${model || 'this model'}`} onClick={onRemove}>
            <X aria-hidden size={14} />
          </IconButton>
        )}
      </div>
    </form>
  )
}
